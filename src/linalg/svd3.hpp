// SPDX-License-Identifier: BSD-3-Clause
// The singular value decomposition of one 3 x 3 matrix.
#pragma once

#include <bifocal/geometry.hpp>

namespace bifocal::linalg {

// A = U diag(S) V' with S in descending order. U and V are orthogonal; their determinants are 1 or
// -1.
struct Svd3 {
  Mat3 U, V;
  Vec3 S;
};
[[nodiscard]] Svd3 svd3(const Mat3& A);

// Returns column k of a matrix.
[[nodiscard]] inline Vec3 column(const Mat3& m, std::size_t k) {
  return {m[k], m[3 + k], m[6 + k]};
}

}  // namespace bifocal::linalg
