// SPDX-License-Identifier: BSD-3-Clause
// Null space of a few equations in 9 unknowns, by Householder reflections (G. Golub, C. Van Loan,
// Matrix Computations, 4th ed., 5.1-5.2): orthonormal, backward stable, and without the row
// exchanges that lanes could not make together.

// Reflector that maps the tail a[k..8] to a multiple of its first axis, stored over that tail;
// returns its factor beta (I - beta v v'), and 0 for a tail of zeros. *diagonal: the norm of the
// tail.
lane_fn real reflector_9(real* a, index k, real* diagonal) {
  real norm2 = a[k] * a[k];
  for (index j = k + 1; j < 9; ++j) norm2 += a[j] * a[j];
  real norm = sqrt(norm2);
  real head = fabs(a[k]) + norm;
  a[k] = copysign(head, a[k]);
  *diagonal = norm;
  real product = norm * head;
  return select(product > lane(0), lane(1) / product, lane(0));
}

// b -= beta (v'b) v on the elements k..8.
lane_fn void reflect_9(const real* v, real beta, index k, real* b) {
  real s = v[k] * b[k];
  for (index j = k + 1; j < 9; ++j) s += v[j] * b[j];
  s = s * beta;
  for (index j = k; j < 9; ++j) b[j] -= s * v[j];
}

// A: m <= 8 rows of 9 (overwritten). N: 9 - m orthonormal rows of 9 with A N' = 0. Returns the
// smallest sine of the angle between a row and the span of the rows before it: about epsilon when
// the rows are dependent, NaN for NaN input.
lane_fn real null_space_9(real* A, index m, real* N) {
  real beta[8];
  real sine2 = lane(1);
  for (index k = 0; k < m; ++k) {
    real* a = A + 9 * k;
    real norm2 = a[0] * a[0];
    for (index j = 1; j < 9; ++j) norm2 += a[j] * a[j];
    for (index i = 0; i < k; ++i) reflect_9(A + 9 * i, beta[i], i, a);
    real diagonal;
    beta[k] = reflector_9(a, k, &diagonal);
    real ratio = diagonal * diagonal / norm2;
    sine2 = select(ratio >= sine2, sine2, ratio);
  }
  for (index i = 0; i < 9 - m; ++i) {
    real* n = N + 9 * i;
    for (index j = 0; j < 9; ++j) n[j] = lane(0);
    n[m + i] = lane(1);
    for (index k = m - 1; k >= 0; --k) reflect_9(A + 9 * k, beta[k], k, n);
  }
  return sqrt(sine2);
}
