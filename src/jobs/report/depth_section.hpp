// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/two_photographs.hpp>

#include "jobs/report/page.hpp"

namespace bifocal::jobs {

// Adds the depth of a pair to the page: photograph, depth and its accuracy side by side, a slider
// between the first photograph and the second one seen from its position, and the cloud in 3D
// (WebGL, or a 2D canvas).
void add_depth_section(Page& page, ImageView<const std::uint8_t> image1,
                       ImageView<const std::uint8_t> image2, const DensePair& dense);

// Warps the second photograph to the view of the first camera, with the size of the first
// photograph divided by `step`: each pixel with known depth takes the colour that the second camera
// sees. Grey if the depth is unknown.
[[nodiscard]] ImageU8 seen_from_first(ImageView<const std::uint8_t> image2, const DensePair& dense,
                                      int width, int height, double step);

}  // namespace bifocal::jobs
