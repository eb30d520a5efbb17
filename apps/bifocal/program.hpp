// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/colmap/verify.hpp>

#include <functional>
#include <string>
#include <vector>

#include "jobs/stage_times.hpp"

namespace bifocal::cli {

// Files of the command `verify --features FILE --matches FILE`.
struct HlocFiles {
  std::string features, matches, pairs, database;
  bool overwrite = false;  // also replaces the matches of verified pairs
};
// Writes keypoints and matches of hloc's files into a database. Returns rows to report, with the
// pairs that were left out. Throws Error(input).
using HlocImport = std::function<std::vector<colmap::OddRow>(const HlocFiles& files)>;

// Runs the program `bifocal` in this process, for its executable and for the console script of the
// Python package. Changes the handlers of SIGPIPE, SIGINT, SIGTERM and SIGHUP, and ignores argv[0].
// Returns the exit code; prints errors on stderr and throws none. import_hloc: only the Python
// package has it, because it reads HDF5 by h5py; without it the program refuses hloc's files.
// times: the start of the time table.
[[nodiscard]] int run_program(int argc, char** argv, const HlocImport& import_hloc = {},
                              const jobs::StageTimes& times = jobs::StageTimes());

}  // namespace bifocal::cli
