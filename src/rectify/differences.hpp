// SPDX-License-Identifier: BSD-3-Clause
// Collects what the places of matches in two rectified pictures say. Each is (left - right) in
// columns and rows, px, finite.
#pragma once

#include <bifocal/rectify.hpp>

#include <vector>

namespace bifocal::rectification {

[[nodiscard]] VerticalDisparity rows_apart(const std::vector<Vec2>& differences);
[[nodiscard]] DisparityRange range_of(const std::vector<Vec2>& differences);

}  // namespace bifocal::rectification
