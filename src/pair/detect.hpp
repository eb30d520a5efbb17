// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/matching.hpp>
#include <bifocal/two_photographs.hpp>

namespace bifocal::pair {

// Finds the features of both images at the same time, on the queue's device; returns a set of two
// images there.
[[nodiscard]] FeatureSet detect(Queue& queue, ImageView<const std::uint8_t> image1,
                                ImageView<const std::uint8_t> image2, const PairOptions& options);

}  // namespace bifocal::pair
