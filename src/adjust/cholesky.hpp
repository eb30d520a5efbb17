// SPDX-License-Identifier: BSD-3-Clause
// Cholesky factorisation of dense symmetric positive definite matrices, on all threads.
#pragma once

#include <span>
#include <vector>

namespace bifocal::adjustment {

// Replaces the lower triangle of the n x n row-major matrix by its factor L. Returns the number of
// rows before the first pivot that is not above its least value (empty: 0 for all); n if there is
// none. The result does not depend on the number of threads.
[[nodiscard]] int factorised_rows(std::vector<double>& matrix, int n,
                                  std::span<const double> least_pivots = {});
// Returns false if the matrix is not positive definite.
[[nodiscard]] inline bool factorise(std::vector<double>& matrix, int n) {
  return factorised_rows(matrix, n) == n;
}

// Solves L L' x = b in place.
void solve_factorised(std::span<const double> factor, int n, std::span<double> b);

// Returns the inverse of L L'.
[[nodiscard]] std::vector<double> inverse_of_factorised(std::span<const double> factor, int n);

}  // namespace bifocal::adjustment
