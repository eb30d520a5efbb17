// SPDX-License-Identifier: BSD-3-Clause
// Steps of rotations.
#pragma once

#include <bifocal/geometry.hpp>

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

}  // namespace bifocal::adjustment
