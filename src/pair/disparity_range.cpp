// SPDX-License-Identifier: BSD-3-Clause
#include "pair/disparity_range.hpp"

#include <vector>

namespace bifocal::pair {

DisparityRange disparity_range(const Rectification& rectification,
                               std::span<const PointPair> points,
                               std::span<const std::uint8_t> inliers) {
  std::vector<PointPair> kept;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (inliers[i]) kept.push_back(points[i]);
  return bifocal::disparity_range(rectification, kept);
}

}  // namespace bifocal::pair
