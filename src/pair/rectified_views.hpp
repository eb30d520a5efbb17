// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/two_photographs.hpp>

#include <string>

#include "pair/dense_cameras.hpp"

namespace bifocal::pair {

// A pair rectified for dense matching: image 1 is the left one, disparities are at least 0 and grow
// as points come nearer.
struct RectifiedViews {
  Rectification rectification;
  RectificationChoice choice;
  DisparityRange range;
  std::string refusal;  // the reason if the pair cannot be rectified, otherwise empty
};
// Reduces the rectified images until they have at most options.max_dense_pixels (three times as
// many if polar) and at most `most_disparities` have to be searched.
[[nodiscard]] RectifiedViews rectified_views(const DenseCameras& cameras,
                                             ImageView<const std::uint8_t> image1,
                                             ImageView<const std::uint8_t> image2,
                                             const PairOptions& options, int most_disparities);

// Shifts the left image if the search begins below 0, because files of disparities need values of
// at least 0. Returns whether it did.
bool make_disparities_positive(RectifiedViews& views);

}  // namespace bifocal::pair
