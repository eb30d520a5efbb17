// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/geometry.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bifocal::verify {

// Returns the correspondences whose inlier flag is set. inliers: one flag per correspondence.
[[nodiscard]] inline std::vector<PointPair> inlier_points(std::span<const PointPair> points,
                                                          std::span<const std::uint8_t> inliers) {
  std::vector<PointPair> kept;
  for (std::size_t i = 0; i < inliers.size(); ++i)
    if (inliers[i]) kept.push_back(points[i]);
  return kept;
}

}  // namespace bifocal::verify
