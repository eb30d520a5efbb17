// SPDX-License-Identifier: BSD-3-Clause
// The right singular vector of the smallest singular value. Matrices are stored column by column,
// scaled as in jacobi_rotation.lane.h.

// For m < n, computes a unit x [n] with A x = 0, the last column of Q in A' = Q R. T [m][n]: the
// rows of A (overwritten).
lane_fn void null_vector(real* T, index m, index n, real* x) {
  real diagonal[32], beta[32];
  qr_factor(T, n, m, diagonal, beta);
  lane_unroll for (index i = 0; i < n; ++i) x[i] = lane(i == n - 1 ? 1 : 0);
  qr_apply(T, beta, n, m, x, 1);
}

// x <- R^-T x, and below x <- R^-1 x, for upper triangular R [n][n]; inverse: reciprocals of
// its diagonal.
lane_fn void triangle_solve_transposed(const real* R, const real* inverse, index n, real* x) {
  lane_unroll for (index k = 0; k < n; ++k) {
    real sum = x[k];
    lane_unroll for (index i = 0; i < k; ++i) sum -= R[k * n + i] * x[i];
    x[k] = sum * inverse[k];
  }
}
lane_fn void triangle_solve(const real* R, const real* inverse, index n, real* x) {
  lane_unroll for (index k = n - 1; k >= 0; --k) {
    x[k] = x[k] * inverse[k];
    lane_unroll for (index i = 0; i < k; ++i) x[i] -= R[k * n + i] * x[k];
  }
}
// Scales x to unit length; returns the length before.
lane_fn real unit_make(real* x, index n) {
  real length = sqrt(columns_dot(x, x, n)), inverse = lane(1) / length;
  lane_unroll for (index i = 0; i < n; ++i) x[i] = x[i] * inverse;
  return length;
}

// Inverse iteration with R'R (G. Golub, C. Van Loan, Matrix Computations, 4th ed., 8.2.2) for upper
// triangular R [n][n]. The start vector is taken from LINPACK's condition estimate (A. Cline et
// al., 1979). A step from x to y of length 1 has R'R y = a x with a = |R y|^2 / x'y, so |R'R y - |R
// y|^2 y| = |R y|^2 tan(x, y). y is accepted if this is at most `4 epsilon |R| |R y|`, so that |R
// y| is equally close to a singular value. Returns the mask of lanes in which a vector was accepted
// after at most max_steps; in all other lanes x is undefined and may be NaN.
lane_fn mask smallest_vector(const real* R, index n, real* x, index max_steps) {
  real inverse[32], before[32];
  real norm2 = lane(0);
  lane_unroll for (index j = 0; j < n; ++j) norm2 += columns_dot(R + j * n, R + j * n, j + 1);
  real size = fmax(sqrt(norm2), lane(1)), least = lane_epsilon() * size;
  lane_unroll for (index k = 0; k < n; ++k) {
    real d = R[k * n + k];
    inverse[k] = lane(1) / select(fabs(d) > least, d, copysign(least, d));
  }
  lane_unroll for (index k = 0; k < n; ++k) {  // R'x = +-1, each sign chosen for growth
    real sum = lane(0);
    lane_unroll for (index i = 0; i < k; ++i) sum -= R[k * n + i] * x[i];
    x[k] = (sum + copysign(lane(1), sum)) * inverse[k];
  }
  unit_make(x, n);
  triangle_solve(R, inverse, n, x);
  unit_make(x, n);
  mask found = lane(1) < lane(0);
  for (index step = 0; step < max_steps && any(!found); ++step) {
    lane_unroll for (index i = 0; i < n; ++i) before[i] = x[i];
    triangle_solve_transposed(R, inverse, n, x);
    real growth = unit_make(x, n);
    triangle_solve(R, inverse, n, x);
    growth = growth * unit_make(x, n);
    real cosine = columns_dot(x, before, n), sine2 = lane(0);
    lane_unroll for (index i = 0; i < n; ++i) {
      real d = before[i] - cosine * x[i];
      sine2 += d * d;
      x[i] = select(found, before[i], x[i]);
    }
    real limit = lane(4) * least;
    found = found | (sine2 <= limit * limit * fabs(cosine) * growth);
  }
  return found;
}
