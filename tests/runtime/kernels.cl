// SPDX-License-Identifier: BSD-3-Clause
// Computes y[i] = a y[i] + x[i] + k + SHIFT, so that the order of two launches is visible.
kernel void combine(global const float* x, global float* y, float a, double k, long shift, int n) {
  int i = get_global_id(0);
  if (i < n) y[i] = (a != 0 ? a * y[i] : 0.0f) + (x ? x[i] : 0.0f) + (float)k + (float)shift + SHIFT;
}

// Sums every group's numbers in local memory, whose size the launch gives.
kernel void sum_groups(global const float* x, global float* sums, int n, local float* scratch) {
  int l = get_local_id(0), i = get_global_id(0);
  scratch[l] = i < n ? x[i] : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int o = get_local_size(0) / 2; o > 0; o /= 2) {
    if (l < o) scratch[l] += scratch[l + o];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) sums[get_group_id(0)] = scratch[0];
}
