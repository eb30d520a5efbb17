// SPDX-License-Identifier: BSD-3-Clause
// The order of the two images during estimation. Matching with a ratio test and random sampling
// depend on the order of the images, so a pair is estimated in an order that follows from the
// contents of the images, and the result is returned for the order of the caller.
#pragma once

#include <bifocal/two_photographs.hpp>

#include <vector>

namespace bifocal::pair {

// Returns whether the second image comes first in this order: by width, height, channels, and
// samples. False for equal images.
[[nodiscard]] bool is_second_first(ImageView<const std::uint8_t> image1,
                                   ImageView<const std::uint8_t> image2);

// Exchange cameras, and masks and given matches. matches: receives the exchanged matches, which
// must outlive the input.
[[nodiscard]] PairOptions exchanged(PairOptions options);
[[nodiscard]] PairInput exchanged(const PairInput& input, std::vector<PointPair>& matches);

// Exchanges the images in points, models, poses and scene points.
[[nodiscard]] RelativePoseResult exchanged(ModelKind kind, RelativePoseResult found);
// The dense part and the deviation of the pose must be unset.
void exchange_images(PairResult& result);

}  // namespace bifocal::pair
