// SPDX-License-Identifier: BSD-3-Clause
// Loops look here whether the caller wants them to end (bifocal/error.hpp).
#pragma once

#include <bifocal/error.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

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

// A loop that others' Cancelled has ended throws this: in the scope's own thread what `wanted`
// threw, if it did.
[[noreturn]] void throw_cancelled(const CancelScope::State& state);

// This is for what is called so often that looking each time would cost: it looks every 4096th
// time.
class CancelTicks {
 public:
  void operator()() {
    if (++count_ % 4096 == 0) check_cancelled();
  }

 private:
  unsigned count_ = 0;
};

// Zeros appended until there are `size`: gigabytes of new memory take seconds.
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
