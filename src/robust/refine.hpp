// SPDX-License-Identifier: BSD-3-Clause
// Levenberg-Marquardt on the robust gain.
#pragma once

#include "robust/problem.hpp"

namespace bifocal::robust {

struct RefineOptions {
  bool in_double = false;  // precision of the sums over the points
  bool smooth = false;     // biweight instead of MSAC
  double inverse_squared_threshold = 1;
  int max_steps = 10;
  double tolerance = 1e-4;  // ends when a step gains less than this share
};

struct Refined {
  double gain = 0, inliers = 0, squared_errors = 0;  // at the new model
  int steps = 0;
};

// Replaces `model` by a better one nearby, never by a worse one.
Refined refine(const Problem& problem, const Points& points, const RefineOptions& options,
               Model& model);

}  // namespace bifocal::robust
