// SPDX-License-Identifier: BSD-3-Clause
// Poses and scene points from a model that the caller gives.
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/error.hpp>
#include <bifocal/geometry.hpp>
#include <bifocal/two_view.hpp>
#include <cmath>
#include <limits>

#include "linalg/svd3.hpp"
#include "robust/arguments.hpp"
#include "robust/scalar_math.hpp"

namespace bifocal {
namespace {

using robust::ScalarMath, robust::check_matrix;

struct RayPair {
  double x1, y1, x2, y2;
};
RayPair rays_of(const PointPair& p, const Intrinsics& a, const Intrinsics& b) {
  return {(p.x1 - a.cx) / a.fx, (p.y1 - a.cy) / a.fy, (p.x2 - b.cx) / b.fx, (p.y2 - b.cy) / b.fy};
}

bool in_front(const Pose& pose, const RayPair& r) {
  return ScalarMath::pose_in_front(pose.R.data(), pose.t.data(), r.x1, r.y1, r.x2, r.y2);
}

// The calibrated homography K2^-1 H K1, scaled to a positive determinant and a middle singular
// value of 1, with its singular values s in descending order and right singular vectors v.
struct CalibratedMap {
  Mat3 H;
  double s[3];
  Vec3 v[3];
};
CalibratedMap calibrated(const Mat3& H, const Intrinsics& a, const Intrinsics& b) {
  CalibratedMap m;
  m.H = times(times(b.inverse_matrix(), H), a.matrix());
  const linalg::Svd3 f = linalg::svd3(m.H);
  const double determinant = ScalarMath::mat3_determinant(m.H.data());
  if (!(f.S[2] > 1e-12 * f.S[0]))
    throw Error(ErrorCode::usage, "decompose_homography: H is singular");
  const double scale = std::copysign(1 / f.S[1], determinant);
  for (double& h : m.H) h *= scale;
  for (std::size_t k = 0; k < 3; ++k) {
    m.s[k] = f.S[k] / f.S[1];
    m.v[k] = linalg::column(f.V, k);
  }
  return m;
}

// Returns the motion whose plane contains the directions v2 and u. H preserves the length of both.
PlaneMotion motion_of(const CalibratedMap& m, const Vec3& u) {
  const Vec3 frame[3] = {m.v[1], u, cross(m.v[1], u)};
  const Vec3 a = times(m.H, m.v[1]), b = times(m.H, u);
  const Vec3 image[3] = {a, b, cross(a, b)};
  PlaneMotion motion;
  Mat3& R = motion.cam2_from_cam1.R;
  for (std::size_t i = 0; i < 9; ++i) {
    R[i] = 0;
    for (const int k : {0, 1, 2}) R[i] += image[k][i / 3] * frame[k][i % 3];
  }
  R = nearest_rotation(R);
  motion.normal = frame[2];
  const Vec3 moved = times(m.H, frame[2]), rotated = times(R, frame[2]);
  for (std::size_t i = 0; i < 3; ++i) motion.cam2_from_cam1.t[i] = moved[i] - rotated[i];
  return motion;
}

PlaneMotion rotated_about(const PlaneMotion& m) {
  PlaneMotion other = m;
  for (std::size_t i = 0; i < 3; ++i) {
    other.normal[i] = -m.normal[i];
    other.cam2_from_cam1.t[i] = -m.cam2_from_cam1.t[i];
  }
  return other;
}

// Returns whether at least as many rays of camera 1 meet the plane in front of the camera as behind
// it.
bool is_not_behind(const PlaneMotion& m, std::span<const PointPair> points, const Intrinsics& a) {
  std::ptrdiff_t votes = 0;
  for (const PointPair& p : points) {
    const double along =
        m.normal[0] * (p.x1 - a.cx) / a.fx + m.normal[1] * (p.y1 - a.cy) / a.fy + m.normal[2];
    votes += along > 0 ? 1 : along < 0 ? -1 : 0;
  }
  return votes >= 0;
}

// Returns U diag(1, 1, 0) V' of E = U diag(S) V': the nearest matrix that is [t]x R up to scale. E
// itself if it is one but for rounding. Throws if E has rank 1.
Mat3 nearest_essential(const Mat3& E) {
  constexpr double kLeastRatio = 1e-10;  // about 1e-16 for rank 1; t has an error of 1e-16 / ratio
  const auto [U, V, S] = linalg::svd3(E);
  if (!(S[1] > kLeastRatio * S[0]))
    throw Error(ErrorCode::usage,
                fmt::format("decompose_essential: E has rank 1: its singular values are {:.3g}, "
                            "{:.3g} and {:.3g}",
                            S[0], S[1], S[2]));
  if (S[0] - S[1] <= 1e-9 * S[0] && S[2] <= 1e-13 * S[0]) return E;
  Mat3 out;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      out[3 * i + j] = U[3 * i] * V[3 * j] + U[3 * i + 1] * V[3 * j + 1];
  return out;
}

}  // namespace

EssentialPoses decompose_essential(const Mat3& E) {
  check_matrix("decompose_essential", E);
  EssentialPoses poses;
  double R[18];
  ScalarMath::pose_candidates(nearest_essential(E).data(), R, poses.t.data());
  std::copy(R, R + 9, poses.R[0].begin());
  std::copy(R + 9, R + 18, poses.R[1].begin());
  return poses;
}

RecoveredPose recover_pose(const Mat3& E, std::span<const PointPair> points,
                           const Intrinsics& camera1, const Intrinsics& camera2,
                           std::span<const std::uint8_t> inliers) {
  robust::check_camera("camera1", camera1);
  robust::check_camera("camera2", camera2);
  if (!inliers.empty() && inliers.size() != points.size())
    throw Error(ErrorCode::usage, fmt::format("recover_pose: {} inlier flags for {} points",
                                              inliers.size(), points.size()));
  const EssentialPoses poses = decompose_essential(E);
  RecoveredPose best;
  best.in_front = -1;
  for (const Mat3& R : poses.R) {
    for (const double sign : {1.0, -1.0}) {
      RecoveredPose one{{R, {sign * poses.t[0], sign * poses.t[1], sign * poses.t[2]}}, 0, {}};
      one.are_there.assign(points.size(), 0);
      for (std::size_t i = 0; i < points.size(); ++i) {
        if (!inliers.empty() && !inliers[i]) continue;
        if (!in_front(one.cam2_from_cam1, rays_of(points[i], camera1, camera2))) continue;
        one.are_there[i] = 1;
        ++one.in_front;
      }
      if (one.in_front > best.in_front) best = std::move(one);
    }
  }
  return best;
}

std::vector<PlaneMotion> decompose_homography(const Mat3& H, const Intrinsics& camera1,
                                              const Intrinsics& camera2,
                                              std::span<const PointPair> points) {
  check_matrix("decompose_homography", H);
  robust::check_camera("camera1", camera1);
  robust::check_camera("camera2", camera2);
  const CalibratedMap m = calibrated(H, camera1, camera2);
  if (m.s[0] - m.s[2] < 1e-9) {
    PlaneMotion rotation;
    rotation.cam2_from_cam1.R = nearest_rotation(m.H);
    return {rotation};
  }
  // Directions orthogonal to v2 whose length H preserves.
  const double a = std::sqrt(std::max(0.0, 1 - m.s[2] * m.s[2])),
               b = std::sqrt(std::max(0.0, m.s[0] * m.s[0] - 1)), length = std::hypot(a, b);
  std::vector<PlaneMotion> motions;
  for (const double sign : {1.0, -1.0}) {
    Vec3 u;
    for (std::size_t i = 0; i < 3; ++i) u[i] = (a * m.v[0][i] + sign * b * m.v[2][i]) / length;
    const PlaneMotion one = motion_of(m, u);
    for (const PlaneMotion& motion : {one, rotated_about(one)})
      if (points.empty() || is_not_behind(motion, points, camera1)) motions.push_back(motion);
  }
  return motions;
}

std::vector<Vec3> triangulate(std::span<const PointPair> points, const Intrinsics& camera1,
                              const Intrinsics& camera2, const Pose& cam2_from_cam1) {
  robust::check_camera("camera1", camera1);
  robust::check_camera("camera2", camera2);
  const Pose pose = {checked_rotation("triangulate: R", cam2_from_cam1.R), cam2_from_cam1.t};
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  std::vector<Vec3> out(points.size(), Vec3{kNaN, kNaN, kNaN});
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i % 1024 == 0) check_cancelled();
    const RayPair r = rays_of(points[i], camera1, camera2);
    if (in_front(pose, r))
      ScalarMath::triangulate(pose.R.data(), pose.t.data(), r.x1, r.y1, r.x2, r.y2, out[i].data());
  }
  return out;
}

}  // namespace bifocal
