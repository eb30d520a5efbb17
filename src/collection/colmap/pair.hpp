// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include <bifocal/colmap/database.hpp>

namespace bifocal::colmap {

struct ViewCamera;
class Undistortion;

// Returns a camera without distortion whose principal point is the image centre. Without a focal
// length it has COLMAP's default.
[[nodiscard]] Camera camera_without_lens(std::string_view model, std::int64_t width,
                                         std::int64_t height, std::optional<double> focal_length);

// Transforms F and H to pixel coordinates that are larger by `by`.
void shift_pixels(TwoViewGeometry& geometry, double by);

// Returns the properties of a camera that verification uses.
[[nodiscard]] ViewCamera view_camera(const Camera& camera, const Undistortion& lens);

// Returns the quaternion w x y z with |q| = 1, w >= 0.
[[nodiscard]] std::array<double, 4> quaternion_of(const Mat3& R);
// Returns the rotation of a quaternion of any length above 0.
[[nodiscard]] Mat3 rotation_of(const std::array<double, 4>& q);

}  // namespace bifocal::colmap
