// SPDX-License-Identifier: BSD-3-Clause
#include "features/sift/scale_space.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bifocal::features {
namespace {

// Weights exp(-(i - centre)^2 / (2 sigma^2)), i = -radius..radius, sum 1.
std::vector<double> sampled_gaussian(int radius, double centre, double sigma) {
  std::vector<double> taps;
  for (int i = -radius; i <= radius; ++i)
    taps.push_back(std::exp(-0.5 * (i - centre) * (i - centre) / (sigma * sigma)));
  const double sum = std::accumulate(taps.begin(), taps.end(), 0.0);
  for (double& t : taps) t /= sum;
  return taps;
}

double variance(const std::vector<double>& taps, int radius) {
  double sum = 0;
  for (int i = -radius; i <= radius; ++i) sum += taps[static_cast<std::size_t>(i + radius)] * i * i;
  return sum;
}

}  // namespace

Kernel gaussian_kernel(double sigma) {
  const int radius = std::max(1, static_cast<int>(std::ceil(3 * sigma)));
  double low = 0.5 * sigma, high = 2 * sigma;  // the variance grows with the width
  for (int i = 0; i < 50; ++i) {
    const double middle = 0.5 * (low + high);
    (variance(sampled_gaussian(radius, 0, middle), radius) < sigma * sigma ? low : high) = middle;
  }
  const std::vector<double> taps = sampled_gaussian(radius, 0, low);
  return {radius, {taps.begin(), taps.end()}};
}

Kernel quarter_pixel_kernel(double sigma) {
  const int radius = static_cast<int>(std::ceil(4 * sigma + 0.25));
  const std::vector<double> taps = sampled_gaussian(radius, -0.25, sigma);
  return {radius, {taps.begin(), taps.end()}};
}

}  // namespace bifocal::features
