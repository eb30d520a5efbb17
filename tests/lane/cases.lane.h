// SPDX-License-Identifier: BSD-3-Clause
// One adaptor for every lane function: numbers in, numbers out. Lane code itself, so that the same
// cases run on scalars, SIMD registers, OpenCL work-items and CUDA threads. cases.def lists them
// with their inputs and tolerances.

lane_fn void case_sampson_squared(const real* in, real* out) {
  out[0] = sampson_squared(in, in[9], in[10], in[11], in[12]);
}

lane_fn void case_mat3(const real* in, real* out) {
  mat3_mul(in, in + 9, out);
  mat3_apply(in, in + 9, out + 9);
  mat3_apply_transposed(in, in + 9, out + 12);
  out[15] = mat3_determinant(in);
  for (index i = 0; i < 9; ++i) out[16 + i] = in[i];
  mat3_normalise(out + 16);
}

lane_fn void case_homography_4pt(const real* in, real* out) {
  out[9] = homography_4pt(in, in + 4, in + 8, in + 12, out);
}

lane_fn void case_homography_svd(const real* in, real* out) {
  out[9] = homography_svd(in, in + 4, in + 8, in + 12, out);
}

// The triangle of 5 rows of 9 numbers.
lane_fn void case_triangle_append_row(const real* in, real* out) {
  real row[9];
  for (index i = 0; i < 81; ++i) out[i] = lane(0);
  for (index i = 0; i < 5; ++i) {
    for (index j = 0; j < 9; ++j) row[j] = in[9 * i + j];
    triangle_append_row(out, row);
  }
}

lane_fn void case_fundamental_7pt(const real* in, real* out) {
  out[27] = fundamental_7pt(in, in + 7, in + 14, in + 21, out);
}

lane_fn void case_essential_5pt(const real* in, real* out) {
  out[90] = essential_5pt(in, in + 5, in + 10, in + 15, out);
}

lane_fn void case_essential_5pt_action(const real* in, real* out) {
  out[90] = essential_5pt_action(in, in + 5, in + 10, in + 15, out);
}

lane_fn void case_essential_action_matrix(const real* in, real* out) {
  real equations[45], N[36];
  for (index i = 0; i < 5; ++i)
    epipolar_equation(in[i], in[5 + i], in[10 + i], in[15 + i], equations + 9 * i);
  null_space_9(equations, 5, N);
  essential_action_matrix(N, out);
}

lane_fn void case_essential_at_eigenvector(const real* in, real* out) {
  essential_at_eigenvector(in, in + 36, out);
}

// The epipolar pose of the first solution of five points; what follows from it once per candidate
// is fixed up to order and sign.
lane_fn void case_pose_candidates(const real* in, real* out) {
  real E[90], R[18];
  essential_5pt(in, in + 5, in + 10, in + 15, E);
  pose_candidates(E, R, out + 9);
  for (index i = 0; i < 9; ++i) out[i] = R[i] * R[9 + i];
  for (index i = 9; i < 12; ++i) out[i] = fabs(out[i]);
}

lane_fn void case_pose_from_essential(const real* in, real* out) {
  real E[90];
  essential_5pt(in, in + 5, in + 10, in + 15, E);
  out[12] = pose_from_essential(E, in, in + 5, in + 10, in + 15, 5, out, out + 9);
}

lane_fn void case_triangulate(const real* in, real* out) {
  // A turn about y (7:24:25) and a baseline mostly along x.
  real R[9] = {lane(0.96), lane(0),    lane(-0.28), lane(0),   lane(1),
               lane(0),    lane(0.28), lane(0),     lane(0.96)};
  real t[3] = {lane(0.9), lane(0.3), lane(0.1)};
  triangulate(R, t, in[0], in[4], in[8], in[12], out);
  out[3] = parallax_tangent(R, in[0], in[4], in[8], in[12]);
  out[4] = select(pose_in_front(R, t, in[0], in[4], in[8], in[12]), lane(1), lane(0));
}

lane_fn void case_fundamental_8pt(const real* in, real* out) {
  out[9] = fundamental_8pt(in, in + 8, in + 16, in + 24, out);
}

