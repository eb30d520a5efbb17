// SPDX-License-Identifier: BSD-3-Clause
// Points as kernels keep them, and as the picture has them; sift.kernels describes the numbers.

// A point in px of the picture, as features.hpp has it.
typedef struct {
  real x, y, sigma, angle, response;
} feature;

// scale: px of the picture a px of the first octave. shift: where its first pixel lies.
group_fn feature feature_of(global_const float* p, real scale, real shift) {
  const bits32 octave = float_bits(p[5]) >> 8;
  const real to_px = scale * (real)(1u << octave);
  feature f;
  f.x = p[0] * to_px + shift;
  f.y = p[1] * to_px + shift;
  f.sigma = p[2] * to_px;
  f.angle = p[3];
  f.response = p[4];
  return f;
}

group_fn index nearest_pixel(real at, index size) {
  const index i = (index)(at + lane(0.5));
  return i < 0 ? 0 : i < size ? i : size - 1;
}

// Whether points may lie there. mask_width: 0 where there is no mask.
group_fn index is_unmasked(const feature f, global_const bits8* mask, index mask_width, index width,
                           index height) {
  index allowed = 1;
  if (mask_width > 0)
    allowed = mask[(offset)nearest_pixel(f.y, height) * width + nearest_pixel(f.x, width)] != 0;
  return allowed;
}

// The row of the picture that a point is listed under.
group_fn index row_of(const feature f, index height) {
  const index row = (index)f.y;
  return row < 0 ? 0 : row < height ? row : height - 1;
}
