// SPDX-License-Identifier: BSD-3-Clause
// Symmetric positive definite systems of a few unknowns.

// Solves A x = b for A [n][n] (lower triangle used, overwritten), n <= 9; x replaces b. Returns the
// smallest pivot of the factorisation A = L D L', relative to the diagonal of A: not above about
// epsilon, or NaN, when A is not positive definite, and then x is meaningless.
lane_fn real ldl_solve(real* A, real* b, index n) {
  real smallest = lane(1);
  for (index j = 0; j < n; ++j) {
    real diagonal = A[j * n + j], pivot = diagonal;
    for (index k = 0; k < j; ++k) pivot -= A[j * n + k] * A[j * n + k] * A[k * n + k];
    A[j * n + j] = pivot;
    real ratio = pivot / diagonal;
    smallest = select(ratio >= smallest, smallest, ratio);
    real inverse = lane(1) / pivot;
    for (index i = j + 1; i < n; ++i) {
      real v = A[i * n + j];
      for (index k = 0; k < j; ++k) v -= A[i * n + k] * A[j * n + k] * A[k * n + k];
      A[i * n + j] = v * inverse;
    }
    for (index k = 0; k < j; ++k) b[j] -= A[j * n + k] * b[k];
  }
  for (index j = n - 1; j >= 0; --j) {
    b[j] = b[j] / A[j * n + j];
    for (index k = j + 1; k < n; ++k) b[j] -= A[k * n + j] * b[k];
  }
  return smallest;
}
