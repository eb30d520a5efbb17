// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/parallel.hpp"

namespace bifocal::mapping {

// Sets of the numbers [0, size) that several threads join at the same time (union-find). The root
// of a set is its smallest number, whatever the order of the calls. At most 2^32 numbers.
class ConcurrentSets {
 public:
  explicit ConcurrentSets(std::size_t size) : parents_(size) {
    runtime::parallel_each(
        size, [&](std::size_t i) { parents_[i] = static_cast<std::uint32_t>(i); }, 1U << 16U);
  }

  std::uint32_t root(std::uint32_t i) {
    for (std::uint32_t parent = load(i); parent != i;) {
      const std::uint32_t next = load(parent);
      // An ancestor of a number remains one, so it does not matter which thread stores last.
      if (next != parent) at(i).store(next, std::memory_order_relaxed);
      i = parent, parent = next;
    }
    return i;
  }

  void join(std::uint32_t a, std::uint32_t b) {
    while ((a = root(a)) != (b = root(b))) {
      const std::uint32_t smaller = std::min(a, b), larger = std::max(a, b);
      std::uint32_t expected = larger;
      if (at(larger).compare_exchange_weak(expected, smaller, std::memory_order_relaxed)) return;
    }
  }

 private:
  std::atomic_ref<std::uint32_t> at(std::uint32_t i) { return std::atomic_ref(parents_[i]); }
  std::uint32_t load(std::uint32_t i) { return at(i).load(std::memory_order_relaxed); }

  std::vector<std::uint32_t> parents_;  // smaller than their children; roots are their own
};

}  // namespace bifocal::mapping
