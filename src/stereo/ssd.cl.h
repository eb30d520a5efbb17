// SPDX-License-Identifier: BSD-3-Clause
// The kernels of ssd_device.cpp for OpenCL; their arguments are described in ssd.kernel.h.

kernel void ssd_winners(global const uchar* left, global const uchar* right, int width, int height,
                        int min_disparity, int first, int end, int lane0, int chunk_first,
                        int chunk_end, int chunk, int tiles, int rows, global uint* left_cost,
                        global ushort* steps, global uint* right_keys) {
  local struct ssd_shared shared;
  const struct ssd_search q = {width,       height,    min_disparity,          first, end, lane0,
                               chunk_first, chunk_end, (int)get_local_size(0), chunk};
  int group = (int)get_group_id(0), y0 = group / tiles * rows;
  kernel_ssd_winners(&q, group % tiles * OUTPUTS, y0, min(y0 + rows, height), left, right,
                     left_cost, steps, right_keys, &shared);
}

kernel void ssd_finish(int width, int min_disparity, int lane0, int chunk, int tolerance,
                       int fills_row, global uint* right_keys, global uint* right_cost,
                       global ushort* right_index, global ushort* steps, global ushort* filled,
                       global int* row_known) {
  local uint ends[2 * GROUP_SIZE];
  const struct ssd_search q = {width, 0, min_disparity, 0, 0, lane0, 0, 0, 0, chunk};
  kernel_ssd_finish(&q, (int)get_group_id(0), tolerance, fills_row, right_keys, right_cost,
                    right_index, steps, filled, row_known, ends);
}
