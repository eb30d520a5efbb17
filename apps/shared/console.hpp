// SPDX-License-Identifier: BSD-3-Clause
// The programs share exit codes, the output to stdout and the way errors are told.
#pragma once

#include <functional>
#include <string>

namespace bifocal::cli {

// 2, 3 and 4 are the values of bifocal::ErrorCode.
inline constexpr int kExitOk = 0, kExitInternal = 1, kExitUsage = 2, kExitInput = 3,
                     kExitDevice = 4, kExitNoGeometry = 5;
// plan, run-shard and merge end with these; the numbers are those of sysexits.h.
inline constexpr int kExitPoisoned = 65, kExitTryAgain = 75;

// Data for the caller; throws Error(input) when stdout can't take it (a full disk, a closed pipe).
// Here and on stderr bytes that are no UTF-8 are replaced, so that programs can read the text.
void print_out(const std::string& data);

// The command as typed, quoted for a shell; the program goes by `name`.
[[nodiscard]] std::string command_line(const std::string& name, int argc, char** argv);

// The exit code of `body`, or of what it throws, whose message goes to stderr after `name`.
// `reworded` changes the message of an Error.
[[nodiscard]] int exit_code_of(
    const std::string& name, const std::function<int()>& body,
    const std::function<std::string(const std::string&)>& reworded = nullptr);

}  // namespace bifocal::cli
