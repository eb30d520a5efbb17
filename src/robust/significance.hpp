// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "robust/ransac_pair.hpp"

namespace bifocal::robust {

// Depth beside a plane is significant below this logarithm (base 10) of the expected number of
// models; for a model of the whole pair its problem says it (RansacSteps).
inline constexpr double kLogDepthAlarms = -2;

// Logarithm (base 10) of the expected number of models as well supported as this one among
// outliers: number of samples it takes to find so many inliers, or of different ones where those
// are fewer, times the probability that `inliers` - `free_matches` of the other points agree by
// chance: any model agrees with so many.
//   L. Moisan, B. Stival, A probabilistic criterion to detect rigid point matches, IJCV 57(3),
//   2004.
[[nodiscard]] double log_false_alarms(int inliers, int count, int sample_size, int free_matches,
                                      int max_solutions, double samples, double chance_rate);

// Natural logarithm of the probability of at least k successes in n trials of probability p.
[[nodiscard]] double log_binomial_tail(int n, int k, double p);

// Decides whether a model is significant: hardly any model of outliers would have as much
// support. significance: log10 of the expected number of such models.
[[nodiscard]] Outcome test_significance(ModelKind problem, const ransac_result& found,
                                        const pair_info& info, const pair_work& work,
                                        double& significance);

}  // namespace bifocal::robust
