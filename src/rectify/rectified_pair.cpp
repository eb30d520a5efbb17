// SPDX-License-Identifier: BSD-3-Clause
// These functions ask a rectification about points and disparities.
#include <bifocal/error.hpp>
#include <bifocal/rectify.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "rectify/differences.hpp"
#include <bifocal/geometry.hpp>

namespace bifocal {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// rectified_point() of many points of one side.
class PointMap {
 public:
  PointMap(const Rectification& r, int side)
      : H_(side == 0 ? r.H1 : r.H2),
        input_(side == 0 ? r.input1 : r.input2),
        lens_(input_.distortion),
        lens_camera_(side == 0 ? r.lens1 : r.lens2),
        bent_(!input_.distortion.none()) {
    const Vec3 centre = times(H_, Vec3{(input_.width - 1) / 2.0, (input_.height - 1) / 2.0, 1});
    if (input_.width > 0 && centre[2] < 0)
      for (double& v : H_) v = -v;
  }

  [[nodiscard]] Vec2 operator()(Vec2 p) const {
    if (lens_camera_) p = lens_camera_->undistort(p);
    if (bent_) {
      const Intrinsics& k = input_.intrinsics;
      p = lens_.undistort({(p[0] - k.cx) / k.fx, (p[1] - k.cy) / k.fy});
      p = {k.fx * p[0] + k.cx, k.fy * p[1] + k.cy};
    }
    const Vec3 q = times(H_, Vec3{p[0], p[1], 1});
    if (!(q[2] > 0)) return {kNaN, kNaN};
    return {q[0] / q[2], q[1] / q[2]};
  }

 private:
  Mat3 H_;
  Camera input_;
  Lens lens_;
  std::optional<LensCamera> lens_camera_;
  bool bent_;
};

// left - right of every match that has a place in both pictures: columns and rows.
std::vector<Vec2> differences(const Rectification& r, std::span<const PointPair> matches) {
  const PointMap left(r, 0), right(r, 1);
  std::vector<Vec2> all;
  all.reserve(matches.size());
  for (const PointPair& m : matches) {
    const Vec2 one = {m.x1, m.y1}, two = {m.x2, m.y2};
    const Vec2 l = left(r.swapped ? two : one), p = right(r.swapped ? one : two);
    const Vec2 d = {l[0] - p[0], l[1] - p[1]};
    if (std::isfinite(d[0]) && std::isfinite(d[1])) all.push_back(d);
  }
  return all;
}

}  // namespace

Vec2 rectified_point(const Rectification& rectification, int side, const Vec2& px) {
  return PointMap(rectification, side)(px);
}

VerticalDisparity vertical_disparity(const Rectification& rectification,
                                     std::span<const PointPair> matches) {
  return rectification::rows_apart(differences(rectification, matches));
}

DisparityRange disparity_range(const Rectification& rectification,
                               std::span<const PointPair> matches) {
  return rectification::range_of(differences(rectification, matches));
}

std::array<double, 16> reprojection_matrix(const Rectification& r, double baseline) {
  if (!r.camera1.valid())
    throw Error(ErrorCode::usage, "reprojection_matrix: the rectification has no cameras");
  if (!(baseline > 0) || !std::isfinite(baseline))
    throw Error(ErrorCode::usage,
                fmt::format("reprojection_matrix: baseline {}: must be positive", baseline));
  const double doffs = r.camera2.cx - r.camera1.cx;
  return {1,
          0,
          0,
          -r.camera1.cx,
          0,
          1,
          0,
          -r.camera1.cy,
          0,
          0,
          0,
          r.camera1.fx,
          0,
          0,
          1 / baseline,
          doffs / baseline};
}

}  // namespace bifocal
