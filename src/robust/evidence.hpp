// SPDX-License-Identifier: BSD-3-Clause
// What the inliers of a model prove.
#pragma once

#include "robust/pair_points.hpp"

namespace bifocal::robust {

// Matches that share a point are one piece of evidence.
struct Evidence {
  int count;    // different points, in the image (or scene) that has fewer
  int inliers;  // of them inliers
};

// columns: of a point; squared_errors: of all points under the model, in their order.
[[nodiscard]] Evidence evidence_of(int columns, const PairPoints& pair,
                                   const std::vector<double>& squared_errors);

}  // namespace bifocal::robust
