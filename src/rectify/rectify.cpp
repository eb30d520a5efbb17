// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/rectify.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <bifocal/geometry.hpp>
#include "rectify/rectify_canvas.hpp"

namespace bifocal {
namespace rectification {

void check_sizes(const char* function, const int (&sizes)[4]) {
  for (int size : sizes)
    if (size < 1 || size > kMaxSide)
      throw Error(ErrorCode::usage, fmt::format("{}: image size {}: must be positive, at most {}",
                                                function, size, kMaxSide));
}

}  // namespace rectification

namespace {

using namespace rectification;

constexpr double kMinBaselineAngleDeg = 30;  // between the baseline and a viewing direction
constexpr double kMaxCornerTangent =
    8;  // rays further than 83 degrees from the rectified axis: stretched beyond use

struct View {
  Camera camera;
  std::optional<LensCamera> lens;  // whose pinhole `camera` is
  Mat3 R{};                        // rectified from camera

  [[nodiscard]] bool is_pinhole() const { return !lens && camera.distortion.none(); }
  // This is the focal length in the middle of the picture, px.
  [[nodiscard]] double focal_length() const {
    const Intrinsics& k = lens ? lens->intrinsics() : camera.intrinsics;
    return (k.fx + k.fy) / 2;
  }
};

View view_of(const LensCamera& c) {
  constexpr auto kMost = std::int64_t{kMaxSide} + 1;  // refused by check()
  const Camera pinhole{c.pinhole(),
                       {},
                       static_cast<int>(std::min(c.width(), kMost)),
                       static_cast<int>(std::min(c.height(), kMost))};
  return {pinhole, c.has_lens() ? std::optional(c) : std::nullopt};
}

// Extent of a picture on the plane Z = 1 of its rectified camera, nothing when it reaches too far.
// A pinhole's is that of its corners; behind a lens borders are curved and corners may have no ray,
// as where what is too far off the axis is left out: a grid of points.
std::optional<Extent> extent_of(const View& view, double max_angle_deg) {
  const Intrinsics& k = view.camera.intrinsics;
  const Lens lens(view.camera.distortion);
  const double farthest = std::tan(max_angle_deg * std::acos(-1.0) / 180);
  const int steps = view.is_pinhole() && max_angle_deg == 0 ? 1 : 64;
  Extent e;
  for (int j = 0; j <= steps; ++j) {
    for (int i = 0; i <= steps; ++i) {
      const Vec2 px = {double(view.camera.width - 1) * i / steps,
                       double(view.camera.height - 1) * j / steps};
      const Vec2 q = view.lens ? view.lens->undistort(px) : px;
      Vec2 p = {(q[0] - k.cx) / k.fx, (q[1] - k.cy) / k.fy};
      if (!view.is_pinhole() && !view.lens) p = lens.undistort(p);
      if (std::isnan(p[0])) continue;
      const Vec3 ray = times(view.R, Vec3{p[0], p[1], 1});
      const double u = ray[0] / ray[2], v = ray[1] / ray[2];
      const bool is_ahead = ray[2] > 0;
      if (max_angle_deg > 0 && !(is_ahead && std::hypot(u, v) <= farthest)) continue;
      if (!is_ahead || std::hypot(u, v) >= kMaxCornerTangent) return {};
      e.add(u, v);
    }
  }
  if (!(e.u1 > e.u0 && e.v1 > e.v0)) return {};
  return e;
}

// Rows parallel to the baseline, the optical axis as near as that allows to the mean of the two old
// ones. False when the baseline lies too near to a viewing direction.
bool turn(const Pose& pose, Mat3& rectified_from_1, bool& swapped) {
  const Mat3 Rt = transposed(pose.R);
  const Vec3 back = times(Rt, pose.t);  // minus the centre of camera 2
  const Vec3 baseline = unit({-back[0], -back[1], -back[2]});
  const Vec3 axis1 = {0, 0, 1}, axis2 = times(Rt, axis1), side2 = times(Rt, Vec3{1, 0, 0});
  const Vec3 sum = {axis2[0], axis2[1], 1 + axis2[2]};
  if (norm(sum) < 1e-6) return false;  // back to back
  const Vec3 axis = unit(sum);
  const double limit = std::cos(kMinBaselineAngleDeg * std::acos(-1.0) / 180);
  for (const Vec3& a : {axis1, axis2, axis})
    if (std::abs(dot(baseline, a)) > limit) return false;
  swapped = dot(baseline, {1 + side2[0], side2[1], side2[2]}) < 0;
  const double sign = swapped ? -1 : 1;
  const Vec3 r1 = {sign * baseline[0], sign * baseline[1], sign * baseline[2]};
  const Vec3 r2 = unit(cross(axis, r1)), r3 = cross(r1, r2);
  rectified_from_1 = {r1[0], r1[1], r1[2], r2[0], r2[1], r2[2], r3[0], r3[1], r3[2]};
  return true;
}

void check(const Camera& a, const Camera& b, const Pose& pose, const RectifyOptions& options) {
  const auto fail = [](const std::string& message) {
    throw Error(ErrorCode::usage, "rectify: " + message);
  };
  for (const Intrinsics& k : {a.intrinsics, b.intrinsics})
    if (!k.valid() || !std::isfinite(k.fx + k.fy + k.cx + k.cy))
      fail(fmt::format("camera {},{},{},{}: fx and fy must be positive, all finite", k.fx, k.fy,
                       k.cx, k.cy));
  check_sizes("rectify", {a.width, a.height, b.width, b.height});
  check_options(options);
  for (double v : pose.R)
    if (!std::isfinite(v)) fail("R is not finite");
  const double length = norm(pose.t);
  if (!(length > 0) || !std::isfinite(length))
    fail(fmt::format("baseline t = {},{},{}: must be finite and not zero", pose.t[0], pose.t[1],
                     pose.t[2]));
}

double area(const Camera& camera) { return double(camera.width) * double(camera.height); }

// `first` and `second` are in the order of the cameras' numbers, and not yet turned.
Rectification rectify(View first, View second, const Pose& cam2_from_cam1,
                      const RectifyOptions& options) {
  check(first.camera, second.camera, cam2_from_cam1, options);
  Rectification out;
  const auto refused = [&](RectifyOutcome why) {
    out.outcome = why;
    return out;
  };
  if (!turn(cam2_from_cam1, first.R, out.swapped))
    return refused(RectifyOutcome::epipole_near_image);
  second.R = times(first.R, transposed(cam2_from_cam1.R));
  const View &left = out.swapped ? second : first, &right = out.swapped ? first : second;
  const auto l = extent_of(left, options.max_angle_deg),
             r = extent_of(right, options.max_angle_deg);
  if (!l || !r) return refused(RectifyOutcome::too_wide);
  if (!(std::min(l->v1, r->v1) > std::max(l->v0, r->v0)))
    return refused(RectifyOutcome::no_common_rows);
  const Canvas canvas =
      canvas_of(*l, *r, (first.focal_length() + second.focal_length()) / 2,
                options.max_scale * std::max(area(left.camera), area(right.camera)));
  const double f = canvas.scale;
  out.width = canvas.width;
  out.height = canvas.height;
  out.camera1 = {f, f, -f * l->u0, -f * canvas.top};
  out.camera2 = {f, f, -f * r->u0, -f * canvas.top};
  out.R1 = left.R, out.R2 = right.R;
  out.input1 = left.camera, out.input2 = right.camera;
  out.lens1 = left.lens, out.lens2 = right.lens;
  out.H1 = times(out.camera1.matrix(), times(left.R, inverse(left.camera.intrinsics.matrix())));
  out.H2 = times(out.camera2.matrix(), times(right.R, inverse(right.camera.intrinsics.matrix())));
  return out;
}

}  // namespace

Rectification rectify(const Camera& camera1, const Camera& camera2, const Pose& cam2_from_cam1,
                      const RectifyOptions& options) {
  return rectify(View{camera1, {}}, View{camera2, {}}, cam2_from_cam1, options);
}

Rectification rectify(const LensCamera& camera1, const LensCamera& camera2,
                      const Pose& cam2_from_cam1, const RectifyOptions& options) {
  return rectify(view_of(camera1), view_of(camera2), cam2_from_cam1, options);
}

Rectification rectify(const Intrinsics& camera1, const Intrinsics& camera2,
                      const Pose& cam2_from_cam1, int width1, int height1, int width2, int height2,
                      const RectifyOptions& options) {
  return rectify(Camera{camera1, {}, width1, height1}, Camera{camera2, {}, width2, height2},
                 cam2_from_cam1, options);
}

const char* to_string(RectifyOutcome outcome) {
  switch (outcome) {
    case RectifyOutcome::ok:
      return "ok";
    case RectifyOutcome::epipole_near_image:
      return "epipole_near_image";
    case RectifyOutcome::too_wide:
      return "too_wide";
    case RectifyOutcome::no_common_rows:
      return "no_common_rows";
    case RectifyOutcome::no_geometry:
      return "no_geometry";
    case RectifyOutcome::no_orientation:
      return "no_orientation";
  }
  return "";
}

}  // namespace bifocal
