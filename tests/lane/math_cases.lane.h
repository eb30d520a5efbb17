// SPDX-License-Identifier: BSD-3-Clause
// Cases of src/math, written in lane code: numbers in, numbers out. lane_cases.def lists all cases.

lane_fn void case_sampson_squared(const real* in, real* out) {
  out[0] = sampson_squared(in, in[9], in[10], in[11], in[12]);
}

lane_fn void case_mat3(const real* in, real* out) {
  mat3_mul(in, in + 9, out);
  mat3_apply(in, in + 9, out + 9);
  out[12] = mat3_determinant(in);
  for (index i = 0; i < 9; ++i) out[13 + i] = in[i];
  mat3_normalise(out + 13);
}

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
  out[14] = transfer_linearise(in, in[9], in[10], in[11], in[12], out);
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

// Returns A A' + 1 for a 3x3 matrix A.
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
