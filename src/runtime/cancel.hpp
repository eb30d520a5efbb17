// SPDX-License-Identifier: BSD-3-Clause
// Where loops look whether the caller wants them to end (bifocal/cancel.hpp).
#pragma once

#include <bifocal/cancel.hpp>

namespace bifocal::runtime {

// The scope of this thread, for threads that work for it: null or what CancelledBy takes there.
[[nodiscard]] CancelScope::State* cancel_state() noexcept;

// Has this thread work for the scope while it lives.
class CancelledBy {
 public:
  explicit CancelledBy(CancelScope::State* state) noexcept;
  ~CancelledBy();
  CancelledBy(const CancelledBy&) = delete;
  CancelledBy& operator=(const CancelledBy&) = delete;

 private:
  CancelScope::State* outer_;
};

// What a loop throws that others' Cancelled has ended: in the scope's own thread what `wanted`
// threw, if it did.
[[noreturn]] void throw_cancelled(const CancelScope::State& state);

}  // namespace bifocal::runtime
