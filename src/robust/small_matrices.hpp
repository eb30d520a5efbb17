// SPDX-License-Identifier: BSD-3-Clause
// Row-major 3 x 3 matrices as rows of nine numbers.
#pragma once

#include <bifocal/geometry.hpp>
#include <cstddef>

namespace bifocal::robust {

using Row9 = std::array<double, 9>;

inline Mat3 times(const Mat3& a, const Mat3& b) {
  Mat3 c{};
  for (std::size_t i = 0; i < 9; ++i)
    for (std::size_t k = 0; k < 3; ++k) c[i] += a[i / 3 * 3 + k] * b[k * 3 + i % 3];
  return c;
}
inline Mat3 transposed(const Mat3& a) {
  return {a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]};
}
inline Mat3 cross_matrix(const Vec3& v) { return {0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0}; }
inline Vec3 axis(std::size_t k) {
  Vec3 v{};
  v[k] = 1;
  return v;
}
inline double dot(const Row9& a, const Row9& b) {
  double sum = 0;
  for (std::size_t i = 0; i < 9; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace bifocal::robust
