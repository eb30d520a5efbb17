// SPDX-License-Identifier: BSD-3-Clause
// When to stop sampling, when to give a model up, and when to believe one.
#pragma once

#include "robust/kernels.hpp"

namespace bifocal::robust {

// Samples of `sample_size` until one is free of outliers with probability `confidence`, when
// `inliers` of `count` points are inliers; at most `most`.
[[nodiscard]] int samples_needed(double inliers, int count, int sample_size, double confidence,
                                 int most);

// Where a model that has to beat `best` of `count` points is given up: where it cannot win any
// more, and where one that would win is as far behind by chance with a probability below 3.2e-5 (4
// sigma).
[[nodiscard]] Stages stages_for(double best, int count, int padded);

// Logarithm (base 10) of the expected number of models as well supported as this one among wrong
// matches: number of possible samples times the probability that `inliers` - `sample_size` of the
// other points agree by chance.
//   L. Moisan, B. Stival, A probabilistic criterion to detect rigid point matches, IJCV 57(3),
//   2004.
[[nodiscard]] double log_false_alarms(int inliers, int count, int sample_size, int max_solutions,
                                      double chance_rate);
// A model is believed below this expected number.
inline constexpr double kLogFalseAlarms = -2;

}  // namespace bifocal::robust
