// SPDX-License-Identifier: BSD-3-Clause
// Kernels of essential_trials.cpp for OpenCL; their arguments are described there. Samples are
// solved in double, points counted in float: each kernel has a program of its own.

#if REAL_IS_FLOAT
// A work-group a slot.
kernel void count_inliers(global const real* E, int first, global const real* points, int stride,
                          real squared_threshold, global int* inliers) {
  local scalar scratch[GROUP_SIZE];
  int slot = first + (int)get_group_id(0);
  scalar model[9], counts[4];
  for (int k = 0; k < 9; ++k) model[k] = E[9 * slot + k];
  essential_inliers(scratch, model, points, points + stride, points + 2 * stride,
                    points + 3 * stride, stride, squared_threshold, counts);
  if (get_local_id(0) == 0)
    inliers[slot] = (int)fmax(fmax(counts[0], counts[1]), fmax(counts[2], counts[3]));
}
#else
kernel void solve_samples(global const int* drawn, int samples, global const real* points,
                          int stride, global float* E) {
  int sample = (int)get_global_id(0);
  if (sample >= samples) return;
  real x1[5], y1[5], x2[5], y2[5], solutions[90];
  for (int k = 0; k < 5; ++k) {
    int p = drawn[k * samples + sample];
    x1[k] = points[p];
    y1[k] = points[stride + p];
    x2[k] = points[2 * stride + p];
    y2[k] = points[3 * stride + p];
  }
  essential_5pt(x1, y1, x2, y2, solutions);
  for (int k = 0; k < 90; ++k) E[90 * sample + k] = (float)solutions[k];
}
#endif
