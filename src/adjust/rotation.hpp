// SPDX-License-Identifier: BSD-3-Clause
// Steps of rotations.
#pragma once

#include <bifocal/geometry.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace bifocal::adjustment {

// Makes a rotation of a matrix that is one but for rounding.
[[nodiscard]] inline Mat3 orthonormal(const Mat3& m) {
  const Vec3 x = unit({m[0], m[1], m[2]});
  const Vec3 z = unit(cross(x, {m[3], m[4], m[5]}));
  const Vec3 y = cross(z, x);
  return {x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]};
}

// exp([w]x) by Rodrigues' formula.
[[nodiscard]] inline Mat3 rotation_of(const Vec3& w) {
  const double angle = norm(w), q = angle * angle;
  const double a = angle > 1e-4 ? std::sin(angle) / angle : 1 - q / 6;
  const double b = angle > 1e-4 ? (1 - std::cos(angle)) / q : 0.5 - q / 24;
  const Mat3 W = cross_matrix(w), W2 = times(W, W);
  Mat3 R = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (std::size_t i = 0; i < 9; ++i) R[i] += a * W[i] + b * W2[i];
  return R;
}

// Inverse of rotation_of(), |w| <= pi.
[[nodiscard]] inline Vec3 rotation_vector(const Mat3& R) {
  const auto scaled = [](const Vec3& v, double s) { return Vec3{s * v[0], s * v[1], s * v[2]}; };
  const Vec3 v = {0.5 * (R[7] - R[5]), 0.5 * (R[2] - R[6]), 0.5 * (R[3] - R[1])};
  const double sine = norm(v), cosine = 0.5 * (R[0] + R[4] + R[8] - 1);
  const double angle = std::atan2(sine, cosine);
  if (sine > 1e-7) return scaled(v, angle / sine);
  if (cosine > 0) return v;
  // Half a circle: the columns of (R + I) / 2 are multiples of the axis.
  const Vec3 squares = {R[0] + 1, R[4] + 1, R[8] + 1};
  const auto k = static_cast<std::size_t>(std::ranges::max_element(squares) - squares.begin());
  Vec3 axis = {R[k], R[3 + k], R[6 + k]};
  axis[k] += 1;
  return scaled(unit(axis), angle);
}

}  // namespace bifocal::adjustment
