// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/two_photographs.hpp>

#include "pair/dense_cameras.hpp"

namespace bifocal::pair {

// Returns the range with the ends that options.near_depth and options.far_depth determine: the
// disparities of a grid of pixels of image 1 at that depth.
[[nodiscard]] DisparityRange range_of_depths(const Rectification& rectification,
                                             const DenseCameras& cameras,
                                             const PairOptions& options, DisparityRange range);

// A rectified image and the mask of its valid pixels (255).
struct MaskedImage {
  const ImageU8 &grey, &valid;
};
// Widens the ends that no option determines. Stops when less than 1 % of the best disparities of a
// reduced pair lie in the outer 2 % of the range, or when the range has `most` disparities.
[[nodiscard]] DisparityRange widened_range(Queue& queue, const MaskedImage& left,
                                           const MaskedImage& right, const PairOptions& options,
                                           DisparityRange range, int most);

}  // namespace bifocal::pair
