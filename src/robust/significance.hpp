// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "robust/ransac_pair.hpp"

namespace bifocal::robust {

// Evidence of depth off a plane is significant if log_false_alarms is below this. The limit for a
// model of the whole pair is in pair_info.
inline constexpr double kLogDepthAlarms = -2;

// Returns log10 of the expected number of models that reach this support by chance. It is the
// number of samples (at most the number of different samples) times the probability that at least
// `inliers` - `free_matches` of the remaining matches are inliers of a random model. free_matches:
// matches that every model fits.
//   L. Moisan, B. Stival, A probabilistic criterion to detect rigid point matches, IJCV 57(3),
//   2004.
[[nodiscard]] double log_false_alarms(int inliers, int count, int sample_size, int free_matches,
                                      int max_solutions, double samples, double chance_rate);

// Natural logarithm of the probability of at least k successes in n trials of probability p.
[[nodiscard]] double log_binomial_tail(int n, int k, double p);

// Returns whether log_false_alarms, `significance`, is below the level of the options divided by
// the number of tries, i.e. of models of which one is taken.
[[nodiscard]] bool is_significant(ModelKind problem, double significance,
                                  const RobustOptions& options, int tries);

// Tests whether a model is significant, i.e. its support is improbable for outliers. significance:
// the value of log_false_alarms.
[[nodiscard]] Outcome test_significance(ModelKind problem, const ransac_result& found,
                                        const pair_info& info, const pair_work& work,
                                        double& significance);

}  // namespace bifocal::robust
