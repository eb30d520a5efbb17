// SPDX-License-Identifier: BSD-3-Clause
// The loop of a robust estimate: sample, solve, score, refine, stop.
//   M. Fischler, R. Bolles, CACM 24(6), 1981;  O. Chum, J. Matas, J. Kittler, Locally optimized
//   RANSAC, DAGM 2003.
#pragma once

#include <bifocal/robust.hpp>

#include "robust/problem.hpp"

namespace bifocal::robust {

struct SearchResult {
  Outcome outcome = Outcome::no_model;
  Model model{};
  double noise = 0;  // standard deviation, in scoring coordinates
  int inliers = 0;
  int iterations = 0;
};

// Throws Error(usage) naming the first option out of range.
void check_options(const RobustOptions& options);

// `problem` has at least its sample size of points, in random order.
[[nodiscard]] SearchResult search(const Problem& problem, const RobustOptions& options);

}  // namespace bifocal::robust
