// SPDX-License-Identifier: BSD-3-Clause
// Python's Pair, the result of estimate_pair(), with its photographs.
#pragma once

#include <bifocal/jobs.hpp>
#include <string>

#include "photograph.hpp"

namespace bifocal::python {

struct Pair {
  PhotographArgument left, right;
  jobs::Cameras cameras;
  PairResult result;
  std::string device;
  std::uint64_t seed = 0;
};

// Return the state of a pickle, and make a pair of it in uninitialised memory. restore() raises
// ValueError for a state of another version or platform, and for damaged bytes.
[[nodiscard]] nb::tuple state_of(const Pair& pair);
void restore(Pair& pair, const nb::tuple& state);

}  // namespace bifocal::python
