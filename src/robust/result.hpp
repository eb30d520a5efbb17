// SPDX-License-Identifier: BSD-3-Clause
// From what the search found to what the caller gets.
#pragma once

#include "robust/search.hpp"

namespace bifocal::robust {

// Outcome, iterations and, of a found model, inlier flags, count, gain, rms and noise. order[i]:
// original index of point i; `length`: px a unit of the errors.
void fill_result(const Problem& problem, const std::vector<int>& order, double length,
                 const SearchResult& found, RobustResult& result);

// Throws Error(usage) naming the camera.
void check_camera(const char* name, const Intrinsics& camera);

}  // namespace bifocal::robust
