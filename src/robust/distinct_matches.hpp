// SPDX-License-Identifier: BSD-3-Clause
// Matches that share a point count once in the significance test.
#pragma once

#include "robust/pair_points.hpp"

namespace bifocal::robust {

struct DistinctMatches {
  int count;    // different points, in the image (or scene) that has fewer
  int inliers;  // inliers among them
};

// columns: of a point; squared_errors: of all points under the model, in their order.
[[nodiscard]] DistinctMatches distinct_matches(int columns, const PairPoints& pair,
                                               const std::vector<double>& squared_errors);

}  // namespace bifocal::robust
