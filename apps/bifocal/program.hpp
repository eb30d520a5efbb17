// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace bifocal::cli {

// Runs the program `bifocal` in this process, for its executable and for the console script of the
// Python package. Changes the handlers of SIGPIPE, SIGINT, SIGTERM and SIGHUP, and ignores argv[0].
// Returns the exit code; prints errors on stderr and throws none.
[[nodiscard]] int run_program(int argc, char** argv);

}  // namespace bifocal::cli
