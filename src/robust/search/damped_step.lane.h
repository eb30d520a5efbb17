// SPDX-License-Identifier: BSD-3-Clause
// One step of Levenberg-Marquardt in a chart's parameters.
//   D. Marquardt, SIAM J. Appl. Math. 11(2), 1963.

// Solves (A + damping diag A) delta = -g, A [dof][dof] (lower triangle used, overwritten), dof <=
// 8; delta holds g before. Returns the smallest relative pivot (ldl_solve).
lane_fn real damped_solve(real* A, real* delta, index dof, real damping) {
  for (index i = 0; i < dof; ++i) {
    delta[i] = -delta[i];
    A[dof * i + i] = A[dof * i + i] * (lane(1) + damping);
  }
  return ldl_solve(A, delta, dof);
}

// N: packed lower triangle [size (size + 1) / 2] and g [size] of the normal equations in the
// model's elements; D [size][dof], size <= 9, dof <= 8: their derivatives. delta [dof]: solves
// (A + damping diag A) delta = -D'g with A = D' N D. Returns the smallest relative pivot
// (ldl_solve).
lane_fn real damped_step(const real* N, const real* g, const real* D, index size, index dof,
                         real damping, real* delta) {
  real A[64], ND[72];
  for (index i = 0; i < size; ++i) {
    for (index j = 0; j < dof; ++j) {
      real sum = lane(0);
      for (index k = 0; k < size; ++k) {
        index packed = i > k ? i * (i + 1) / 2 + k : k * (k + 1) / 2 + i;
        sum += N[packed] * D[dof * k + j];
      }
      ND[dof * i + j] = sum;
    }
  }
  for (index i = 0; i < dof; ++i) {
    for (index j = 0; j <= i; ++j) {
      real sum = lane(0);
      for (index k = 0; k < size; ++k) sum += D[dof * k + i] * ND[dof * k + j];
      A[dof * i + j] = sum;
    }
    real sum = lane(0);
    for (index k = 0; k < size; ++k) sum += D[dof * k + i] * g[k];
    delta[i] = sum;
  }
  return damped_solve(A, delta, dof, damping);
}
