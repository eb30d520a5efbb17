// SPDX-License-Identifier: BSD-3-Clause
// Cancellation: loops test whether the caller requested their end (bifocal/error.hpp).
#pragma once

#include <bifocal/error.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bifocal::runtime {

// Returns the cancel scope of this thread, to pass to its worker threads (CancelledBy); null
// without a scope.
[[nodiscard]] CancelScope::State* cancel_state() noexcept;

// Makes this thread work for the scope during the object's lifetime.
class CancelledBy {
 public:
  explicit CancelledBy(CancelScope::State* state) noexcept;
  ~CancelledBy();
  CancelledBy(const CancelledBy&) = delete;
  CancelledBy& operator=(const CancelledBy&) = delete;

 private:
  CancelScope::State* outer_;
};

// Throws the exception that ends a cancelled loop: in the scope's own thread the exception of
// `wanted` if it threw, otherwise Cancelled.
[[noreturn]] void throw_cancelled(const CancelScope::State& state);

// Cancellation test for very frequent calls: tests every 4096th time, because a test in each call
// would cost time.
class CancelTicks {
 public:
  void operator()() {
    if (++count_ % 4096 == 0) check_cancelled();
  }

 private:
  unsigned count_ = 0;
};

// Appends zeros up to `size` numbers and tests for cancellation, because gigabytes of new
// memory take seconds.
template <class T>
void grow(std::vector<T>& numbers, std::size_t size) {
  constexpr std::size_t kStep = (std::size_t{4} << 20) / sizeof(T);
  numbers.reserve(size);
  while (numbers.size() < size) {
    check_cancelled();
    numbers.resize(std::min(size, numbers.size() + kStep));
  }
}

}  // namespace bifocal::runtime
