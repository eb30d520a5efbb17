// SPDX-License-Identifier: BSD-3-Clause
// What the inliers of a model prove.
#pragma once

#include "robust/problem.hpp"

namespace bifocal::robust {

// Matches that share a point are one piece of evidence, and points on a line determine no model.
struct Evidence {
  int count;       // different points, in the image (or scene) that has fewer
  int inliers;     // of them inliers
  bool collinear;  // the inliers lie on a line in one of the images, to within the noise
};

// squared_errors: of all points under the model. noise: in the coordinates of scoring.
[[nodiscard]] Evidence evidence_of(const Problem& problem,
                                   const std::vector<double>& squared_errors, double noise);

}  // namespace bifocal::robust
