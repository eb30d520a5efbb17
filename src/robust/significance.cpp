// SPDX-License-Identifier: BSD-3-Clause
#include "robust/significance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace bifocal::robust {
namespace {

// log n! (std::lgamma writes to a global variable).
double log_factorial(double n) {
  double shift = 0;
  for (; n < 10; ++n) shift -= std::log(n + 1);
  const double x = n + 1;  // Stirling's series of log gamma(x)
  return shift + (x - 0.5) * std::log(x) - x + 0.5 * std::log(2 * std::numbers::pi) + 1 / (12 * x) -
         1 / (360 * x * x * x);
}

double log_binomial(double n, double k) {
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

}  // namespace

double log_binomial_tail(int n, int k, double p) {
  if (k <= 0 || p >= 1) return 0;
  if (p <= 0) return -std::numeric_limits<double>::infinity();
  double term = 1, sum = 1;  // relative to the first term
  for (int i = k; i < n && term > 1e-12 * sum; ++i) {
    term *= (n - i) * p / ((i + 1) * (1 - p));
    sum += term;
  }
  return std::min(0.0,
                  log_binomial(n, k) + k * std::log(p) + (n - k) * std::log1p(-p) + std::log(sum));
}

double log_false_alarms(int inliers, int count, int sample_size, int free_matches,
                        int max_solutions, double samples, double chance_rate) {
  if (count <= free_matches) return 0;
  return (std::min(std::log(samples), log_binomial(count, sample_size)) + std::log(max_solutions) +
          log_binomial_tail(count - free_matches, inliers - free_matches, chance_rate)) /
         std::numbers::ln10;
}

bool is_significant(ModelKind problem, double significance, const RobustOptions& options,
                    int tries) {
  return significance <
         log10_alarms_of(ransac_steps(problem).log10_false_alarms, options) - std::log10(tries);
}

Outcome test_significance(ModelKind problem, const ransac_result& found, const pair_info& info,
                          const pair_work& work, double& significance) {
  const RansacSteps& steps = ransac_steps(problem);
  const auto outcome = static_cast<int>(found.outcome);
  if (outcome == FOUND_NO_SOLUTION) return Outcome::degenerate_sample;
  if (outcome == FOUND_NO_FIT) return Outcome::no_model;
  const double rate = std::max(found.chance, info.chance);
  const auto false_alarms = [&](int inliers, int points) {
    return log_false_alarms(inliers, points, steps.sample_size, steps.free_matches, steps.slots,
                            found.tested, rate);
  };
  significance = false_alarms(static_cast<int>(found.support.inliers), work.count);
  // Collinear inliers lie near many models, so no model is significant if most matches are on
  // one line.
  const bool on_line = found.collinear > 0;
  if (on_line && 2 * found.support.inliers > work.count) return Outcome::degenerate_sample;
  if (!(significance < info.log10_alarms)) return Outcome::not_significant;
  if (on_line) return Outcome::degenerate_sample;
  if (found.plane.is_found > 0) {
    // Two matches off the plane and the plane determine F. Half of the outliers near their epipolar
    // line are on the wrong side of the epipole (support.group.h).
    const auto off = static_cast<int>(found.plane.off);
    const auto proof = static_cast<int>(found.plane.parallax);
    if (off < 2 || !(log_false_alarms(proof, off, 2, 2, 1, HUGE_VAL, rate / 2) < kLogDepthAlarms))
      return Outcome::degenerate_sample;
  }
  significance = false_alarms(work.distinct_inliers, work.distinct_points);
  if (!(significance < info.log10_alarms)) return Outcome::not_significant;
  return outcome == FOUND_ROTATION ? Outcome::rotation_only : Outcome::ok;
}

}  // namespace bifocal::robust
