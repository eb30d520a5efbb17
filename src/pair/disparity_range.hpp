// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/rectify.hpp>

#include <cstdint>
#include <span>

namespace bifocal::pair {

// bifocal::disparity_range() of the inliers.
[[nodiscard]] DisparityRange disparity_range(const Rectification& rectification,
                                             std::span<const PointPair> points,
                                             std::span<const std::uint8_t> inliers);

}  // namespace bifocal::pair
