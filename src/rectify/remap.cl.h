// SPDX-License-Identifier: BSD-3-Clause
// Kernel of remap.cpp for OpenCL; its arguments are described there. A work-item a pixel.

kernel void remap(global const pixel* input, int input_width, int input_height, global const int* x,
                  global const int* y, int width, int height, global pixel* output,
                  global uchar* valid, int marks) {
  long i = (long)get_global_id(0);
  if (i >= (long)width * height) return;
  int sx = x[i];
  remap_pixel(input, (long)input_width * CHANNELS, input_width, input_height, sx, y[i],
              output + i * CHANNELS);
  if (marks) valid[i] = sx < 0 ? 0 : 255;
}
