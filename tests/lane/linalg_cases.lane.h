// SPDX-License-Identifier: BSD-3-Clause
// Cases of src/linalg.

// Builds the triangle of 5 rows of 9 numbers.
lane_fn void case_triangle_append_row(const real* in, real* out) {
  real row[9];
  for (index i = 0; i < 81; ++i) out[i] = lane(0);
  for (index i = 0; i < 5; ++i) {
    for (index j = 0; j < 9; ++j) row[j] = in[9 * i + j];
    triangle_append_row(out, row);
  }
}

// Outputs do not depend on the order of the eigenvalues or the signs of the vectors: counts,
// traces, residuals.
lane_fn void case_eigenpairs(const real* in, index n, lane_array A, kept_array K, real* out) {
  const index pitch = lane_pitch(n);
  real x[6];
  for (index e = 0; e < n * n; ++e) lane_at(A, e / n * pitch + e % n) = in[e];
  lane_int status;
  lane_int count = real_eigenvalues(A, K, n, 1, 30, &status);
  out[0] = select(count == lane_int_of(2), lane(1), lane(0));
  out[1] = select(count == lane_int_of(n), lane(1), lane(0));
  out[2] = select(status == lane_int_of(0), lane(1), lane(0));
  for (index k = 3; k < 9; ++k) out[k] = lane(0);
  for (index i = 0; i < n; ++i) {
    real re = eigenvalue_part(K, n, i, 0), im = eigenvalue_part(K, n, i, 1);
    out[3] = out[3] + re;
    out[4] = out[4] + re * re - im * im;
    out[5] = out[5] + im;
  }
  real worst = lane(0);
  for (index e = 0; e < lanes_max(count); ++e) {
    mask has = lane_int_of(e) < count;
    real_eigenvector(A, K, n, 1, e, x);
    for (index k = 0; k < n * n; ++k) lane_at(A, k / n * pitch + k % n) = in[k];
    worst = fmax(worst, select(has, eigenpair_residual(A, K, n, e, x), lane(0)));
    out[6] = out[6] + select(has, real_eigenvalue(K, n, e), lane(0));
    out[7] = out[7] + select(has, fabs(x[0]) + lane(2) * fabs(x[n - 1]), lane(0));
  }
  out[8] = select(worst < lane(300) * lane_epsilon(), lane(1), lane(0));
}

lane_fn void case_real_eigenpairs_4(const real* in, real* out) {
  real A[16], K[43];
  case_eigenpairs(in, 4, A, K, out);
}

lane_fn void case_real_eigenpairs_6(const real* in, real* out) {
  real A[36], K[75];
  case_eigenpairs(in, 6, A, K, out);
}

// Vectors are determined only up to sign: the largest element of each column becomes positive.
lane_fn void case_signs(real* V, index n) {
  for (index j = 0; j < n; ++j) {
    real largest = V[j * n];
    for (index i = 1; i < n; ++i)
      largest = select(fabs(V[j * n + i]) > fabs(largest), V[j * n + i], largest);
    real sign = copysign(lane(1), largest);
    for (index i = 0; i < n; ++i) V[j * n + i] = V[j * n + i] * sign;
  }
}

lane_fn void case_svd_3(const real* in, real* out) {
  real B[9], W[9];
  real scale = jacobi_scale(lane(4));
  for (index e = 0; e < 9; ++e) B[e] = jacobi_scaled(in[e], scale);
  mask unfinished = svd_square(B, 3, W, out, out + 3, out + 12, 1, 30);
  for (index i = 0; i < 3; ++i) out[i] = jacobi_unscaled(out[i], scale);
  case_signs(out + 3, 3);
  case_signs(out + 12, 3);
  out[21] = select(unfinished, lane(1), lane(0));
}

// Outputs the singular values and the last vector, without U.
lane_fn void case_svd_9(const real* in, real* out) {
  real B[81], W[81], V[81];
  real scale = jacobi_scale(lane(4));
  for (index e = 0; e < 81; ++e) B[e] = jacobi_scaled(in[e], scale);
  svd_square(B, 9, W, out, V, V, 0, 30);
  for (index i = 0; i < 9; ++i) out[i] = jacobi_unscaled(out[i], scale);
  case_signs(V, 9);
  for (index i = 0; i < 9; ++i) out[9 + i] = V[72 + i];
}

