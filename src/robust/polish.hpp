// SPDX-License-Identifier: BSD-3-Clause
// The last refinement of a model found by the search.
#pragma once

#include "robust/columns.hpp"
#include "robust/problem.hpp"

namespace bifocal::robust {

// The points whose squared error is below `window`^2.
[[nodiscard]] Columns points_near(const Problem& problem, const std::vector<double>& squared_errors,
                                  double window);

struct Polished {
  int inliers = 0;   // within the threshold
  double noise = 0;  // standard deviation of a coordinate, in scoring coordinates
};

// Estimates the scale of the noise and refines to convergence in double precision with biweights on
// that scale, in turn: neither depends on how well the threshold was set.
Polished polish(const Problem& problem, Model& model);

}  // namespace bifocal::robust
