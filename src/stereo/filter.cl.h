// SPDX-License-Identifier: BSD-3-Clause
// The kernels of filter_device.cpp for OpenCL; their arguments are described in filter.kernel.h.

kernel void filter_tile(global const ushort* steps, global const ushort* right_index, int width,
                        int height, int min_disparity, int tolerance, int side, int with_regions,
                        int range, global ushort* filtered, global uint* labels,
                        global uint* sizes) {
  local ushort halo[HALO_PIXELS], tile[TILE_PIXELS];
  local uint trees[TILE_PIXELS], pixels[TILE_PIXELS], joined[TILE_HEIGHT];
  const struct tile_memory m = {halo, tile, trees, pixels, joined};
  kernel_tile((int)get_group_id(0), steps, right_index, width, height, min_disparity, tolerance,
              side, with_regions, range, filtered, labels, sizes, m);
}

kernel void filter_borders(global const ushort* steps, int width, int height, int range,
                           global uint* labels) {
  int pair = (int)get_global_id(0);
  if (pair < border_pairs(width, height)) kernel_borders(pair, steps, width, height, range, labels);
}

kernel void filter_sizes(int pixels, global uint* labels, global uint* sizes) {
  int pixel = (int)get_global_id(0);
  if (pixel < pixels) kernel_sizes(pixel, labels, sizes);
}

kernel void filter_apply(int pixels, global ushort* steps, global const uint* labels,
                         global const uint* sizes, int least, int min_disparity,
                         global const uchar* sure, global float* raw, global uchar* confidence) {
  int pixel = (int)get_global_id(0);
  if (pixel < pixels)
    kernel_apply(pixel, steps, labels, sizes, least, min_disparity, sure, raw, confidence);
}

kernel void filter_pixels(int pixels, global const ushort* steps, int min_disparity,
                          global float* map) {
  int pixel = (int)get_global_id(0);
  if (pixel < pixels) kernel_pixels(pixel, steps, min_disparity, map);
}
