// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/geometry.hpp>
#include <bifocal/rectify.hpp>

#include <cstdint>

namespace bifocal::rectification {

inline constexpr int kMaxSide = 1 << 22;  // px; 256 times this number fits an int
inline constexpr std::int64_t kMaxMapPixels = (std::int64_t{1} << 31) - 256;  // indices fit an int

// Conversion of pixels of a rectified camera to pixels of a camera with a lens.
struct LensView {
  Intrinsics camera, rectified;
  double R[9];  // camera from rectified
  double k[8];  // coefficients of lens.lane.h
  double squared_radius;
};

// Returns the inverse homography, positive at the centre of the input. Throws Error(usage) in the
// name of `function` if it does not exist.
[[nodiscard]] Mat3 input_from_output(const char* function, const Mat3& output_from_input, int width,
                                     int height);
// Throws Error(usage) in the name of `function` if a size is out of range.
void check_map_sizes(const char* function, int input_width, int input_height, int width,
                     int height);
// Returns side 0 or 1. Throws Error(usage) in the name of `function` for another number.
[[nodiscard]] const RectifiedSide& side_of(const char* function, const Rectification& rectification,
                                           int side);

}  // namespace bifocal::rectification
