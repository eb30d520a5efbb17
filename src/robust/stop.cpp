// SPDX-License-Identifier: BSD-3-Clause
#include "robust/stop.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace bifocal::robust {
namespace {

// log n! (std::lgamma writes a global).
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

// log of the probability of at least k successes in n trials of probability p.
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

}  // namespace

int samples_needed(double inliers, int count, int sample_size, double confidence, int most) {
  const double clean = std::pow(std::min(inliers / count, 1.0), sample_size);
  if (!(clean > 0)) return most;
  if (clean >= 1) return 1;
  const double needed = std::ceil(std::log1p(-confidence) / std::log1p(-clean));
  return needed < most ? std::max(1, static_cast<int>(needed)) : most;
}

Stages stages_for(double best, int count, int padded) {
  constexpr double kSigmas = 4;
  Stages stages;
  const double rate = std::clamp(best / count, 0.0, 1.0);
  for (int end = 128; end < padded && stages.count < Stages::kMost - 1; end *= 2) {
    const double seen = std::min(end, count);
    const double hopeless = best - (count - seen);
    const double unlikely = seen * rate - kSigmas * std::sqrt(seen * rate * (1 - rate));
    const auto k = static_cast<unsigned>(stages.count++);
    stages.ends[k] = end;
    stages.floors[k] = static_cast<float>(std::max({hopeless, unlikely, -1.0}));
  }
  const auto last = static_cast<unsigned>(stages.count++);
  stages.ends[last] = padded;
  stages.floors[last] = static_cast<float>(best);
  return stages;
}

double log_false_alarms(int inliers, int count, int sample_size, int max_solutions,
                        double chance_rate) {
  return (log_binomial(count, sample_size) + std::log(max_solutions) +
          log_binomial_tail(count - sample_size, inliers - sample_size, chance_rate)) /
         std::numbers::ln10;
}

}  // namespace bifocal::robust
