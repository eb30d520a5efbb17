// SPDX-License-Identifier: BSD-3-Clause
// Bilinear sampling in whole numbers, at positions in 1/256 px. The type `pixel` of the source is
// an unsigned number of 8 or 16 bits; CHANNELS such numbers are adjacent.

// Interpolates between the values a b above c d; right, down: weights 0 to 255. The result is exact
// in 32 bits for 16-bit values: at most 65535 * 65536 + 32768.
lane_fn bits32 bilinear_256(bits32 a, bits32 b, bits32 c, bits32 d, bits32 right, bits32 down) {
  bits32 top = a * (256u - right) + b * right;
  bits32 bottom = c * (256u - right) + d * right;
  return (top * (256u - down) + bottom * down + 32768u) >> 16;
}

// Samples one pixel at position (sx, sy) of an input whose rows are `stride` numbers apart; 0
// outside (sx < 0). A neighbour beyond the last column or row has no weight and is not read.
lane_fn void remap_pixel(global_const pixel* input, offset stride, int width, int height, int sx,
                         int sy, global_ptr pixel* output) {
  if (sx < 0) {
    for (int c = 0; c < CHANNELS; ++c) output[c] = 0;
    return;
  }
  int x = sx >> 8, y = sy >> 8;
  bits32 right = (bits32)(sx & 255), down = (bits32)(sy & 255);
  global_const pixel* p = input + y * stride + (offset)x * CHANNELS;
  global_const pixel* below = p + (y + 1 < height ? stride : 0);
  int next = x + 1 < width ? CHANNELS : 0;
  for (int c = 0; c < CHANNELS; ++c)
    output[c] = (pixel)bilinear_256(p[c], p[c + next], below[c], below[c + next], right, down);
}
