// SPDX-License-Identifier: BSD-3-Clause
// An Error is thrown on misuse and on input or output that fails. Degenerate geometry is never
// thrown: it is a result with a reason (see Outcome in robust.hpp).
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

// Ending a long call from outside: by a signal, a button, a deadline.

// Thrown by a call that was ended, where the function that asked for it did not throw itself.
class Cancelled : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "cancelled"; }
};

// While one lives, calls of the thread that made it ask `wanted` every 20 milliseconds, in this
// thread, whether to end; on true they throw Cancelled, and what `wanted` throws comes out of the
// call. Their threads end with them. What a call was to change (a Collection, buffers that were
// given) is then in an unknown but valid state. Between packages of work on a CPU, rounds of a
// robust search and pieces of a batch on any device; work that a GPU was given runs to its end.
// One inside another takes its place.
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

// Loops of the caller's own between calls ask this: it throws when the scope of this thread is to
// end, and is cheap enough for every few microseconds.
void check_cancelled();

}  // namespace bifocal
