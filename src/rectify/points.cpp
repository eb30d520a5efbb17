// SPDX-License-Identifier: BSD-3-Clause
// Converts points between the photographs and the rectified images.
#include <bifocal/error.hpp>
#include <bifocal/geometry.hpp>
#include <bifocal/rectify.hpp>

#include <limits>
#include <optional>

#include "rectify/polar_points.hpp"
#include "rectify/sampling_map.hpp"
#include "scene/lens.hpp"

namespace bifocal {
namespace {

using namespace rectification;

// One side of a planar rectification: a lens and a homography, in both directions.
class PlanarPoints {
 public:
  explicit PlanarPoints(const RectifiedSide& side)
      : H_(side.H),
        inverse_(inverse(side.H)),
        input_(side.input),
        lens_(input_.distortion),
        lens_camera_(side.lens) {
    const Vec3 centre = times(H_, Vec3{(input_.width - 1) / 2.0, (input_.height - 1) / 2.0, 1});
    if (!(input_.width > 0 && centre[2] < 0)) return;
    for (Mat3* m : {&H_, &inverse_})
      for (double& v : *m) v = -v;
  }

  [[nodiscard]] Vec2 to_rectified(Vec2 p) const {
    if (lens_camera_) p = lens_camera_->undistort(p);
    if (!input_.distortion.none()) p = to_px(lens_.undistort(to_ray(p)));
    return mapped(H_, p);
  }
  [[nodiscard]] Vec2 to_photograph(Vec2 p) const {
    p = mapped(inverse_, p);
    if (!input_.distortion.none()) p = to_px(lens_.distort(to_ray(p)));
    return lens_camera_ ? lens_camera_->distort(p) : p;
  }

 private:
  [[nodiscard]] Vec2 to_ray(const Vec2& p) const {
    const Intrinsics& k = input_.intrinsics;
    return {(p[0] - k.cx) / k.fx, (p[1] - k.cy) / k.fy};
  }
  [[nodiscard]] Vec2 to_px(const Vec2& p) const {
    const Intrinsics& k = input_.intrinsics;
    return {k.fx * p[0] + k.cx, k.fy * p[1] + k.cy};
  }
  [[nodiscard]] static Vec2 mapped(const Mat3& H, const Vec2& p) {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    const Vec3 q = times(H, Vec3{p[0], p[1], 1});
    if (!(q[2] > 0)) return {kNaN, kNaN};
    return {q[0] / q[2], q[1] / q[2]};
  }

  Mat3 H_, inverse_;  // both positive at the centre of the input
  Camera input_;
  scene::Lens lens_;
  std::optional<LensCamera> lens_camera_;
};

template <class Convert>
std::vector<Vec2> converted(std::span<const Vec2> points, const Convert& convert) {
  std::vector<Vec2> all;
  all.reserve(points.size());
  for (const Vec2& p : points) {
    if (all.size() % 1024 == 0) check_cancelled();
    all.push_back(convert(p));
  }
  return all;
}

}  // namespace

std::vector<Vec2> rectified_points(const Rectification& r, int side,
                                   std::span<const Vec2> photograph) {
  const RectifiedSide& s = side_of("rectified_points", r, side);
  if (r.kind == RectificationKind::polar) return converted(photograph, PolarPoints(r, s));
  const PlanarPoints map(s);
  return converted(photograph, [&](const Vec2& p) { return map.to_rectified(p); });
}

std::vector<Vec2> photograph_points(const Rectification& r, int side,
                                    std::span<const Vec2> rectified) {
  const RectifiedSide& s = side_of("photograph_points", r, side);
  if (r.kind == RectificationKind::polar)
    return converted(rectified, [&](const Vec2& p) { return polar_to_photograph(s, p); });
  const PlanarPoints map(s);
  return converted(rectified, [&](const Vec2& p) { return map.to_photograph(p); });
}

Vec2 rectified_point(const Rectification& r, int side, const Vec2& photograph) {
  return rectified_points(r, side, {&photograph, 1})[0];
}

Vec2 photograph_point(const Rectification& r, int side, const Vec2& rectified) {
  return photograph_points(r, side, {&rectified, 1})[0];
}

}  // namespace bifocal
