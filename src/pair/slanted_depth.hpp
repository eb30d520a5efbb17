// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/two_photographs.hpp>

#include "pair/dense_cameras.hpp"

namespace bifocal::pair {

// Adds matches that slanted planes of the unrectified pair find (stereo/slanted) where `matches` of
// the photographs' pixels are unknown. Starts from the known ones and the inliers. Needs a pose that
// holds exactly (no cameras.F).
void add_slanted_matches(Queue& queue, ImageView<const std::uint8_t> image1,
                         ImageView<const std::uint8_t> image2, const DenseCameras& cameras,
                         DenseMatches& matches);

}  // namespace bifocal::pair
