// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/two_photographs.hpp>

#include "report/page.hpp"

namespace bifocal::cli {

// Shows a pair with depth: photograph, depth and its certainty beside each other, a slider between
// the first photograph and the second one seen from its place, and the cloud in 3D (WebGL, or a
// canvas where there is none).
void add_depth_section(Page& page, ImageView<const std::uint8_t> image1,
                       ImageView<const std::uint8_t> image2, const DensePair& dense);

// The second photograph as the first camera sees it, of the first one's size divided by `step`:
// each known depth takes its colour from where the second camera sees it. Grey where depth is
// unknown.
[[nodiscard]] ImageU8 seen_from_first(ImageView<const std::uint8_t> image2, const DensePair& dense,
                                      int width, int height, double step);

}  // namespace bifocal::cli
