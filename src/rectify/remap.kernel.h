// SPDX-License-Identifier: BSD-3-Clause
map_kernel(remap, item, REMAP) {
  const index sx = x[item];
  remap_pixel((global_const pixel*)input, (offset)input_width * CHANNELS, input_width, input_height,
              sx, y[item], (global_ptr pixel*)output + (offset)item * CHANNELS);
  if (valid) valid[item] = sx < 0 ? 0 : 255;
}
