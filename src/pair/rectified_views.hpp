// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/two_photographs.hpp>

#include <optional>
#include <string>

#include "pair/dense_cameras.hpp"

namespace bifocal::pair {

// A pair rectified for dense matching: planar or polar, image 1 on the left, disparities from 0 or
// more that grow as points come nearer.
struct RectifiedViews {
  std::optional<PolarRectification> polar;
  Rectification planar;  // where `polar` is empty
  RectificationChoice choice;
  DisparityRange range;
  std::string refusal;  // why there is none, else empty

  [[nodiscard]] int width() const { return polar ? polar->width : planar.width; }
  [[nodiscard]] int height() const { return polar ? polar->height : planar.height; }
};
// Reduces the pictures until they have at most options.max_dense_pixels (polar ones three times as
// many), and until no more than `most_disparities` are to be searched.
[[nodiscard]] RectifiedViews rectified_views(const DenseCameras& cameras,
                                             ImageView<const std::uint8_t> image1,
                                             ImageView<const std::uint8_t> image2,
                                             const PairOptions& options, int most_disparities);

}  // namespace bifocal::pair
