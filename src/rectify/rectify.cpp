// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/rectify.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <bifocal/geometry.hpp>
#include "rectify/pair_input.hpp"
#include "rectify/rectify_canvas.hpp"
#include "scene/lens.hpp"

namespace bifocal {
namespace {

using namespace rectification;

constexpr double kMinBaselineAngleDeg = 30;  // between the baseline and a viewing direction
constexpr double kMaxCornerTangent = 8;      // tangent of 83 degrees off the rectified axis

struct View {
  Camera camera;
  std::optional<LensCamera> lens;  // if present, `camera` is its pinhole()
  Mat3 R{};                        // rectified camera from camera

  [[nodiscard]] bool is_pinhole() const { return !lens && camera.distortion.none(); }
  // Returns the intrinsics of the distorted image.
  [[nodiscard]] const Intrinsics& intrinsics() const {
    return lens ? lens->intrinsics() : camera.intrinsics;
  }
  // Returns the focal length at the image centre, px.
  [[nodiscard]] double focal_length() const { return (intrinsics().fx + intrinsics().fy) / 2; }
};

View view_of(const LensCamera& c) {
  constexpr auto kMost = std::int64_t{kMaxSide} + 1;  // check_sizes() refuses it
  const Camera pinhole{c.pinhole(),
                       {},
                       static_cast<int>(std::min(c.width(), kMost)),
                       static_cast<int>(std::min(c.height(), kMost))};
  return {pinhole, c.has_lens() ? std::optional(c) : std::nullopt};
}

// Returns the extent of an image on the plane Z = 1 of its rectified camera; empty if the image
// reaches too far off the axis. The corners suffice for a pinhole. A grid of points serves images
// with a lens, whose borders are curved and whose corners may have no ray, and a limited angle.
std::optional<Extent> extent_of(const View& view, double max_angle_deg) {
  const Intrinsics& k = view.camera.intrinsics;
  const scene::Lens lens(view.camera.distortion);
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

// Finds the rotation that makes rows parallel to the baseline, with the optical axis as near as
// possible to the mean of both axes. Returns false if the baseline is too near to a
// viewing direction.
bool find_rotation(const Pose& pose, Mat3& rectified_from_1, bool& swapped) {
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

// first, second: cameras 1 and 2; the function determines their R.
Rectification rectify(View first, View second, const Pose& given, const RectifyOptions& options) {
  const ImageSizes sizes{first.camera.width, first.camera.height, second.camera.width,
                         second.camera.height};
  const Pose cam2_from_cam1 =
      checked_pose("rectify", first.camera.intrinsics, second.camera.intrinsics, given);
  check_sizes("rectify", sizes);
  check_options(options);
  Rectification out;
  out.doubt = doubt_of(first.intrinsics(), second.intrinsics(), sizes);
  const auto refused = [&](RectifyOutcome why) {
    out.outcome = why;
    return out;
  };
  if (!find_rotation(cam2_from_cam1, first.R, out.is_swapped))
    return refused(RectifyOutcome::epipole_near_image);
  second.R = times(first.R, transposed(cam2_from_cam1.R));
  const View &left = out.is_swapped ? second : first, &right = out.is_swapped ? first : second;
  const auto l = extent_of(left, options.max_angle_deg),
             r = extent_of(right, options.max_angle_deg);
  if (!l || !r) return refused(RectifyOutcome::too_wide);
  if (!(std::min(l->v1, r->v1) > std::max(l->v0, r->v0)))
    return refused(RectifyOutcome::no_common_rows);
  const Canvas canvas = canvas_of(*l, *r, (first.focal_length() + second.focal_length()) / 2,
                                  options.max_scale * sizes.largest_area());
  const double f = canvas.scale;
  out.width = canvas.width;
  out.height = canvas.height;
  const auto side = [&](const View& view, const Extent& extent) {
    const Intrinsics camera = {f, f, -f * extent.u0, -f * canvas.top};
    const Mat3 H = times(camera.matrix(), times(view.R, inverse(view.camera.intrinsics.matrix())));
    return RectifiedSide{
        .input = view.camera, .lens = view.lens, .H = H, .R = view.R, .camera = camera};
  };
  out.sides = {side(left, *l), side(right, *r)};
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

std::string_view to_string(RectificationKind kind) {
  return kind == RectificationKind::planar ? "planar" : "polar";
}

std::string_view to_string(RectifyOutcome outcome) {
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
