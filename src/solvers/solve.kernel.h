// SPDX-License-Identifier: BSD-3-Clause
// The kernel of solve.kernels: one sample per thread.
map_kernel(solve_samples, i, SOLVE_SAMPLES) {
  real in[SAMPLE_ROWS], out[SOLUTIONS_ROWS];
  for (index r = 0; r < SAMPLE_ROWS; ++r) in[r] = samples[r * row + i];
  counts[i] = (int)solve_sample(in, out);
  for (index r = 0; r < SOLUTIONS_ROWS; ++r) solutions[r * row + i] = out[r];
}
