// SPDX-License-Identifier: BSD-3-Clause
// Which of the points that a detector found are kept, and in which order.
#pragma once

#include <bifocal/features.hpp>

#include <vector>

namespace bifocal::features {

// Indices of the points to keep, in their final order: by response times sigma, of equals by y, x,
// sigma, angle; without weaker copies of a point; max_features at most, or all if that is 0.
[[nodiscard]] std::vector<int> select(const std::vector<Keypoint>& points, int max_features);

}  // namespace bifocal::features
