// SPDX-License-Identifier: BSD-3-Clause
// Cases of the functions that the problems of src/robust share; problem_cases.lane.h has the cases
// of each problem.

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

// A matrix of rank 2 from two rows; its chart, its tangent, and the matrix after a step.
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

lane_fn void case_epipolar_side(const real* in, real* out) {
  out[0] = epipolar_side(in, in + 9, in[12], in[13], in[14], in[15], out + 1);
}

// Outputs an integer in two halves, each exact in every precision.
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

// Draws from few points, where repeated numbers occur, and from very many, where numbers are
// rejected; with random numbers drawn in advance and without.
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
