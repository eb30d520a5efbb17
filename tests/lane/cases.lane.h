// SPDX-License-Identifier: BSD-3-Clause
// One adaptor for every lane function: numbers in, numbers out. Lane code itself, so that the same cases run on scalars, SIMD
// registers, OpenCL work-items and CUDA threads. cases.def lists them with their inputs and tolerances.

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

lane_fn void case_fundamental_7pt(const real* in, real* out) {
  out[27] = fundamental_7pt(in, in + 7, in + 14, in + 21, out);
}

lane_fn void case_essential_5pt(const real* in, real* out) {
  out[90] = essential_5pt(in, in + 5, in + 10, in + 15, out);
}

// The epipolar pose of the first solution of five points; what follows from it once per candidate is fixed up to order and sign.
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
  real R[9] = {lane(0.96), lane(0), lane(-0.28), lane(0), lane(1), lane(0), lane(0.28), lane(0), lane(0.96)};
  real t[3] = {lane(0.9), lane(0.3), lane(0.1)};
  triangulate(R, t, in[0], in[4], in[8], in[12], out);
  out[3] = parallax_tangent(R, in[0], in[4], in[8], in[12]);
  out[4] = select(pose_in_front(R, t, in[0], in[4], in[8], in[12]), lane(1), lane(0));
}

lane_fn void case_fundamental_8pt(const real* in, real* out) {
  out[9] = fundamental_8pt(in, in + 8, in + 16, in + 24, out);
}

lane_fn void case_p3p(const real* in, real* out) { out[48] = p3p(in, in + 9, out, out + 36); }
