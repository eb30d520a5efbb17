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
