// SPDX-License-Identifier: BSD-3-Clause
// Loops over independent work packages on all threads that the caller allows (ThreadLimit).
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

namespace bifocal::runtime {

// Calls body(i) once for every i in [0, count), in any order, on any thread. Results must not
// depend on order or thread. The first exception of a body is rethrown here.
void parallel_for(int count, const std::function<void(int)>& body);

// Calls body(i) once for every array index i in [0, count), in parallel. `block` consecutive
// indices run on one thread.
template <class Body>
void parallel_each(std::size_t count, const Body& body, std::size_t block = 1) {
  parallel_for(static_cast<int>((count + block - 1) / block), [&](int number) {
    const std::size_t first = block * static_cast<std::size_t>(number);
    for (std::size_t i = first; i < std::min(count, first + block); ++i) body(i);
  });
}

// Calls body(i) for all i in [0, count) concurrently: body(0) on the caller's thread, each further
// call on a new thread under the caller's CancelScope. Returns when all calls have ended, or throws
// the exception of the lowest i.
void run_on_threads(int count, const std::function<void(int)>& body);

// Returns the number of threads that parallel_for may use now. It is the best number of bands for
// work with a fixed cost per band.
[[nodiscard]] int thread_count();

}  // namespace bifocal::runtime
