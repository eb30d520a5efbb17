// SPDX-License-Identifier: BSD-3-Clause
// One Levenberg-Marquardt step in the parameters of a chart.
//   D. Marquardt, SIAM J. Appl. Math. 11(2), 1963.

// Solves (A + damping diag A) delta = -g for A [dof][dof], dof <= 8. Only the lower triangle
// of A is used; it is overwritten. delta holds g on entry. Returns the smallest relative
// pivot (ldl_solve).
lane_fn real damped_solve(real* A, real* delta, index dof, real damping) {
  for (index i = 0; i < dof; ++i) {
    delta[i] = -delta[i];
    A[dof * i + i] = A[dof * i + i] * (lane(1) + damping);
  }
  return ldl_solve(A, delta, dof);
}

// out [columns]: the row vector a [size] times the first columns of B [size][stride]. Four sums are
// computed at once, since the additions of one sum depend on each other.
lane_fn void row_product(const real* a, const real* B, index size, index stride, index columns,
                         real* out) {
  for (index j = 0; j < columns; j += 4) {
    const index last = columns - 1;
    const index j1 = j + 1 < last ? j + 1 : last, j2 = j + 2 < last ? j + 2 : last,
                j3 = j + 3 < last ? j + 3 : last;
    real s0 = lane(0), s1 = lane(0), s2 = lane(0), s3 = lane(0);
    for (index k = 0; k < size; ++k) {
      const real* b = B + stride * k;
      s0 += a[k] * b[j];
      s1 += a[k] * b[j1];
      s2 += a[k] * b[j2];
      s3 += a[k] * b[j3];
    }
    out[j] = s0;
    out[j1] = s1;
    out[j2] = s2;
    out[j3] = s3;
  }
}

// Solves (A + damping diag A) delta = -D'g with A = D' N D. N is the packed lower triangle [size
// (size + 1) / 2] and g [size] the right-hand side of the normal equations in the elements of
// the model; D [size][dof] holds their derivatives. size <= 10, dof <= 8. Returns the smallest
// relative pivot (ldl_solve).
lane_fn real damped_step(const real* N, const real* g, const real* D, index size, index dof,
                         real damping, real* delta) {
  real A[64], ND[80], row[10];
  for (index i = 0; i < size; ++i) {
    for (index k = 0; k < size; ++k) row[k] = N[i > k ? i * (i + 1) / 2 + k : k * (k + 1) / 2 + i];
    row_product(row, D, size, dof, dof, ND + dof * i);
  }
  for (index i = 0; i < dof; ++i) {
    real sum = lane(0);
    for (index k = 0; k < size; ++k) {
      row[k] = D[dof * k + i];
      sum += row[k] * g[k];
    }
    row_product(row, ND, size, dof, i + 1, A + dof * i);
    delta[i] = sum;
  }
  return damped_solve(A, delta, dof, damping);
}
