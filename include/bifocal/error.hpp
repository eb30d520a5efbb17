// SPDX-License-Identifier: BSD-3-Clause
// An Error is thrown on misuse and on input or output that fails. Degenerate geometry is never
// thrown: it is a result with a reason (see Outcome in robust.hpp).
#pragma once

#include <stdexcept>
#include <string>

namespace bifocal {

enum class ErrorCode {
  usage = 2,   // an argument is out of its range, or arguments contradict each other
  input = 3,   // a file is missing, damaged, of the wrong format or too large; or a file can't be
               // written
  device = 4,  // no such device, or the device failed
};

// The message names the file, argument and value it is about. The code's value is the exit code of
// the command line.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

// An Error(input) whose cause may pass: a full disk, a file that another process holds, no memory.
class TryAgain : public Error {
 public:
  explicit TryAgain(const std::string& message) : Error(ErrorCode::input, message) {}
};

}  // namespace bifocal
