// SPDX-License-Identifier: BSD-3-Clause
// The little 3-D algebra of rectification and warping.
#pragma once

#include <cmath>

#include <bifocal/geometry.hpp>

namespace bifocal::rectification {

inline double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline double norm(const Vec3& a) { return std::sqrt(dot(a, a)); }
inline Vec3 unit(const Vec3& a) {
  const double n = norm(a);
  return {a[0] / n, a[1] / n, a[2] / n};
}
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline Vec3 mul(const Mat3& m, const Vec3& v) {
  return {m[0] * v[0] + m[1] * v[1] + m[2] * v[2], m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
          m[6] * v[0] + m[7] * v[1] + m[8] * v[2]};
}
inline Mat3 transpose(const Mat3& m) {
  return {m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]};
}
inline Mat3 mul(const Mat3& a, const Mat3& b) {
  Mat3 c{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      c[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
  return c;
}
inline double determinant(const Mat3& m) {
  return dot({m[0], m[1], m[2]}, cross({m[3], m[4], m[5]}, {m[6], m[7], m[8]}));
}
// Not finite where the determinant is 0.
inline Mat3 inverse(const Mat3& m) {
  const Vec3 a = {m[0], m[1], m[2]}, b = {m[3], m[4], m[5]}, c = {m[6], m[7], m[8]};
  const Vec3 x = cross(b, c), y = cross(c, a), z = cross(a, b);
  const double s = 1 / dot(a, x);
  return {s * x[0], s * y[0], s * z[0], s * x[1], s * y[1], s * z[1], s * x[2], s * y[2], s * z[2]};
}

}  // namespace bifocal::rectification
