// SPDX-License-Identifier: BSD-3-Clause
#include "robust/chance.hpp"

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

double log_false_alarms(int inliers, int count, int sample_size, int max_solutions,
                        double chance_rate) {
  return (log_binomial(count, sample_size) + std::log(max_solutions) +
          log_binomial_tail(count - sample_size, inliers - sample_size, chance_rate)) /
         std::numbers::ln10;
}

}  // namespace bifocal::robust
