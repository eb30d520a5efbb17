// SPDX-License-Identifier: BSD-3-Clause
// Null space of a few equations in up to 9 unknowns, by Householder reflections (G. Golub, C. Van
// Loan, Matrix Computations, 4th ed., 5.1-5.2). The basis is orthonormal and backward stable. No
// rows are exchanged, because lanes could not do so together. Rows have n numbers.

// Computes the reflector I - beta v v' that maps the tail a[k..n-1] to a multiple of the first
// axis; v is stored over the tail. Returns beta, or 0 for a tail of zeros. *diagonal: the norm
// of the tail.
lane_fn real row_reflector(real* a, index k, index n, real* diagonal) {
  real norm2 = a[k] * a[k];
  for (index j = k + 1; j < n; ++j) norm2 += a[j] * a[j];
  real norm = sqrt(norm2);
  real head = fabs(a[k]) + norm;
  a[k] = copysign(head, a[k]);
  *diagonal = norm;
  real product = norm * head;
  return select(product > lane(0), lane(1) / product, lane(0));
}

// b -= beta (v'b) v on the elements k..n-1.
lane_fn void reflect_row(const real* v, real beta, index k, index n, real* b) {
  real s = v[k] * b[k];
  for (index j = k + 1; j < n; ++j) s += v[j] * b[j];
  s = s * beta;
  for (index j = k; j < n; ++j) b[j] -= s * v[j];
}

// Computes the reflector of row k of m and applies it to all later rows at once, whose sums are
// independent. Returns the square of the part of the row outside of the span of the rows before it.
lane_fn real null_step(real* A, index k, index m, index n, real* beta) {
  real diagonal = lane(0);
  if (k >= m) return diagonal;
  beta[k] = row_reflector(A + n * k, k, n, &diagonal);
  for (index i = k + 1; i < m; ++i) reflect_row(A + n * k, beta[k], k, n, A + n * i);
  return diagonal * diagonal;
}

// Applies the reflector of row k of m to the rows of N.
lane_fn void null_back(const real* A, index k, index m, index n, const real* beta, real* N) {
  if (k >= m) return;
  for (index i = 0; i < n - m; ++i) reflect_row(A + n * k, beta[k], k, n, N + n * i);
}

// Computes N, n - m orthonormal rows of n with A N' = 0. On entry, N holds n - m orthonormal rows
// whose first m elements are 0; the reflectors of A map them to the result. A: m <= 8 rows of n <=
// 9, m < n, overwritten. Returns the smallest sine of the angle between a row and the span of the
// rows before it: about epsilon if the rows are dependent, NaN for NaN input. Steps are written
// out, so that compilers know the length of each loop.
lane_fn real null_space_of_rows(real* A, index m, index n, real* N) {
  real beta[8], norm2[8], outside2[8];
  for (index i = 0; i < m; ++i) {
    real* a = A + n * i;
    norm2[i] = a[0] * a[0];
    for (index j = 1; j < n; ++j) norm2[i] += a[j] * a[j];
  }
  outside2[0] = null_step(A, 0, m, n, beta);
  outside2[1] = null_step(A, 1, m, n, beta);
  outside2[2] = null_step(A, 2, m, n, beta);
  outside2[3] = null_step(A, 3, m, n, beta);
  outside2[4] = null_step(A, 4, m, n, beta);
  outside2[5] = null_step(A, 5, m, n, beta);
  outside2[6] = null_step(A, 6, m, n, beta);
  outside2[7] = null_step(A, 7, m, n, beta);
  real sine2 = lane(1);
  for (index k = 0; k < m; ++k) {
    real ratio = outside2[k] / norm2[k];
    sine2 = select(ratio >= sine2, sine2, ratio);
  }
  null_back(A, 7, m, n, beta, N);
  null_back(A, 6, m, n, beta, N);
  null_back(A, 5, m, n, beta, N);
  null_back(A, 4, m, n, beta, N);
  null_back(A, 3, m, n, beta, N);
  null_back(A, 2, m, n, beta, N);
  null_back(A, 1, m, n, beta, N);
  null_back(A, 0, m, n, beta, N);
  return sqrt(sine2);
}

// Computes N as null_space_of_rows does, from the rows of the identity.
lane_fn real null_space(real* A, index m, index n, real* N) {
  for (index i = 0; i < n - m; ++i) {
    real* row = N + n * i;
    for (index j = 0; j < n; ++j) row[j] = lane(0);
    row[m + i] = lane(1);
  }
  return null_space_of_rows(A, m, n, N);
}
