// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "robust/ransac_pair.hpp"

namespace bifocal::robust {

// Evidence of depth off a plane is significant if log_false_alarms is below this. pair_info has the
// limit for the model of a pair.
inline constexpr double kLogDepthAlarms = -2;

// Returns log10 of the expected number of models that reach this support by chance. It is the
// number of samples (at most the number of distinct samples), times max_solutions, times the
// probability that at least `inliers` - `free_matches` of the remaining matches are inliers of a
// random model. free_matches: matches that every model fits.
//   L. Moisan, B. Stival, A probabilistic criterion to detect rigid point matches, IJCV
//   57(3), 2004.
[[nodiscard]] double log_false_alarms(int inliers, int count, int sample_size, int free_matches,
                                      int max_solutions, double samples, double chance_rate);

// Natural logarithm of the probability of at least k successes in n trials of probability p.
[[nodiscard]] double log_binomial_tail(int n, int k, double p);

// Returns whether `significance`, a value of log_false_alarms, is below the level of the options
// divided by `tries`, the number of models from which the best was chosen.
[[nodiscard]] bool is_significant(ModelKind problem, double significance,
                                  const RobustOptions& options, int tries);

// Tests whether the support of a model is improbable for outliers. significance: receives the value
// of log_false_alarms.
[[nodiscard]] Outcome test_significance(ModelKind problem, const ransac_result& found,
                                        const pair_info& info, const pair_work& work,
                                        double& significance);

}  // namespace bifocal::robust
