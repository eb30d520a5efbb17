// SPDX-License-Identifier: BSD-3-Clause
// When to believe a model: when wrong matches would hardly support one as well.
#pragma once

namespace bifocal::robust {

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
