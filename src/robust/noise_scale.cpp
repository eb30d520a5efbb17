// SPDX-License-Identifier: BSD-3-Clause
#include "robust/noise_scale.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace bifocal::robust {
namespace {

constexpr size_t kBins = 128;
constexpr int kRounds = 20;

struct Histogram {
  std::array<double, kBins> count{}, sum{};  // points, sum of their squared errors
};

Histogram histogram_of(std::span<const double> squared_errors, double window) {
  Histogram h;
  const double limit = window * window, scale = kBins / window;
  for (const double e : squared_errors) {
    if (!(e < limit)) continue;
    const auto bin = std::min(kBins - 1, static_cast<size_t>(std::sqrt(e) * scale));
    h.count[bin] += 1;
    h.sum[bin] += e;
  }
  return h;
}

}  // namespace

double noise_scale(std::span<const double> squared_errors, int dof, double window, double sigma) {
  const Histogram h = histogram_of(squared_errors, window);
  double share = 0.5;
  for (int round = 0; round < kRounds; ++round) {
    // Densities of a residual vector among inliers and among wrong matches (uniform in an interval
    // or a disc of radius `window`), divided by the Gaussian's peak.
    const double ratio = std::sqrt(std::numbers::pi / 2) * sigma / window;
    const double background = dof == 1 ? ratio : 2 * sigma * sigma / (window * window);
    double inside = 0, all = 0, squares = 0;
    for (size_t b = 0; b < kBins; ++b) {
      if (h.count[b] == 0) continue;
      const double e = h.sum[b] / h.count[b];
      const double in = share * std::exp(-0.5 * e / (sigma * sigma)),
                   out = (1 - share) * background;
      const double weight = in + out > 0 ? in / (in + out) : 0;
      inside += weight * h.count[b];
      squares += weight * h.sum[b];
      all += h.count[b];
    }
    if (!(inside > 0)) return sigma;
    const double previous = sigma;
    share = inside / all;
    sigma = std::sqrt(squares / (dof * inside));
    if (!(std::abs(sigma - previous) > 1e-3 * previous)) break;
  }
  return sigma;
}

}  // namespace bifocal::robust
