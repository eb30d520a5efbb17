// SPDX-License-Identifier: BSD-3-Clause
// Pinhole cameras of undistorted images.
#pragma once

#include <bifocal/camera.hpp>
#include <bifocal/colmap/database.hpp>
#include <bifocal/rectify.hpp>

namespace bifocal::colmap::model {

// Undistorted images of a camera.
struct UndistortedView {
  LensCamera lens;
  Intrinsics pinhole;  // of the output
  int width = 0, height = 0;
  SamplingMap map;  // empty without a lens
};

// Throws as colmap::undistorted_camera(). `map` is empty.
[[nodiscard]] UndistortedView undistorted_view(const ModelCamera& camera);

[[nodiscard]] ModelCamera undistorted_camera(const ModelCamera& camera,
                                             const UndistortedView& view);

// Converts a pixel of the image to a pixel of the undistorted camera with the intrinsics of the
// lens near its axis.
[[nodiscard]] Vec2 undistorted(const LensCamera& lens, const Vec2& px);

}  // namespace bifocal::colmap::model
