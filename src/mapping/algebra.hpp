// SPDX-License-Identifier: BSD-3-Clause
// Vectors, symmetric matrices and rotations of the mapper.
#pragma once

#include <bifocal/geometry.hpp>

#include <array>
#include <cmath>

#include "adjust/rotation.hpp"

namespace bifocal::mapping {

// Overloads below do not hide these.
using bifocal::dot;
using bifocal::inverse;
using bifocal::times;

[[nodiscard]] inline Vec3 sum(const Vec3& a, const Vec3& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
[[nodiscard]] inline Vec3 difference(const Vec3& a, const Vec3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
[[nodiscard]] inline Vec3 scaled(const Vec3& a, double s) { return {s * a[0], s * a[1], s * a[2]}; }

// Product of the transposed matrix with v.
[[nodiscard]] inline Vec3 transposed_times(const Mat3& m, const Vec3& v) {
  return {m[0] * v[0] + m[3] * v[1] + m[6] * v[2], m[1] * v[0] + m[4] * v[1] + m[7] * v[2],
          m[2] * v[0] + m[5] * v[1] + m[8] * v[2]};
}

[[nodiscard]] inline Vec3 centre_of(const Pose& cam_from_world) {
  return scaled(transposed_times(cam_from_world.R, cam_from_world.t), -1);
}
[[nodiscard]] inline Pose pose_at(const Mat3& R, const Vec3& centre) {
  return {R, scaled(times(R, centre), -1)};
}
[[nodiscard]] inline Vec3 moved(const Pose& pose, const Vec3& point) {
  return sum(times(pose.R, point), pose.t);
}

// A symmetric 3 x 3 matrix: xx, xy, xz, yy, yz, zz.
using Symmetric3 = std::array<double, 6>;
inline void add_to(Symmetric3& a, const Symmetric3& b) {
  for (std::size_t i = 0; i < 6; ++i) a[i] += b[i];
}
[[nodiscard]] inline Vec3 times(const Symmetric3& m, const Vec3& v) {
  return {m[0] * v[0] + m[1] * v[1] + m[2] * v[2], m[1] * v[0] + m[3] * v[1] + m[4] * v[2],
          m[2] * v[0] + m[4] * v[1] + m[5] * v[2]};
}
// a I + b d d'.
[[nodiscard]] inline Symmetric3 isotropic_plus_outer(double a, double b, const Vec3& d) {
  return {a + b * d[0] * d[0], b * d[0] * d[1], b * d[0] * d[2],
          a + b * d[1] * d[1], b * d[1] * d[2], a + b * d[2] * d[2]};
}
// Not finite if the matrix is singular.
[[nodiscard]] inline Symmetric3 inverse(const Symmetric3& m) {
  const double xx = m[3] * m[5] - m[4] * m[4], xy = m[2] * m[4] - m[1] * m[5],
               xz = m[1] * m[4] - m[2] * m[3];
  const double s = 1 / (m[0] * xx + m[1] * xy + m[2] * xz);
  return {s * xx,
          s * xy,
          s * xz,
          s * (m[0] * m[5] - m[2] * m[2]),
          s * (m[1] * m[2] - m[0] * m[4]),
          s * (m[0] * m[3] - m[1] * m[1])};
}

using adjustment::rotation_vector;

// Angle between unit vectors, rad; exact for small angles.
[[nodiscard]] inline double angle_between(const Vec3& a, const Vec3& b) {
  return std::atan2(norm(cross(a, b)), dot(a, b));
}

inline constexpr double kRadPerDeg = 0.017453292519943295;

}  // namespace bifocal::mapping
