// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/stereo.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "stereo/mat3.hpp"

namespace bifocal {
namespace {

using namespace stereo;

constexpr double kMinBaselineAngleDeg = 30;  // between the baseline and a viewing direction
constexpr double kMaxCornerTangent =
    8;  // rays further than 83 degrees from the rectified axis: stretched beyond use

struct View {
  Intrinsics camera;
  Mat3 R;  // rectified from camera
  int width, height;
};

// Extent of a picture on the plane Z = 1 of its rectified camera.
struct Extent {
  double u0 = std::numeric_limits<double>::infinity(), u1 = -u0, v0 = u0, v1 = -u0;
  bool usable = true;
};

Extent extent_of(const View& view) {
  Extent e;
  for (int corner = 0; corner < 4; ++corner) {
    const double x = corner & 1 ? view.width - 1 : 0, y = corner & 2 ? view.height - 1 : 0;
    const Intrinsics& k = view.camera;
    const Vec3 ray = mul(view.R, Vec3{(x - k.cx) / k.fx, (y - k.cy) / k.fy, 1});
    const double u = ray[0] / ray[2], v = ray[1] / ray[2];
    e.usable = e.usable && ray[2] > 0 && std::hypot(u, v) < kMaxCornerTangent;
    e.u0 = std::min(e.u0, u);
    e.u1 = std::max(e.u1, u);
    e.v0 = std::min(e.v0, v);
    e.v1 = std::max(e.v1, v);
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

void check(const Intrinsics& a, const Intrinsics& b, const Pose& pose, const int (&sizes)[4],
           double max_scale) {
  const auto fail = [](const std::string& message) {
    throw Error(ErrorCode::usage, "rectify: " + message);
  };
  for (const Intrinsics& k : {a, b})
    if (!k.valid() || !std::isfinite(k.fx + k.fy + k.cx + k.cy))
      fail(fmt::format("camera {},{},{},{}: fx and fy must be positive, all finite", k.fx, k.fy,
                       k.cx, k.cy));
  for (int size : sizes)
    if (size < 1) fail(fmt::format("image size {}: must be positive", size));
  for (double v : pose.R)
    if (!std::isfinite(v)) fail("R is not finite");
  const double length = norm(pose.t);
  if (!(length > 0) || !std::isfinite(length))
    fail(fmt::format("baseline t = {},{},{}: must be finite and not zero", pose.t[0], pose.t[1],
                     pose.t[2]));
  if (!(max_scale > 0) || !std::isfinite(max_scale))
    fail(fmt::format("max_scale = {}: must be positive", max_scale));
}

}  // namespace

Rectification rectify(const Intrinsics& camera1, const Intrinsics& camera2,
                      const Pose& cam2_from_cam1, int width1, int height1, int width2, int height2,
                      const RectifyOptions& options) {
  check(camera1, camera2, cam2_from_cam1, {width1, height1, width2, height2}, options.max_scale);
  Rectification out;
  Mat3 from1{};
  if (!turn(cam2_from_cam1, from1, out.swapped)) return out;
  View left{camera1, from1, width1, height1};
  View right{camera2, mul(from1, transpose(cam2_from_cam1.R)), width2, height2};
  if (out.swapped) std::swap(left, right);
  const Extent l = extent_of(left), r = extent_of(right);
  // Rows that both pictures have; columns of each from its own left end, which is what keeps
  // disparities small.
  const double top = std::max(l.v0, r.v0), bottom = std::min(l.v1, r.v1);
  if (!l.usable || !r.usable || !(bottom > top)) return out;
  const double wide = std::max(l.u1 - l.u0, r.u1 - r.u0);
  const double limit = options.max_scale *
                       std::max(double(width1) * double(height1), double(width2) * double(height2));
  double f = (camera1.fx + camera1.fy + camera2.fx + camera2.fy) / 4;
  double area = 0;
  do {
    if (area > 0) f *= 0.9999 * std::sqrt(limit / area);
    area = (std::floor(f * wide) + 1) * (std::floor(f * (bottom - top)) + 1);
  } while (area > limit && area > 1);
  out.width = static_cast<int>(f * wide) + 1;
  out.height = static_cast<int>(f * (bottom - top)) + 1;
  out.camera1 = {f, f, -f * l.u0, -f * top};
  out.camera2 = {f, f, -f * r.u0, -f * top};
  out.R1 = left.R;
  out.H1 = mul(out.camera1.matrix(), mul(left.R, inverse(left.camera.matrix())));
  out.H2 = mul(out.camera2.matrix(), mul(right.R, inverse(right.camera.matrix())));
  return out;
}

}  // namespace bifocal
