// SPDX-License-Identifier: BSD-3-Clause
// Kernels of homography_trials.cpp for OpenCL; their arguments are described there.

kernel void solve_trials(global const int* samples, global const real* points, int stride,
                         global real* H, int trials) {
  int trial = (int)get_global_id(0);
  if (trial >= trials) return;
  real x1[4], y1[4], x2[4], y2[4], h[9];
  for (int k = 0; k < 4; ++k) {
    int p = samples[k * trials + trial];
    x1[k] = points[p];
    y1[k] = points[stride + p];
    x2[k] = points[2 * stride + p];
    y2[k] = points[3 * stride + p];
  }
  homography_svd(x1, y1, x2, y2, h);
  for (int k = 0; k < 9; ++k) H[k * trials + trial] = h[k];
}

// A work-group a trial.
kernel void count_inliers(global const real* H, int trials, global const real* points, int stride,
                          real squared_threshold, global int* inliers) {
  local scalar scratch[GROUP_SIZE];
  int trial = (int)get_group_id(0);
  scalar h[9];
  for (int k = 0; k < 9; ++k) h[k] = H[k * trials + trial];
  scalar count = transfer_inliers(scratch, h, points, points + stride, points + 2 * stride,
                                  points + 3 * stride, stride, squared_threshold);
  if (get_local_id(0) == 0) inliers[trial] = (int)count;
}
