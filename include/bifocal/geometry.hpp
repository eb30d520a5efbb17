// SPDX-License-Identifier: BSD-3-Clause
// Plain types of two-view geometry and their algebra. Matrices are row-major. Conventions: x2 ~ H
// x1 and x2' F x1 = 0 for pixels; x2' E x1 = 0 for normalised points; a relative pose is
// cam2_from_cam1, X2 = R X1 + t with |t| = 1.
#pragma once

#include <bifocal/cxx20.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

namespace bifocal {

using Vec3 = std::array<double, 3>;
using Mat3 = std::array<double, 9>;

[[nodiscard]] inline double dot(const Vec3& a, const Vec3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
[[nodiscard]] inline double norm(const Vec3& a) { return std::sqrt(dot(a, a)); }
// Returns a / |a|. Not finite if a is zero.
[[nodiscard]] inline Vec3 unit(const Vec3& a) {
  const double n = norm(a);
  return {a[0] / n, a[1] / n, a[2] / n};
}
[[nodiscard]] inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
// Returns the skew-symmetric matrix [a]x: cross_matrix(a) b = a x b.
[[nodiscard]] inline Mat3 cross_matrix(const Vec3& a) {
  return {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
}
[[nodiscard]] inline Vec3 times(const Mat3& m, const Vec3& v) {
  return {m[0] * v[0] + m[1] * v[1] + m[2] * v[2], m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
          m[6] * v[0] + m[7] * v[1] + m[8] * v[2]};
}
[[nodiscard]] inline Mat3 times(const Mat3& a, const Mat3& b) {
  Mat3 c{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      c[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
  return c;
}
[[nodiscard]] inline Mat3 transposed(const Mat3& m) {
  return {m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]};
}
// Returns the transposed matrix of cofactors: adjugate(m) m = determinant(m) I. For a matrix of
// rank 2 it is the outer product of the null vectors, up to scale.
[[nodiscard]] inline Mat3 adjugate(const Mat3& m) {
  const Vec3 a = {m[0], m[1], m[2]}, b = {m[3], m[4], m[5]}, c = {m[6], m[7], m[8]};
  const Vec3 x = cross(b, c), y = cross(c, a), z = cross(a, b);
  return {x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]};
}
[[nodiscard]] inline double determinant(const Mat3& m) {
  return dot({m[0], m[1], m[2]}, cross({m[3], m[4], m[5]}, {m[6], m[7], m[8]}));
}
// Returns the inverse matrix. Not finite if the determinant is 0.
[[nodiscard]] inline Mat3 inverse(const Mat3& m) {
  Mat3 out = adjugate(m);
  const double s = 1 / dot({m[0], m[1], m[2]}, {out[0], out[3], out[6]});
  for (double& v : out) v *= s;
  return out;
}

// A correspondence of (x1, y1) in the first image and (x2, y2) in the second, px.
struct PointPair {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
};

// A correspondence with the depths of its point, predicted from each image alone. A depth is
// measured along the optical axis, not along the ray; each image has its own unit.
struct DepthPair {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0, depth1 = 0, depth2 = 0;
};

// A scene point (X, Y, Z) in world units and its image (x, y) in px.
struct ScenePoint {
  double x = 0, y = 0, X = 0, Y = 0, Z = 0;
};

struct Pose {
  Mat3 R = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  Vec3 t = {0, 0, 0};
};

// Intrinsics of a pinhole camera without distortion, in px: x = fx X / Z + cx, y = fy Y / Z + cy.
struct Intrinsics {
  double fx = 0, fy = 0, cx = 0, cy = 0;

  [[nodiscard]] bool valid() const { return fx > 0 && fy > 0; }
  [[nodiscard]] Mat3 matrix() const { return {fx, 0, cx, 0, fy, cy, 0, 0, 1}; }
  [[nodiscard]] Mat3 inverse_matrix() const {
    return {1 / fx, 0, -cx / fx, 0, 1 / fy, -cy / fy, 0, 0, 1};
  }
};

// Position where a photograph was taken, in degrees north and east.
struct GeoPosition {
  double latitude_deg = 0, longitude_deg = 0;
};
// Returns the great-circle distance in metres on a sphere with the mean radius of the Earth,
// 6371008.8 m.
[[nodiscard]] double distance_m(const GeoPosition& a, const GeoPosition& b);

// The nearest rotation of a matrix, and the check of rotations that a caller gives.

// Returns the largest entry of |R R' - I|, or |det R - 1| if that is larger, as for reflections;
// about 1e-16 for a rotation, NaN if an entry is.
[[nodiscard]] inline double rotation_error(const Mat3& R) {
  const Mat3 product = times(R, transposed(R));
  double error = std::abs(determinant(R) - 1);
  for (std::size_t k = 0; k < 9; ++k) {
    const double off = std::abs(product[k] - (k % 4 == 0 ? 1 : 0));
    if (!(off <= error)) error = off;
  }
  return error;
}
// Returns the rotation R with the least |M - R|: U diag(1, 1, det(U V')) V' of M = U S V'. A matrix
// whose rotation_error() is at most 1e-12 is returned unchanged. The rotation is not unique if the
// second singular value is 0. Throws Error(usage) if M is not finite.
//   W. Kabsch, A discussion of the solution for the best rotation to relate two sets of vectors,
//   Acta Crystallographica A34, 1978.
[[nodiscard]] Mat3 nearest_rotation(const Mat3& M);

// Every function that takes a rotation accepts a rotation_error() of at most this, as of rotations
// written with four decimals, and uses nearest_rotation().
inline constexpr double kRotationTolerance = 1e-3;
// Returns why a matrix is not accepted as a rotation, with its rotation_error(); empty if it is.
[[nodiscard]] std::string rotation_fault(const Mat3& R);
// Returns nearest_rotation(R). Throws Error(usage) "NAME is no rotation: ..." beyond the tolerance.
[[nodiscard]] Mat3 checked_rotation(std::string_view name, const Mat3& R);

}  // namespace bifocal
