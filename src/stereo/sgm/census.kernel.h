// SPDX-License-Identifier: BSD-3-Clause
// Twin: census.cpp (CPUs). Computes smoothed images, census codes and jump costs on GPUs.
// sgm.kernels has the layouts.

lane_fn index clamped(index i, index end) { return i < 0 ? 0 : i < end ? i : end - 1; }

// Returns the smoothed brightness of pixel (x, y). Images of 16 bits are smoothed to 60 / 64 of
// their values.
group_fn index smoothed_pixel(global_const pixel* image, index width, index height, index x,
                              index y, index sixteen_bits) {
  bits32 sum = 0;
  for (index j = -1; j <= 1; ++j) {
    global_const pixel* row = image + (offset)clamped(y + j, height) * width;
    for (index i = -1; i <= 1; ++i)
      sum += (bits32)smooth_weight(i, j) * (bits32)row[clamped(x + i, width)];
  }
  return (index)(sixteen_bits ? sum / 64 : sum);
}

// Computes the codes of pixel (x, y): code[0], and code[1] for a full census. inside: whether all
// neighbours lie inside the image.
group_fn void census_pixel(global_const bits16* smoothed, index width, index height, index x,
                           index y, index margin, index inside, bits32* code) {
  bits32 low = 0, high = 0;
  index bits = 0;
  global_const bits16* at = smoothed + (offset)y * width + x;
  const index centre = at[0];
  lane_unroll for (index j = -CENSUS_RY; j <= CENSUS_RY; ++j) {
    const index down = inside ? j : clamped(y + j, height) - y,
                up = inside ? -j : clamped(y - j, height) - y;
    lane_unroll for (index i = -CENSUS_RX; i <= CENSUS_RX; ++i) {
      if (!census_takes(CENSUS_KIND, i, j)) continue;
      const index right = inside ? i : clamped(x + i, width) - x,
                  left = inside ? -i : clamped(x - i, width) - x;
      const index other =
          CENSUS_KIND == CENSUS_SYMMETRIC ? (index)at[(offset)up * width + left] : centre;
      const bits32 bit = (index)at[(offset)down * width + right] > other + margin;
      if (bits < 32) {
        low |= bit << bits;
      } else {
        high |= bit << (bits - 32);
      }
      ++bits;
    }
  }
  code[0] = low;
  code[1] = high;
}

lane_fn index census_inside(index width, index height, index x, index y) {
  return x >= CENSUS_RX && x < width - CENSUS_RX && y >= CENSUS_RY && y < height - CENSUS_RY;
}

// Returns the costs of a jump to pixel (x, y), one byte for each preceding pixel: left, above,
// above left, above right. The cost is 0 if that pixel is outside the image: a path restarts there,
// and jumps are free.
group_fn bits32 jump_bytes(global_const bits8* brightness, index width, index x, index y,
                           global_const bits8* jumps) {
  global_const bits8* at = brightness + (offset)y * width + x;
  const index here = at[0];
  bits32 out = 0;
  lane_unroll for (index k = 0; k < 4; ++k) {
    const index i = k == 1 ? 0 : k == 3 ? 1 : -1, j = k == 0 ? 0 : -1;
    if (x + i < 0 || x + i >= width || y + j < 0) continue;
    const index before = at[j * width + i],
                contrast = here > before ? here - before : before - here;
    out |= (bits32)jumps[contrast] << (8 * k);
  }
  return out;
}

// Returns the index of a thread's pixel in the array of both images, the left one first.
group_fn offset pixel_of_pair(index group) { return (offset)group * GROUP_SIZE + group_member(); }

group_kernel(sgm_smooth, group, SGM_SMOOTH) {
  const offset area = (offset)width * height, i = pixel_of_pair(group);
  if (i == 0) clear[0] = 0;
  if (i >= 2 * area) return;
  const index second = i >= area, at = (index)(second ? i - area : i);
  global_const pixel* image = (global_const pixel*)(second ? right : left);
  smoothed[i] =
      (bits16)smoothed_pixel(image, width, height, at % width, at / width, PIXEL_BITS == 16);
  brightness[i] = (bits8)brightness_of(image[at], white);
}

group_kernel(sgm_census, group, SGM_CENSUS) {
  const offset area = (offset)width * height, i = pixel_of_pair(group);
  if (i >= 2 * area) return;
  const index second = i >= area, at = (index)(second ? i - area : i);
  const index x = at % width, y = at / width;
  global_const bits16* image = smoothed + (second ? area : 0);
  bits32 code[2];
  if (census_inside(width, height, x, y)) {
    census_pixel(image, width, height, x, y, margin, 1, code);
  } else {
    census_pixel(image, width, height, x, y, margin, 0, code);
  }
  codes[i] = code[0];
  if (CENSUS_KIND == CENSUS_FULL) high[i] = code[1];
  if (!second) pixel_jumps[at] = jump_bytes(brightness, width, x, y, jumps);
}

map_kernel(sgm_clear, item, SGM_CLEAR) {
  const index x = first_sample(disparities, min_disparity) + item % across * SAMPLE_STEP,
              y = item / across * SAMPLE_STEP;
  const offset area = (offset)width * height, here = (offset)y * width + x,
               right = area + here - min_disparity, full = is_full ? 1 : 0;
  if (has_clear_match(codes[here], high[full * here], codes + right, high + full * right, is_full,
                      -1, disparities))
    global_atomic_add(clear, 1);
}
