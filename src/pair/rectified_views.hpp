// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/two_photographs.hpp>

#include <string>

#include "pair/dense_cameras.hpp"

namespace bifocal::pair {

// A pair rectified for dense matching: image 1 is on the left, disparities are at least 0 and grow
// as points come nearer.
struct RectifiedViews {
  Rectification rectification;
  RectificationChoice choice;
  DisparityRange range;
  std::string refusal;  // the reason if the pair cannot be rectified, otherwise empty
};
// Rectifies a pair. The rectified images are reduced until they have at most
// options.max_dense_pixels (three times this number if polar) and at most `most_disparities`
// must be searched.
[[nodiscard]] RectifiedViews rectified_views(const DenseCameras& cameras,
                                             ImageView<const std::uint8_t> image1,
                                             ImageView<const std::uint8_t> image2,
                                             const PairOptions& options, int most_disparities);

// Shifts the left image if the disparity range begins below 0, because disparity files require
// values of at least 0. Returns whether it was shifted.
bool make_disparities_positive(RectifiedViews& views);

}  // namespace bifocal::pair
