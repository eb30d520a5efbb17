// SPDX-License-Identifier: BSD-3-Clause
// How far a matrix is from a rotation, for checks of input.
#pragma once

#include <bifocal/geometry.hpp>

#include <cmath>

namespace bifocal::io {

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

}  // namespace bifocal::io