lane_fn void case_p3p(const real* in, real* out) { out[48] = p3p(in, in + 9, out); }

lane_fn void case_sampson_linearise(const real* in, real* out) {
  out[9] = sampson_linearise(in, in[9], in[10], in[11], in[12], out, out + 10);
}

lane_fn void case_transfer_squared(const real* in, real* out) {
  out[0] = transfer_squared(in, in[9], in[10], in[11], in[12]);
}

lane_fn void case_transfer_within(const real* in, real* out) {
  mask within = transfer_within(in, in[9], in[10], in[11], in[12], in[13] * in[13]);
  out[0] = select(within, lane(1), lane(0));
}

lane_fn void case_transfer_linearise(const real* in, real* out) {
  out[14] = transfer_linearise(in, in[9], in[10], in[11], in[12], out, out + 2, out + 5, out + 8,
                               out + 11);
}

lane_fn void case_reprojection(const real* in, real* out) {
  real cam[3], r[2];
  out[0] = reprojection_squared(in, in[12], in[13], in + 14, lane(1.5), lane(2));
  reprojection_residual(in, in[12], in[13], in + 14, lane(1.5), lane(2), cam, r);
  out[1] = r[0];
  out[2] = r[1];
  reprojection_jacobian(cam, lane(1.5), lane(2), out + 3);
}

lane_fn void case_msac_score(const real* in, real* out) {
  out[0] = msac_score(in[0] * in[0], in[1] * in[1]);
}

// A A' + 1 of a 3x3 matrix A.
lane_fn void case_definite(const real* A, real* out) {
  for (index i = 0; i < 3; ++i) {
    for (index j = 0; j < 3; ++j) out[3 * i + j] = vec3_dot(A + 3 * i, A + 3 * j) + lane(i == j);
  }
}

lane_fn void case_ldl_solve(const real* in, real* out) {
  real A[9];
  case_definite(in, A);
  for (index i = 0; i < 3; ++i) out[i] = in[9 + i];
  out[3] = ldl_solve(A, out, 3);
}

lane_fn void case_damped_step(const real* in, real* out) {
  real A[9];
  case_definite(in, A);
  real N[6] = {A[0], A[3], A[4], A[6], A[7], A[8]};
  out[2] = damped_step(N, in + 9, in + 12, 3, 2, lane(0.5), out);
}

lane_fn void case_homography_chart(const real* in, real* out) {
  for (index i = 0; i < 9; ++i) out[i] = in[i];
  mat3_normalise(out);
  homography_tangent(out, out + 9);
  homography_move(out, in + 9);
}

// A matrix of rank 2 from two rows; its chart, tangent, and where a step leads.
lane_fn void case_rank2(const real* rows, real* F) {
  for (index i = 0; i < 6; ++i) F[i] = rows[i];
  for (index i = 0; i < 3; ++i) F[6 + i] = lane(0.75) * rows[i] - lane(0.5) * rows[3 + i];
}

lane_fn void case_fundamental_chart(const real* in, real* out) {
  real F[9], chart[20];
  case_rank2(in, F);
  epipolar_chart(F, chart);
  epipolar_matrix(chart, out);
  epipolar_tangent(chart, 7, out + 9);
  epipolar_move(chart, 7, in + 6);
  epipolar_matrix(chart, out + 72);
  for (index i = 81; i < 90; ++i) out[i] = chart[i - 81];
}

lane_fn void case_essential_chart(const real* in, real* out) {
  real F[9], chart[20];
  case_rank2(in, F);
  essential_chart(F, chart);
  epipolar_tangent(chart, 5, out);
  epipolar_move(chart, 5, in + 6);
  epipolar_matrix(chart, out + 45);
}

lane_fn void case_pose_move(const real* in, real* out) {
  for (index i = 0; i < 12; ++i) out[i] = in[i];
  pose_move(out, in + 12);
}

lane_fn void case_point_side(const real* in, real* out) {
  real rays[4] = {lane(1), lane(1), lane(1), lane(1)};
  mask unsure;
  out[0] = point_side(in, in, rays, in + 12, lane(0.01), &unsure);
  out[1] = select(unsure, lane(1), lane(0));
}

