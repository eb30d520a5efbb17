// SPDX-License-Identifier: BSD-3-Clause
#include "robust/ransac.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bifocal/error.hpp>
#include <cmath>

#include "robust/pair_points.hpp"
#include "robust/scalar_math.hpp"

namespace bifocal::robust {
namespace {

// From kManyMatches matches on, the smallest inlier ratio to find in one pair does not depend
// on the number of matches. kBatchRatio is the ratio for which hypotheses_before_giving_up
// was measured.
constexpr double kManyMatches = 1000, kBatchRatio = 0.2;

}  // namespace

// Each problem is compiled in a unit of its own.
#define BIFOCAL_PROBLEM(name, ...) const RansacSteps& name##_steps();
#include <bifocal/problems.def>
#undef BIFOCAL_PROBLEM

const RansacSteps& ransac_steps(ModelKind problem) {
  using Steps = const RansacSteps& (*)();
  static constexpr Steps kSteps[] = {
#define BIFOCAL_PROBLEM(name, ...) name##_steps,
#include <bifocal/problems.def>
#undef BIFOCAL_PROBLEM
  };
  return kSteps[static_cast<std::size_t>(problem)]();
}

void check_is_built(const char* where, ModelKind problem) {
  check_is_built(where, problem, ransac_steps(problem));
}

void check_is_built(const char* where, ModelKind problem, const RansacSteps& steps) {
  if (steps.solve) return;
  throw Error(ErrorCode::device,
              fmt::format("{}: {} is not in this build (it is with -DBIFOCAL_PROBLEMS=all "
                          "-DBIFOCAL_GENERATED_SOLVERS=ON)",
                          where, to_string(problem)));
}

RansacLimits limits_of(const RobustOptions& options) {
  return {options.min_iterations, options.max_iterations, std::log1p(-options.confidence),
          options.min_inlier_ratio};
}

double log10_alarms_of(int usual, const RobustOptions& options) {
  return options.belief > 0 ? std::log10(options.belief) : usual;
}

double one_pair_ratio(ModelKind problem, double matches, double confidence) {
  const RansacSteps& steps = ransac_steps(problem);
  const double target = 0.01 * steps.target_percent;
  if (matches >= kManyMatches) return target;
  // The formulas of iterations_without_support() of RANSAC, and their inverse.
  const double log_failure = std::log1p(-confidence), size = steps.sample_size,
               inliers_needed = size - steps.tolerated_sample_outliers;
  const double clean = steps.clean_samples * log_failure / std::log1p(-std::pow(target, size)),
               give_up_samples = steps.hypotheses_before_giving_up(kManyMatches) *
                                 std::pow(kBatchRatio / target, inliers_needed);
  const double samples = std::min(clean, give_up_samples) * (kManyMatches + steps.sample_cost) /
                         (std::max(matches, size) + steps.sample_cost);
  const double ratio_of_clean =
      std::pow(-std::expm1(steps.clean_samples * log_failure / samples), 1 / size);
  const double ratio_of_give_up =
      kBatchRatio * std::pow(steps.hypotheses_before_giving_up(std::max(matches, size)) / samples,
                             1 / inliers_needed);
  return std::clamp(std::min(ratio_of_clean, ratio_of_give_up), 0.01, 1.0);
}

void run_ransac(ModelKind problem, const GivenPair& given, const RobustOptions& options,
                PairPoints& pair, ransac_result& result) {
  const RansacSteps& steps = ransac_steps(problem);
  const RansacLimits limits = limits_of(options);
  thread_local Hypotheses hypotheses;  // its memory is reused from call to call
  constexpr size_t most = MOST_ROUND;
  hypotheses.models.resize(most * static_cast<size_t>(steps.slots * steps.model_size));
  hypotheses.counts.resize(most);
  hypotheses.scores.resize(most);
  hypotheses.slots.resize(most);
  int done = 0;
  for (int count = ScalarMath::first_round(limits.min_iterations, limits.max_iterations);
       count > 0;) {
    check_cancelled();
    const double floor = ScalarMath::score_floor(pair.state.sample_score, pair.count());
    steps.solve(pair, options.seed, done, count, hypotheses);
    check_cancelled();
    steps.score(pair, static_cast<float>(floor), count, hypotheses);
    done += count;
    check_cancelled();
    count = steps.decide(pair, limits, count, hypotheses);
  }
  check_cancelled();
  if (options.dominant_plane) steps.planes(pair, options.seed, limits);
  steps.finish(given, pair, result);
}

}  // namespace bifocal::robust
