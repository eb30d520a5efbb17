// SPDX-License-Identifier: BSD-3-Clause
// Ending a long call from outside: by a signal, a button, a deadline.
#pragma once

#include <exception>
#include <functional>
#include <memory>

namespace bifocal {

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
