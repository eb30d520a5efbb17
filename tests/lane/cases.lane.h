// SPDX-License-Identifier: BSD-3-Clause
// One adaptor for every lane function: numbers in, numbers out. Lane code itself, so that the same cases run on scalars, SIMD
// registers, OpenCL work-items and CUDA threads. cases.def lists them with their inputs and tolerances.

lane_fn void case_sampson_squared(const real* in, real* out) {
  out[0] = sampson_squared(in, in[9], in[10], in[11], in[12]);
}
