// SPDX-License-Identifier: BSD-3-Clause
// Loops over independent work packages on all threads the caller allows (ThreadLimit).
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

namespace bifocal::runtime {

// Calls body(i) once for every i in [0, count), in any order, on any thread. Results must not
// depend on either. The first exception thrown by a body is rethrown here.
void parallel_for(int count, const std::function<void(int)>& body);

// The same with indices of arrays, `block` of them after each other on one thread.
template <class Body>
void parallel_each(std::size_t count, const Body& body, std::size_t block = 1) {
  parallel_for(static_cast<int>((count + block - 1) / block), [&](int number) {
    const std::size_t first = block * static_cast<std::size_t>(number);
    for (std::size_t i = first; i < std::min(count, first + block); ++i) body(i);
  });
}

// Calls body(i) once for every i in [0, count) at the same time: body(0) on the caller's thread,
// each other one on a thread of its own that works for the caller's CancelScope. Returns when all
// have ended, or throws what the first of them by number threw.
void run_on_threads(int count, const std::function<void(int)>& body);

// The number of threads parallel_for may use now: into how many bands work with a cost per band is
// best cut.
[[nodiscard]] int thread_count();

}  // namespace bifocal::runtime
