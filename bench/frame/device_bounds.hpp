// SPDX-License-Identifier: BSD-3-Clause
// The lower bound of a GPU's time: the time of its arithmetic units or of its memory for a stated
// amount of work, whichever is larger.
#pragma once

#include <bifocal/device.hpp>

#include "bench.hpp"

namespace bifocal::bench {

// The work per matrix.
struct Work {
  double flops = 0;   // a fused multiply-add counts as two
  double bytes = 0;   // bytes read from and written to device memory
  double shared = 0;  // bytes moved in shared memory, for code that keeps its matrices there
};

// One-sided Jacobi of an m x n matrix (m < n: of its n x n complement). Each sweep has, for each of
// the n (n - 1) / 2 pairs of columns, a dot product and two norms (6 m) and the rotation of the
// columns of A (6 m) and of V (6 n). Measured for random matrices: 1.6 + 1.4 log2(n) sweeps in
// float and 0.8 more in double, of which the last only detects convergence. `smallest`: Householder
// QR of the matrix and two triangular solves, 2 n^2 (m - n / 3) + 4 n^2.
[[nodiscard]] Work svd_work(int m, int n, bool with_U, std::size_t number_size);
[[nodiscard]] Work smallest_vector_work(int m, int n, std::size_t number_size);
// Cyclic Jacobi of symmetric matrices: a pair rotates rows and columns of A (12 n, half by
// symmetry: 6 n) and V (6 n).
[[nodiscard]] Work symmetric_work(int n, std::size_t number_size);
// Hessenberg reduction 10/3 n^3, double-shift QR for the eigenvalues alone 20/3 n^3 (two sweeps per
// eigenvalue over a shrinking window), and for each real pair inverse iteration on the Hessenberg
// form and the back transformation by the reflectors, 4 n^2. In shared memory every ten of the n^3
// flops read and write three numbers.
[[nodiscard]] Work eigenpairs_work(int n, double real_pairs, std::size_t number_size);

// Adds flops_per_matrix and bytes_per_matrix, and for a GPU with known limits fraction_of_bound,
// bound ("arithmetic" or "memory") and fraction_of_shared_bound.
void add_bounds(Record& record, const DeviceInfo& device, const Work& work,
                double seconds_per_matrix, bool is_double);

}  // namespace bifocal::bench
