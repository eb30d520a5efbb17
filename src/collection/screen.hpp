// SPDX-License-Identifier: BSD-3-Clause
// The features of largest scale of an image: those that are seen from afar, too.
#pragma once

#include <bifocal/features.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace bifocal::collection {

// Their places, in order: `most` at most; of equal scales those of lower index.
[[nodiscard]] std::vector<std::int64_t> largest_keypoints(std::span<const Keypoint> keypoints,
                                                          int most);
// The features at these places.
[[nodiscard]] Features features_at(const Features& features, std::span<const std::int64_t> places);

}  // namespace bifocal::collection