lane_fn void case_epipolar_side(const real* in, real* out) {
  out[0] = epipolar_side(in, in + 9, in[12], in[13], in[14], in[15], out + 1);
}

// The first solution of seven points: do three of them agree with it, do all?
lane_fn void case_epipolar_oriented(const real* in, real* out) {
  real F[27];
  fundamental_7pt(in, in + 7, in + 14, in + 21, F);
  mask some = epipolar_oriented(F, in, in + 7, in + 14, in + 21, 3);
  mask all_of_them = epipolar_oriented(F, in, in + 7, in + 14, in + 21, 7);
  out[0] = select(some, lane(1), lane(0));
  out[1] = select(all_of_them, lane(1), lane(0));
}

lane_fn void case_chance_and_parallax(const real* in, real* out) {
  real focal[4];
  for (index i = 0; i < 4; ++i) focal[i] = fabs(in[i]) + lane(0.5);
  out[0] = chance_in_box(focal[0], focal[1], lane(0.05) * focal[2]);
  out[1] = parallax_limit(focal, fabs(in[4]));
}

// Whole numbers in two halves, each exact in every precision.
lane_fn void case_halves(bits32 v, real* out) {
  out[0] = lane((index)(v >> 16));
  out[1] = lane((index)(v & 0xffffu));
}

lane_fn void case_philox(const real* in, real* out) {
  (void)in;
  bits32 counter[4] = {0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}, numbers[4];
  philox(counter, 0xa4093822u, 0x299f31d0u, numbers);
  for (index i = 0; i < 4; ++i) case_halves(numbers[i], out + 2 * i);
  philox(numbers, 7u, 0u, counter);
  for (index i = 0; i < 4; ++i) case_halves(counter[i], out + 8 + 2 * i);
}

// Of few points, where numbers repeat, and of very many, where some are rejected; with random
// numbers made before and without.
lane_fn void case_sample_draw(const real* in, real* out) {
  (void)in;
  bits32 counter[4] = {0, 0, 3u, 0}, ready[4];
  index sample[7];
  philox(counter, 12u, 34u, ready);
  for (index k = 0; k < 4; ++k) {
    sample_draw(12u, 34u, 3u, k % 2 ? 1500000000 : 8, 7, ready, k / 2, sample);
    for (index i = 0; i < 7; ++i) case_halves((bits32)sample[i], out + 14 * k + 2 * i);
  }
  sample_draw(0xffffffffu, 0x80000001u, 0xfffffffeu, 1000, 6, ready, 0, sample);
  for (index i = 0; i < 6; ++i) case_halves((bits32)sample[i], out + 56 + 2 * i);
}

lane_fn void case_shuffled(const real* in, real* out) {
  (void)in;
  for (index i = 0; i < 10; ++i) {
    case_halves((bits32)shuffled(i, 10, 1u, 0u), out + 2 * i);
    case_halves((bits32)shuffled(i, 1000, 0xfedcba98u, 0x76543210u), out + 20 + 2 * i);
    case_halves((bits32)shuffled(i, 100000000, 5u, 6u), out + 40 + 2 * i);
  }
}

lane_fn void case_sample_models(const real* in, real* out) {
  real rays[4] = {lane(1), lane(1), lane(1), lane(1)};
  out[36] = sample_models(in, rays, out);
}

// The chart of an essential matrix in coordinates of another scale in each direction: back to the
// model, its tangent, and where a step leads.
lane_fn void case_model_chart(const real* in, real* out) {
  real F[9], chart[20], rays[4];
  case_rank2(in, F);
  for (index i = 0; i < 4; ++i) rays[i] = fabs(in[11 + i]) + lane(0.5);
  essential_scale(rays, F);
  model_open(F, rays, chart);
  model_close(chart, rays, out);
  model_tangent(chart, rays, out + 9);
  model_move(chart, in + 6);
  model_close(chart, rays, out + 54);
}

