// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/stereo.hpp>

#include <cstdint>
#include <span>

namespace bifocal::pair {

// Disparities [min, min + count) px to search.
struct DisparityRange {
  int min = 0, count = 0;
};

// Covers the middle 98 % of the inliers' disparities in the rectified pictures (an inlier of the
// epipolar geometry may still be a wrong match along its line), widened at both ends by a fifth of
// their span and at least 8 px, because the sparse points needn't hold the nearest and the farthest
// surface. count = 0 without inliers.
[[nodiscard]] DisparityRange disparity_range(const Rectification& rectification,
                                             std::span<const PointPair> points,
                                             std::span<const std::uint8_t> inliers);

}  // namespace bifocal::pair
