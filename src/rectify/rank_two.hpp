// SPDX-License-Identifier: BSD-3-Clause
// Reduces a fundamental matrix to rank 2 and finds its epipole.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>

#include <bifocal/geometry.hpp>

namespace bifocal::rectification {

inline constexpr double kMaxThirdValue = 0.02;  // limit of F's third singular value, relative to
                                                // its norm: estimates from matches are below 1e-3
                                                // even without the constraint

[[nodiscard]] inline Mat3 scaled(Mat3 m, double factor) {
  for (double& v : m) v *= factor;
  return m;
}
[[nodiscard]] inline double size_of(const Mat3& m) {
  double sum = 0;
  for (const double v : m) sum += v * v;
  return std::sqrt(sum);
}

// F without its third singular value, and the epipole e1 of image 1 (F e1 = 0).
struct RankTwo {
  Mat3 F;
  Vec3 e1;
};
// Reduces F to rank 2. Returns no value if F has rank 3 or 1.
[[nodiscard]] inline std::optional<RankTwo> rank_two(Mat3 F) {
  F = scaled(F, 1 / size_of(F));
  const Mat3 adj = adjugate(F);
  const double size = size_of(adj);
  if (!(size > 1e-8)) return {};
  const Mat3 a = scaled(adj, 1 / size), squared = times(a, transposed(a));
  // The power iteration for the inverse of F'F; the first step is exact for rank 2.
  Vec3 e1{};
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 column = {squared[k], squared[3 + k], squared[6 + k]};
    if (norm(column) > norm(e1)) e1 = column;
  }
  for (int i = 0; i < 50; ++i) e1 = unit(times(squared, unit(e1)));
  const Vec3 rest = times(F, e1);
  if (norm(rest) > kMaxThirdValue) return {};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) F[3 * i + j] -= rest[i] * e1[j];
  return RankTwo{F, e1};
}

}  // namespace bifocal::rectification
