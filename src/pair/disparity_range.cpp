// SPDX-License-Identifier: BSD-3-Clause
#include "pair/disparity_range.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace bifocal::pair {
namespace {

double mapped_x(const Mat3& H, double x, double y) {
  return (H[0] * x + H[1] * y + H[2]) / (H[6] * x + H[7] * y + H[8]);
}

}  // namespace

DisparityRange disparity_range(const Rectification& rectification,
                               std::span<const PointPair> points,
                               std::span<const std::uint8_t> inliers) {
  std::vector<double> disparities;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!inliers[i]) continue;
    const auto& [x1, y1, x2, y2] = points[i];
    const double left = rectification.swapped ? mapped_x(rectification.H1, x2, y2)
                                              : mapped_x(rectification.H1, x1, y1);
    const double right = rectification.swapped ? mapped_x(rectification.H2, x1, y1)
                                               : mapped_x(rectification.H2, x2, y2);
    if (std::isfinite(left - right)) disparities.push_back(left - right);
  }
  if (disparities.empty()) return {};
  std::sort(disparities.begin(), disparities.end());
  const std::size_t trimmed = disparities.size() / 100;
  const double lo = disparities[trimmed], hi = disparities[disparities.size() - 1 - trimmed];
  const double margin = std::max(8.0, 0.2 * (hi - lo));
  constexpr double kFarthest =
      1e6;  // px: beyond lies a point at the horizon of the warp; no search covers it
  if (lo - margin < -kFarthest || hi + margin > kFarthest)
    return {0, std::numeric_limits<int>::max()};
  const int min = static_cast<int>(std::floor(lo - margin));
  return {min, static_cast<int>(std::ceil(hi + margin)) + 1 - min};
}

}  // namespace bifocal::pair
