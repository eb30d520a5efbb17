// SPDX-License-Identifier: BSD-3-Clause
// The kernels of chain_device.cpp for OpenCL; their arguments are described in chain.kernel.h.

kernel void chain_check(global ushort* steps, global const ushort* right_index, int width,
                        int height, int min_disparity, int tolerance) {
  int pixel = (int)get_global_id(0);
  if (pixel < width * height)
    kernel_check(pixel, steps, right_index, width, min_disparity, tolerance);
}

kernel void chain_occluded(global const ushort* right_index, int width, int min_disparity,
                           global uchar* occluded) {
  kernel_occluded((int)get_group_id(0), right_index, width, min_disparity, occluded);
}

kernel void chain_fill_row(global const ushort* steps, int width, global ushort* filled,
                           global int* row_known) {
  local uint ends[2 * GROUP_SIZE];
  kernel_fill_row((int)get_group_id(0), steps, width, filled, row_known, ends);
}

kernel void chain_fill_blank(global const int* row_known, int width, int height,
                             global ushort* filled) {
  kernel_fill_blank((int)get_group_id(0), row_known, width, height, filled);
}

kernel void chain_mean_round(global const ushort* steps, int width, int height, int radius,
                             global ushort* filled) {
  int pixel = (int)get_global_id(0);
  if (pixel < width * height) kernel_mean_round(pixel, steps, width, height, radius, filled);
}

kernel void chain_mean_rest(global ushort* steps, global ushort* other, int width, int height,
                            int radius) {
  local int flags[2];
  kernel_mean_rest(steps, other, width, height, radius, flags);
}

kernel void chain_edge_aware(global const ushort* steps, global const uchar* brightness,
                             global const uchar* occluded, int width, int height,
                             global ushort* filled) {
  int pixel = (int)get_global_id(0);
  if (pixel < width * height)
    kernel_edge_aware(pixel, steps, brightness, occluded, width, height, filled);
}
