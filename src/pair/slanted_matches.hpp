// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/two_photographs.hpp>

#include "pair/dense_cameras.hpp"

namespace bifocal::pair {

// Adds slanted planes of the unrectified pair (stereo/slanted) to the matches at pixels of the
// photographs where these are unknown. Planes near edges of depth are left out, and connected
// regions of planes and matches of less than 3,000 px of the reduced image 1, or of less than 60 px
// if at least 5 inliers lie on them. Known matches do not change. The search starts from them and
// from the inliers. Requires an exact pose (no cameras.F).
void add_slanted_matches(Queue& queue, ImageView<const std::uint8_t> image1,
                         ImageView<const std::uint8_t> image2, const DenseCameras& cameras,
                         DenseMatches& matches);

// Removes islands from the matches of the rectified pair: connected regions of less than 400 px of
// the reduced image 1, or of less than 60 px if an inlier lies on them.
void remove_islands(ImageView<const std::uint8_t> image1, ImageView<const std::uint8_t> image2,
                    const DenseCameras& cameras, DenseMatches& matches);

}  // namespace bifocal::pair
