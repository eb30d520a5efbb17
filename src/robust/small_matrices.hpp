// SPDX-License-Identifier: BSD-3-Clause
// Row-major 3 x 3 matrices as rows of nine numbers.
#pragma once

#include <bifocal/geometry.hpp>
#include <cstddef>

namespace bifocal::robust {

using Row9 = std::array<double, 9>;

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
