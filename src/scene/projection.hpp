// SPDX-License-Identifier: BSD-3-Clause
// Projection on the host by the source that bundle adjustment runs on devices.
#pragma once

#include <bifocal/camera.hpp>

#include <algorithm>
#include <limits>
#include <span>

#include "scene/camera_models.hpp"
#include "scene/lens.hpp"

namespace bifocal::scene {

class Projection {
 public:
  // params: one for each parameter of the model.
  Projection(const CameraModel& model, std::span<const double> params) {
    const lens_model m = lens_numbers(model, params);
    camera_ = {m.fx, m.fy, m.cx, m.cy, static_cast<double>(m.kind), {}};
    std::ranges::copy(m.k, camera_.k);
  }

  // Returns the px of a point of camera coordinates; NaN if the camera does not see it.
  [[nodiscard]] Vec2 px_of(const Vec3& point) const {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    LensLanes::lens_image image;
    double J[6];
    LensLanes::camera_project(&camera_, kinds(), kAllNumbers, point.data(), &image, J);
    if (!image.is_seen) return {kNaN, kNaN};
    return {camera_.fx * image.x + camera_.cx, camera_.fy * image.y + camera_.cy};
  }
  // Derivatives of px_of by the point, [2][3], and by COLUMN_..., [2].
  [[nodiscard]] std::array<double, 6> by_point(const Vec3& point) const {
    LensLanes::lens_image image;
    std::array<double, 6> J{};
    LensLanes::camera_project(&camera_, kinds(), kAllNumbers, point.data(), &image, J.data());
    return J;
  }
  [[nodiscard]] Vec2 by_column(const Vec3& point, int column) const {
    LensLanes::lens_image image;
    double J[6];
    Vec2 out;
    LensLanes::camera_project(&camera_, kinds(), kAllNumbers, point.data(), &image, J);
    LensLanes::camera_column(&camera_, kinds(), &image, column, out.data());
    return out;
  }

 private:
  [[nodiscard]] int kinds() const { return 1 << static_cast<int>(camera_.kind); }
  LensLanes::camera_lane camera_;
};

}  // namespace bifocal::scene
