// SPDX-License-Identifier: BSD-3-Clause
// Writes the files of `bifocal pair`, for the program and for the Python package.
#pragma once

#include <bifocal/two_photographs.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cameras.hpp"
#include "output_folder.hpp"

namespace bifocal::cli {

struct PairFiles {
  std::string left, right, command_line;  // names of the photographs, shown on the page
  const ImageU8 &image1, &image2;
  const Cameras& cameras;
  const PairResult& result;
  std::string device;
  std::uint64_t seed = 0;
  bool all_files = false;  // also the same data in other formats and at full density
  // Python expressions of the photographs for the page's next command; empty: the command line.
  std::string python_left = {}, python_right = {};
  bool has_files = true;  // false: a photograph is an array in memory
};

// Returns the names of all files, including files of older versions.
[[nodiscard]] const std::vector<std::string>& pair_file_names();
// Returns the content of geometry.json. Except for the durations it is the same for one seed and
// any number of threads.
[[nodiscard]] Json geometry_json(const PairFiles& in);
// Writes the files. Adds the time of writing and the number of points of cloud.ply to `geometry`.
// Returns this number, 0 without depth.
std::size_t write_pair_files(const PairFiles& in, Json& geometry, OutputFolder& folder);
// Writes the files into a folder, or none. inputs: files that must not be replaced.
void write_pair(const PairFiles& in, const std::filesystem::path& folder,
                const std::vector<std::string>& inputs, bool overwrite);

}  // namespace bifocal::cli