lane_fn void case_leverage_matrix(const real* in, real* out) {
  real F[9], chart[20], N[45], D[45];
  real rays[4] = {lane(1), lane(1), lane(1), lane(1)};
  case_rank2(in + 81, F);
  model_open(F, rays, chart);
  model_tangent(chart, rays, D);
  index packed = 0;
  for (index i = 0; i < 9; ++i) {
    for (index j = 0; j <= i; ++j) {
      N[packed] = lane(i == j);
      for (index k = 0; k < 9; ++k) N[packed] += in[9 * i + k] * in[9 * j + k];
      ++packed;
    }
  }
  leverage_matrix(N, D, out);
}

// Six points anywhere, on a line, and on a line to within the noise.
lane_fn void case_moments_on_line(const real* in, real* out) {
  for (index k = 0; k < 3; ++k) {
    real s[6];
    for (index i = 0; i < 6; ++i) s[i] = lane(0);
    for (index i = 0; i < 6; ++i) {
      real x = in[i], y = in[6 + i] * lane(k == 0 ? 1 : k == 1 ? 0 : 0.01) + lane(0.5) * x;
      s[0] += lane(1);
      s[1] += x;
      s[2] += y;
      s[3] += x * x;
      s[4] += x * y;
      s[5] += y * y;
    }
    out[k] = select(moments_on_line(s, lane(k == 2 ? 0.05 : 1e-3)), lane(1), lane(0));
  }
}

// What does not depend on the order of the eigenvalues or the signs of the vectors: counts, traces,
// residuals.
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

// Vectors are known up to sign only: the largest element of each column becomes positive.
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

// Without U: the values and the last vector.
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
  svd_tall(A, 8, 3, B, W, X, out, V, U, 30);
  for (index e = 0; e < 24; ++e) out[3 + e] = fabs(U[e]);
}

// 3 x 5: the null space is orthogonal to the rows.
lane_fn void case_svd_wide(const real* in, real* out) {
  real T[15], B[9], W[9], X[9], V[25], U[9];
  for (index e = 0; e < 15; ++e) T[e] = in[e];
  svd_wide(T, 3, 5, B, W, X, out, V, U, 1, 30);
  out[5] = lane(0);
  for (index k = 0; k < 6; ++k)
    out[5] = fmax(out[5], fabs(columns_dot(in + k % 3 * 5, V + (3 + k / 3) * 5, 5)));
  out[5] = select(out[5] < lane(100) * lane_epsilon(), lane(1), lane(0));
  for (index e = 0; e < 9; ++e) out[6 + e] = fabs(U[e]);
}

// Rank one: the other columns of V are completed, so only their products are known.
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

// A short last column: the smallest value is well apart, so the vector is well determined.
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

// A moderate lens at a point, its Jacobian, and the way back; the disc has the radius 1.2.
lane_fn void case_lens(const real* in, real* out) {
  real k[8];
  for (index i = 0; i < 8; ++i) k[i] = in[i] * lane(i == 2 || i == 3 ? 1e-3 : 0.02);
  real x = in[8] * lane(0.3), y = in[9] * lane(0.3), J[3];
  lens_map(k, x, y, out, J);
  for (index i = 0; i < 3; ++i) out[2 + i] = J[i];
  lens_distort(k, lane(1.44), x, y, out);
  lens_undistort(k, lane(1.44), out[0], out[1], out + 5);
}

// Whole numbers, the same in every lane.
lane_fn void case_disparity(const real* in, real* out) {
  out[0] = in[0] * lane(0) + lane(jump_penalty(100, 7, 12));
  out[1] = lane(census_margin(255, 1) + 100 * census_margin(65535, 0));
  out[2] = lane(brightness_of(40000, 65535) + 1000 * brightness_of(77, 255));
  out[3] = lane(subpixel_offset(400, 250, 350, 72));
  out[4] = lane(subpixel_offset(310, 250, 500, 72));
  out[5] = lane(parabola_offset(62000000, 100, 31000000));
  out[6] = lane(is_unique(90, 100, 10) + 2 * is_unique(91, 100, 10));
  out[7] = lane(winner_confidence(90, 100) + 1000 * directions_agree(70, 2, 16));
}
