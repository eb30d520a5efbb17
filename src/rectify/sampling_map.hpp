// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/geometry.hpp>

#include <cstdint>

namespace bifocal::rectification {

inline constexpr int kMaxSide = 1 << 22;  // px; 256ths of it fit an int
inline constexpr std::int64_t kMaxMapPixels = (std::int64_t{1} << 31) - 256;  // numbered by an int

// A view leads from a rectified camera's pixels to those of a camera with a lens.
struct LensView {
  Intrinsics camera, rectified;
  double R[9];  // camera from rectified
  double k[8];  // of lens.lane.h
  double squared_radius;
};

// The inverse, positive where the middle of the input is; throws Error(usage) without one.
[[nodiscard]] Mat3 input_from_output(const char* function, const Mat3& output_from_input, int width,
                                     int height);
// Throws Error(usage) in the name of `function`.
void check_map_sizes(const char* function, int input_width, int input_height, int width,
                     int height);

}  // namespace bifocal::rectification
