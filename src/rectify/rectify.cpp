// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/rectify.hpp>

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "rectify/mat3.hpp"
#include "rectify/rectify_canvas.hpp"

namespace bifocal {
namespace rectification {

void check_sizes(const char* function, const int (&sizes)[4], double max_scale) {
  for (int size : sizes)
    if (size < 1 || size > kMaxSide)
      throw Error(ErrorCode::usage, fmt::format("{}: image size {}: must be positive, at most {}",
                                                function, size, kMaxSide));
  if (!(max_scale > 0) || !std::isfinite(max_scale))
    throw Error(ErrorCode::usage,
                fmt::format("{}: max_scale = {}: must be positive", function, max_scale));
}

}  // namespace rectification

namespace {

using namespace rectification;

constexpr double kMinBaselineAngleDeg = 30;  // between the baseline and a viewing direction
constexpr double kMaxCornerTangent =
    8;  // rays further than 83 degrees from the rectified axis: stretched beyond use

struct View {
  Camera camera;
  Mat3 R;  // rectified from camera
};

// Extent of a picture on the plane Z = 1 of its rectified camera, nothing when it reaches too far.
// A pinhole's is that of its corners; behind a lens borders are curved and corners may have no ray:
// a grid of points.
std::optional<Extent> extent_of(const View& view) {
  const Intrinsics& k = view.camera.intrinsics;
  const bool pinhole = view.camera.distortion.none();
  const Lens lens(view.camera.distortion);
  const int steps = pinhole ? 1 : 64;
  Extent e;
  for (int j = 0; j <= steps; ++j) {
    for (int i = 0; i <= steps; ++i) {
      const double x = double(view.camera.width - 1) * i / steps,
                   y = double(view.camera.height - 1) * j / steps;
      Vec2 p = {(x - k.cx) / k.fx, (y - k.cy) / k.fy};
      if (!pinhole) p = lens.undistort(p);
      if (std::isnan(p[0])) continue;
      const Vec3 ray = mul(view.R, Vec3{p[0], p[1], 1});
      const double u = ray[0] / ray[2], v = ray[1] / ray[2];
      if (!(ray[2] > 0) || std::hypot(u, v) >= kMaxCornerTangent) return {};
      e.add(u, v);
    }
  }
  return e;
}

// Rows parallel to the baseline, the optical axis as near as that allows to the mean of the two old
// ones. False when the baseline lies too near to a viewing direction.
bool turn(const Pose& pose, Mat3& rectified_from_1, bool& swapped) {
  const Mat3 Rt = transpose(pose.R);
  const Vec3 back = mul(Rt, pose.t);  // minus the centre of camera 2
  const Vec3 baseline = unit({-back[0], -back[1], -back[2]});
  const Vec3 axis1 = {0, 0, 1}, axis2 = mul(Rt, axis1), side2 = mul(Rt, Vec3{1, 0, 0});
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

void check(const Camera& a, const Camera& b, const Pose& pose, double max_scale) {
  const auto fail = [](const std::string& message) {
    throw Error(ErrorCode::usage, "rectify: " + message);
  };
  for (const Intrinsics& k : {a.intrinsics, b.intrinsics})
    if (!k.valid() || !std::isfinite(k.fx + k.fy + k.cx + k.cy))
      fail(fmt::format("camera {},{},{},{}: fx and fy must be positive, all finite", k.fx, k.fy,
                       k.cx, k.cy));
  check_sizes("rectify", {a.width, a.height, b.width, b.height}, max_scale);
  for (double v : pose.R)
    if (!std::isfinite(v)) fail("R is not finite");
  const double length = norm(pose.t);
  if (!(length > 0) || !std::isfinite(length))
    fail(fmt::format("baseline t = {},{},{}: must be finite and not zero", pose.t[0], pose.t[1],
                     pose.t[2]));
}

double area(const Camera& camera) { return double(camera.width) * double(camera.height); }

}  // namespace

Rectification rectify(const Camera& camera1, const Camera& camera2, const Pose& cam2_from_cam1,
                      const RectifyOptions& options) {
  check(camera1, camera2, cam2_from_cam1, options.max_scale);
  Rectification out;
  const auto refused = [&](RectifyOutcome why) {
    out.outcome = why;
    return out;
  };
  Mat3 from1{};
  if (!turn(cam2_from_cam1, from1, out.swapped)) return refused(RectifyOutcome::epipole_near_image);
  View left{camera1, from1}, right{camera2, mul(from1, transpose(cam2_from_cam1.R))};
  if (out.swapped) std::swap(left, right);
  const auto l = extent_of(left), r = extent_of(right);
  if (!l || !r) return refused(RectifyOutcome::too_wide);
  if (!(std::min(l->v1, r->v1) > std::max(l->v0, r->v0)))
    return refused(RectifyOutcome::no_common_rows);
  const Intrinsics &k1 = camera1.intrinsics, &k2 = camera2.intrinsics;
  const Canvas canvas = canvas_of(*l, *r, (k1.fx + k1.fy + k2.fx + k2.fy) / 4,
                                  options.max_scale * std::max(area(camera1), area(camera2)));
  const double f = canvas.scale;
  out.width = canvas.width;
  out.height = canvas.height;
  out.camera1 = {f, f, -f * l->u0, -f * canvas.top};
  out.camera2 = {f, f, -f * r->u0, -f * canvas.top};
  out.R1 = left.R;
  out.R2 = right.R;
  out.input1 = left.camera;
  out.input2 = right.camera;
  out.H1 = mul(out.camera1.matrix(), mul(left.R, inverse(left.camera.intrinsics.matrix())));
  out.H2 = mul(out.camera2.matrix(), mul(right.R, inverse(right.camera.intrinsics.matrix())));
  return out;
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
  }
  return "";
}

}  // namespace bifocal
