// SPDX-License-Identifier: BSD-3-Clause
// Checks and normalises the input of every rectification.
#pragma once

#include <bifocal/camera.hpp>
#include <bifocal/geometry.hpp>

#include <optional>
#include <string>

#include "rectify/rank_two.hpp"

namespace bifocal::rectification {

// Sizes of the two images, px.
struct ImageSizes {
  int width1, height1, width2, height2;

  [[nodiscard]] double largest_area() const;
};

// Each function throws Error(usage) in the name of `function`.
void check_sizes(const char* function, const ImageSizes& sizes);
void check_matrix(const char* function, const Mat3& F);
// Returns the pose with the nearest rotation.
[[nodiscard]] Pose checked_pose(const char* function, const Intrinsics& camera1,
                                const Intrinsics& camera2, const Pose& pose);

// Returns intrinsics_doubt() of the first camera that has a doubt, with the camera's number.
[[nodiscard]] std::string doubt_of(const Intrinsics& camera1, const Intrinsics& camera2,
                                   const ImageSizes& sizes);

// F in coordinates relative to the centres of the images, in units of `unit_px`, the longest side
// of both.
struct NormalisedF {
  double unit_px;
  Mat3 px1, px2;             // px from units
  std::optional<RankTwo> f;  // empty if F is not of rank 2
};
[[nodiscard]] NormalisedF normalised(const Mat3& F, const ImageSizes& sizes);

[[nodiscard]] inline Vec2 centre_of(int width, int height) {
  return {(width - 1) / 2.0, (height - 1) / 2.0};
}

}  // namespace bifocal::rectification
