// SPDX-License-Identifier: BSD-3-Clause
// Loops over independent work packages on all threads the caller allows (ThreadLimit).
#pragma once

#include <functional>

namespace bifocal::runtime {

// Calls body(i) once for every i in [0, count), in any order, on any thread. Results must not
// depend on either. The first exception thrown by a body is rethrown here.
void parallel_for(int count, const std::function<void(int)>& body);

// Calls body(i) once for every i in [0, count) at the same time: body(0) on the caller's thread,
// each other one on a thread of its own that works for the caller's CancelScope. Returns when all
// have ended, or throws what the first of them by number threw.
void run_on_threads(int count, const std::function<void(int)>& body);

// The number of threads parallel_for may use now: into how many bands work with a cost per band is
// best cut.
[[nodiscard]] int thread_count();

}  // namespace bifocal::runtime
