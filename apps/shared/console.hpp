// SPDX-License-Identifier: BSD-3-Clause
// Exit codes, output to stdout and error messages, common to all programs.
#pragma once

#include <functional>
#include <string>

namespace bifocal::cli {

// Values 2, 3 and 4 equal bifocal::ErrorCode; 130 is a shell's code for SIGINT.
inline constexpr int kExitOk = 0, kExitInternal = 1, kExitUsage = 2, kExitInput = 3,
                     kExitDevice = 4, kExitNoGeometry = 5, kExitInterrupted = 130;
// Exit codes of plan, run-shard and merge; the numbers are from sysexits.h.
inline constexpr int kExitPoisoned = 65, kExitTryAgain = 75;

// Writes data to stdout. Throws Error(input) if stdout rejects it (a full disk, a closed pipe).
// Invalid UTF-8 is replaced, here and on stderr, so that programs can read the text.
void print_out(const std::string& data);

// Returns the command as typed, quoted for a shell, with `name` as the name of the program.
[[nodiscard]] std::string command_line(const std::string& name, int argc, char** argv);

// Runs `body` and returns its exit code. If it throws, prints the message to stderr after `name`
// and returns the code of the exception. `reworded` may change the message of an Error.
[[nodiscard]] int exit_code_of(
    const std::string& name, const std::function<int()>& body,
    const std::function<std::string(const std::string&)>& reworded = nullptr);

}  // namespace bifocal::cli
