// SPDX-License-Identifier: BSD-3-Clause
// Features of largest scale of an image. They are visible also from a distance.
#pragma once

#include <bifocal/features.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace bifocal::collection {

// Returns the indices of the at most `most` keypoints of largest scale, in ascending order. Among
// equal scales, lower indices come first.
[[nodiscard]] std::vector<std::int64_t> largest_keypoints(std::span<const Keypoint> keypoints,
                                                          int most);
// Returns the features at the given indices.
[[nodiscard]] Features features_at(const Features& features, std::span<const std::int64_t> places);

}  // namespace bifocal::collection
