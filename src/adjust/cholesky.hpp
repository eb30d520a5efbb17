// SPDX-License-Identifier: BSD-3-Clause
// Cholesky factorisation of dense symmetric positive definite matrices, on all threads.
#pragma once

#include <span>
#include <vector>

namespace bifocal::adjustment {

// Replaces the lower triangle of the n x n row-major matrix by its factor L. Returns false if the
// matrix is not positive definite. The result does not depend on the number of threads.
[[nodiscard]] bool factorise(std::vector<double>& matrix, int n);

// Solves L L' x = b in place.
void solve_factorised(std::span<const double> factor, int n, std::span<double> b);

// Returns the inverse of L L'.
[[nodiscard]] std::vector<double> inverse_of_factorised(std::span<const double> factor, int n);

}  // namespace bifocal::adjustment
