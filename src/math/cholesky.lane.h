// SPDX-License-Identifier: BSD-3-Clause
// Solver for symmetric positive definite systems of a few unknowns.

// Solves A x = b for A [n][n], n <= 9, of which the lower triangle is used and all is overwritten;
// x replaces b. Returns the smallest pivot of the factorisation A = L D L', relative to the
// diagonal of A. If A is not positive definite, it is at most about epsilon, or NaN, and x is
// meaningless. Each pivot updates the whole remaining matrix, so that the updates depend on the
// last pivot only.
lane_fn real ldl_solve(real* A, real* b, index n) {
  real smallest = lane(1), diagonal[9], inverse[9];
  for (index i = 0; i < n; ++i) diagonal[i] = A[i * n + i];
  for (index j = 0; j < n; ++j) {
    const real pivot = A[j * n + j], ratio = pivot * reciprocal(diagonal[j]);
    smallest = select(ratio >= smallest, smallest, ratio);
    inverse[j] = reciprocal(pivot);
    for (index i = j + 1; i < n; ++i) {
      const real l = A[i * n + j] * inverse[j];
      for (index k = j + 1; k <= i; ++k) A[i * n + k] -= l * A[k * n + j];
      b[i] -= l * b[j];
      A[j * n + i] = l;
    }
  }
  for (index j = 0; j < n; ++j) b[j] = b[j] * inverse[j];
  for (index j = n - 1; j > 0; --j) {
    for (index k = 0; k < j; ++k) b[k] -= A[k * n + j] * b[j];
  }
  return smallest;
}