lane_fn void case_svd_tall(const real* in, real* out) {
  real A[24], B[9], W[9], X[9], V[9], U[24];
  for (index e = 0; e < 24; ++e) A[e] = in[e];
  const svd_workspace work = {B, W, X};
  const svd_factors factors = {out, V, U};
  svd_tall(A, 8, 3, &work, &factors, 30);
  for (index e = 0; e < 24; ++e) out[3 + e] = fabs(U[e]);
}

// A matrix of 3 x 5: the null space is orthogonal to the rows.
lane_fn void case_svd_wide(const real* in, real* out) {
  real T[15], B[9], W[9], X[9], V[25], U[9];
  for (index e = 0; e < 15; ++e) T[e] = in[e];
  const svd_workspace work = {B, W, X};
  const svd_factors factors = {out, V, U};
  svd_wide(T, 3, 5, &work, &factors, 1, 30);
  out[5] = lane(0);
  for (index k = 0; k < 6; ++k)
    out[5] = fmax(out[5], fabs(columns_dot(in + k % 3 * 5, V + (3 + k / 3) * 5, 5)));
  out[5] = select(out[5] < lane(100) * lane_epsilon(), lane(1), lane(0));
  for (index e = 0; e < 9; ++e) out[6 + e] = fabs(U[e]);
}

// A matrix of rank one: all but one column of V are completed arbitrarily, so only their products
// are determined.
lane_fn void case_svd_rank_one(const real* in, real* out) {
  real B[16], W[16], V[16], U[16];
  for (index e = 0; e < 16; ++e) B[e] = in[e / 4] * in[4 + e % 4];
  svd_square(B, 4, W, out, V, U, 1, 30);
  for (index i = 1; i < 4; ++i)
    out[i] = select(out[i] < lane(100) * lane_epsilon() * out[0], lane(1), lane(0));
  for (index i = 0; i < 4; ++i) {
    for (index j = 0; j < 4; ++j) out[4 + 4 * i + j] = columns_dot(V + 4 * i, V + 4 * j, 4);
  }
}

// The last column is short, so the smallest singular value is well separated and its vector
// well determined.
lane_fn void case_smallest_vector(const real* in, real* out) {
  real R[16], B[28], T[12], x[4];
  for (index e = 0; e < 16; ++e) R[e] = lane(0);
  for (index e = 0; e < 28; ++e) B[e] = e < 21 ? in[e] : lane(0.05) * in[e];
  qr_append(R, B, 7, 4);
  mask found = smallest_vector(R, 4, x, 40);
  for (index i = 0; i < 4; ++i) out[i] = select(found, fabs(x[i]), lane(0));
  for (index e = 0; e < 12; ++e) T[e] = in[e];
  null_vector(T, 3, 4, x);
  for (index i = 0; i < 4; ++i) out[4 + i] = fabs(x[i]);
}

lane_fn void case_symmetric_4(const real* in, real* out) {
  real A[16], V[16];
  for (index e = 0; e < 16; ++e) A[e] = in[e] + in[e % 4 * 4 + e / 4];
  mask unfinished = symmetric_jacobi(A, 4, out, V, 1, 30);
  case_signs(V, 4);
  for (index e = 0; e < 16; ++e) out[4 + e] = V[e];
  out[20] = select(unfinished, lane(1), lane(0));
}

lane_fn void case_qr(const real* in, real* out) {
  real A[24], diagonal[4], beta[4];
  for (index e = 0; e < 24; ++e) A[e] = in[e];
  qr_factor(A, 6, 4, diagonal, beta);
  for (index j = 0; j < 4; ++j) {
    for (index i = 0; i < 4; ++i)
      out[4 * j + i] = i < j ? fabs(A[j * 6 + i]) : (i == j ? fabs(diagonal[i]) : lane(0));
  }
}
