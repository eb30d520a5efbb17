// SPDX-License-Identifier: BSD-3-Clause
// The nearest rotation of a matrix, and the check of rotations that a caller gives.
#pragma once

#include <bifocal/geometry.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

namespace bifocal {

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
