// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include <bifocal/colmap/database.hpp>

namespace bifocal::colmap {

struct ViewCamera;
class Undistortion;

inline constexpr double kHalfPixel = 0.5;  // COLMAP's pixels are ours plus this

// A camera whose principal point is in the middle; without a focal length it has the one that
// COLMAP guesses.
[[nodiscard]] Camera camera_without_lens(std::string_view model, std::int64_t width,
                                         std::int64_t height, std::optional<double> focal_length);

// F and H for pixels that are those of before plus `by`.
void shift_pixels(TwoViewGeometry& geometry, double by);

// What decisions take of a camera.
[[nodiscard]] ViewCamera view_camera(const Camera& camera, const Undistortion& lens);

// w x y z, |q| = 1, w >= 0.
[[nodiscard]] std::array<double, 4> quaternion_of(const Mat3& R);
// Of a quaternion of any length above 0.
[[nodiscard]] Mat3 rotation_of(const std::array<double, 4>& q);

}  // namespace bifocal::colmap
