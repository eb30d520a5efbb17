// SPDX-License-Identifier: BSD-3-Clause
// The library throws an Error on misuse and on failed input or output. Degenerate geometry never
// throws: it is a result with a reason (Outcome in robust.hpp).
#pragma once

#include <bifocal/cxx20.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

namespace bifocal {

enum class ErrorCode {
  usage = 2,   // an argument is out of its range, or arguments contradict each other
  input = 3,   // a file is missing, damaged, of the wrong format or too large, or a file cannot
               // be written
  device = 4,  // the device does not exist or failed
};

// An error whose message names the file, argument and value concerned. The value of its code is the
// exit code of the command line.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

// An Error(input) whose cause may be temporary: a full disk, a file locked by another process, or
// insufficient memory.
class TryAgain : public Error {
 public:
  explicit TryAgain(const std::string& message) : Error(ErrorCode::input, message) {}
};

// Cancellation of a long call from outside, by a signal, a button or a deadline.

// Thrown by a call that was cancelled, unless the function that requested it threw an
// exception itself.
class Cancelled : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "cancelled"; }
};

// Makes the calls of this thread cancellable for the lifetime of the object. They ask `wanted`
// every 20 ms, in this thread, whether to end. If it returns true they throw Cancelled; if it
// throws, the call throws the same exception. Worker threads of a call end with it.
//
// Calls check between packages of work on a CPU, between rounds of robust estimation, and between
// pieces of a batch on any device; kernels already launched on a GPU run to completion. Objects
// that a cancelled call was changing (a Collection, given buffers) are left in an unspecified but
// valid state. A nested scope replaces the outer one until it is destroyed.
class CancelScope {
 public:
  explicit CancelScope(std::function<bool()> wanted);
  ~CancelScope();
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;

  struct State;

 private:
  std::unique_ptr<State> state_;
  State* outer_;
};

// Throws if the CancelScope of this thread requests the end; for loops of the caller between calls.
// Cheap enough to call every few microseconds.
void check_cancelled();

}  // namespace bifocal
