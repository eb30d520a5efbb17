// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/geometry.hpp>
#include <bifocal/stereo.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "runtime/parallel.hpp"

namespace bifocal {
namespace {

constexpr float kUnknownDepth = std::numeric_limits<float>::quiet_NaN();

// Returns the pose with the nearest rotation.
Pose checked(const Intrinsics& k1, const Intrinsics& k2, const Pose& pose, const DepthOptions& o) {
  const auto fail = [](const std::string& what) {
    throw Error(ErrorCode::usage, "depth_map: " + what);
  };
  for (const Intrinsics& k : {k1, k2})
    if (!k.valid() || !std::isfinite(k.fx + k.fy + k.cx + k.cy))
      fail(fmt::format("camera {},{},{},{}: fx and fy must be positive, all finite", k.fx, k.fy,
                       k.cx, k.cy));
  const double length = dot(pose.t, pose.t);
  if (!(length > 0) || !std::isfinite(length))
    fail(fmt::format("t = {},{},{}: must be finite and not zero", pose.t[0], pose.t[1], pose.t[2]));
  check_options(o);
  if (o.pose_covariance.size() != 0 && o.pose_covariance.size() != 36)
    fail(fmt::format("pose_covariance has {} numbers: must be 36", o.pose_covariance.size()));
  return {checked_rotation("depth_map: R", pose.R), pose.t};
}

// Returns the depth Z on the ray q = R x1 (x1 at depth 1) that minimises |x2 x (Z q + t)| by linear
// least squares, or NaN if the point does not lie in front of both cameras. The result is close to
// the minimum of the reprojection error on the plane of depth 1 of camera 2, because matches lie on
// their epipolar lines.
double depth_of(const Vec3& q, const Vec3& t, const Vec3& x2) {
  const Vec3 a = cross(x2, q), b = cross(x2, t);
  const double z = -dot(a, b) / dot(a, a);
  return z > 0 && z * q[2] + t[2] > 0 ? z : std::numeric_limits<double>::quiet_NaN();
}

// Returns the direction in which a camera sees a pixel, with z = 1.
Vec3 ray_of(const Intrinsics& camera, double x, double y) {
  return {(x - camera.cx) / camera.fx, (y - camera.cy) / camera.fy, 1};
}

// Returns the poses that lie one standard deviation away along each axis of the covariance. The
// axes are the columns of its Cholesky factor.
std::vector<Pose> deviating_poses(const Pose& pose, std::span<const double> covariance) {
  std::vector<Pose> poses;
  if (covariance.empty()) return poses;
  std::array<double, 36> L{};
  for (std::size_t j = 0; j < 6; ++j) {
    for (std::size_t i = j; i < 6; ++i) {
      double v = covariance[6 * i + j];
      for (std::size_t k = 0; k < j; ++k) v -= L[6 * i + k] * L[6 * j + k];
      // The covariance is singular along t: a pivot that only rounding makes positive counts as 0.
      if (i == j) L[6 * j + j] = v > 1e-12 * covariance[7 * j] ? std::sqrt(v) : 0;
      if (i > j) L[6 * i + j] = L[6 * j + j] > 0 ? v / L[6 * j + j] : 0;
    }
  }
  for (std::size_t j = 0; j < 6; ++j) {
    const Vec3 w = {L[j], L[6 + j], L[12 + j]};
    Pose p = pose;
    for (std::size_t c = 0; c < 3; ++c) {  // R + [w]x R
      const Vec3 column = {pose.R[c], pose.R[3 + c], pose.R[6 + c]}, change = cross(w, column);
      for (std::size_t r = 0; r < 3; ++r) p.R[3 * r + c] += change[r];
      p.t[c] += L[6 * (3 + c) + j];
    }
    poses.push_back(p);
  }
  return poses;
}

// Returns the same geometry with its cameras exchanged.
DeviatingGeometry exchanged(const DeviatingGeometry& g) {
  const Mat3 R = transposed(g.cam2_from_cam1.R);
  const Vec3 t = times(R, g.cam2_from_cam1.t);
  return {g.camera2, g.camera1, {R, {-t[0], -t[1], -t[2]}}};
}

}  // namespace

DepthMap depth_map(const DenseMatches& matches, const Intrinsics& given1, const Intrinsics& given2,
                   const Pose& given_pose, const DepthOptions& options) {
  DeviatingGeometry geometry{given1, given2, checked(given1, given2, given_pose, options)};
  const int width = matches.x.width, height = matches.x.height;
  DepthMap out{ImageF(width, height, 1, kUnknownDepth), ImageF(width, height, 1, kUnknownDepth)};
  std::vector<DeviatingGeometry> others(options.geometries.begin(), options.geometries.end());
  for (const Pose& p : deviating_poses(geometry.cam2_from_cam1, options.pose_covariance))
    others.push_back({given1, given2, p});
  if (matches.is_swapped) {
    geometry = exchanged(geometry);
    for (DeviatingGeometry& g : others) g = exchanged(g);
  }
  const auto& [camera1, camera2, pose] = geometry;
  runtime::parallel_for(height, [&](int y) {
    for (int x = 0; x < width; ++x) {
      const double u = matches.x.at(x, y), v = matches.y.at(x, y);
      if (std::isnan(u) || std::isnan(v)) continue;
      const auto seen = [&](double s) {
        return ray_of(camera2, u + s * matches.dx.at(x, y), v + s * matches.dy.at(x, y));
      };
      const Vec3 q = times(pose.R, ray_of(camera1, x, y)), x2 = seen(0);
      const double z = depth_of(q, pose.t, x2), sigma = options.disparity_deviation;
      double variance = std::pow(
          (depth_of(q, pose.t, seen(0.5 * sigma)) - depth_of(q, pose.t, seen(-0.5 * sigma))), 2);
      for (const auto& [one, two, other] : others)
        variance += std::pow(
            depth_of(times(other.R, ray_of(one, x, y)), other.t, ray_of(two, u, v)) - z, 2);
      const double deviation = std::sqrt(variance);
      if (!(deviation <= options.max_deviation * z)) continue;  // rejects NaN also
      out.depth.at(x, y) = static_cast<float>(z);
      out.deviation.at(x, y) = static_cast<float>(deviation);
    }
  });
  return out;
}

std::vector<CloudPoint> depth_to_cloud(ImageView<const float> depth,
                                       ImageView<const std::uint8_t> colour,
                                       const Intrinsics& camera, int step) {
  if (!camera.valid())
    throw Error(ErrorCode::usage, fmt::format("depth_to_cloud: fx = {}, fy = {}: must be positive",
                                              camera.fx, camera.fy));
  if (step < 1)
    throw Error(ErrorCode::usage, fmt::format("depth_to_cloud: step = {}: must be positive", step));
  if (colour.width != depth.width || colour.height != depth.height ||
      (colour.channels != 1 && colour.channels != 3))
    throw Error(
        ErrorCode::usage,
        fmt::format("depth_to_cloud: colour is {} x {} with {} channels, depth {} x {}: "
                    "must be of one size, with 1 or 3 channels",
                    colour.width, colour.height, colour.channels, depth.width, depth.height));
  std::vector<CloudPoint> cloud;
  for (int y = 0; y < depth.height; y += step) {
    for (int x = 0; x < depth.width; x += step) {
      const double z = depth.row(y)[x];
      if (!std::isfinite(z)) continue;
      const std::uint8_t* c = colour.row(y) + x * colour.channels;
      const std::size_t green = colour.channels == 3 ? 1 : 0, blue = 2 * green;
      cloud.push_back({static_cast<float>((x - camera.cx) / camera.fx * z),
                       static_cast<float>((y - camera.cy) / camera.fy * z), static_cast<float>(z),
                       c[0], c[green], c[blue]});
    }
  }
  return cloud;
}

}  // namespace bifocal
