// SPDX-License-Identifier: BSD-3-Clause
// What is known of pixels before semi-global matching, on GPUs: census codes, matching costs and
// what jumps cost. Before sgm.kernel.h; layouts: there.

lane_fn index clamped(index i, index end) { return i < 0 ? 0 : i < end ? i : end - 1; }

// Smoothed brightness of pixel (x, y); sixteen_bits: of such pictures, to 60 / 64.
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

// Codes of pixel (x, y): code[0], and code[1] of a full census. inside: all neighbours lie in the
// picture.
group_fn void census_pixel(global_const unsigned short* smoothed, index width, index height,
                           index x, index y, index kind, index margin, index inside, bits32* code) {
  bits32 low = 0, high = 0;
  index bits = 0;
  global_const unsigned short* at = smoothed + (offset)y * width + x;
  const index centre = at[0];
  lane_unroll for (index j = -CENSUS_RY; j <= CENSUS_RY; ++j) {
    const index down = inside ? j : clamped(y + j, height) - y,
                up = inside ? -j : clamped(y - j, height) - y;
    lane_unroll for (index i = -CENSUS_RX; i <= CENSUS_RX; ++i) {
      if (!census_takes(kind, i, j)) continue;
      const index right = inside ? i : clamped(x + i, width) - x,
                  left = inside ? -i : clamped(x - i, width) - x;
      const index other = kind == CENSUS_SYMMETRIC ? (index)at[(offset)up * width + left] : centre;
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

// Bytes of a word beyond the last disparity.
lane_fn bits32 beyond_last(index disparities, index first) {
  if (disparities >= first + 4) return 0;
  return disparities <= first ? 0xffffffffu : 0xffffffffu << (8 * (disparities - first));
}

// Four costs of a pixel whose code is `code`, against the codes of right pixels, as bytes.
lane_fn bits32 cost_word(bits32 code, const bits32* right) {
  return (bits32)bits_count(code ^ right[0]) | (bits32)bits_count(code ^ right[1]) << 8 |
         (bits32)bits_count(code ^ right[2]) << 16 | (bits32)bits_count(code ^ right[3]) << 24;
}

// The row's matching costs of the pixels [from, to) as words of four bytes, of the disparities from
// `first` on: word x at out[x * pixel_words]. codes: of both pictures; high: of a full census or of
// no meaning; inside: all right pixels lie in the picture, and the pixels are a multiple of four.
// From one pixel to the next the right pixels move on by one, so that one new code is read for four
// costs.
group_fn void cost_run(global_const bits32* codes, global_const bits32* high, index is_full,
                       index inside, index width, index height, index y, index from, index to,
                       index first, index disparities, index min_disparity, index pixel_words,
                       global_ptr bits32* out) {
  const offset area = (offset)width * height, row = (offset)y * width;
  global_const bits32 *left = codes + row, *right = codes + area + row;
  global_const bits32 *left_high = high + (is_full ? row : 0),
                      *right_high = high + (is_full ? area + row : 0);
  const index newest = -min_disparity - first;
  const bits32 beyond = beyond_last(disparities, first);
  bits32 low[4], top[4];
  for (index k = 1; k < 4; ++k) {
    const index xr = clamped(from + newest - k, width);
    low[k] = right[xr];
    top[k] = is_full ? right_high[xr] : 0;
  }
  for (index begin = from; begin < to; begin += 4) {
    lane_unroll for (index j = 0; j < 4; ++j) {
      const index x = begin + j;
      if (!inside && x >= to) break;
      const index xr = inside ? x + newest : clamped(x + newest, width);
      low[0] = right[xr];
      bits32 word = cost_word(left[x], low);
      if (is_full) {
        top[0] = right_high[xr];
        word += cost_word(left_high[x], top);
      }
      out[(offset)x * pixel_words] = word | beyond;
      lane_unroll for (index k = 3; k > 0; --k) {
        low[k] = low[k - 1];
        top[k] = top[k - 1];
      }
    }
  }
}

// Lowers costs by those against the right picture's row `apart` away, which take a penalty.
group_fn void cost_lower(global_const bits32* codes, global_const bits32* high, index is_full,
                         index width, index height, index x, index y, index apart, index first,
                         index disparities, index min_disparity, global_ptr bits32* word) {
  const offset area = (offset)width * height, here = (offset)y * width + x,
               row = area + (offset)(y + apart) * width;
  if (y + apart < 0 || y + apart >= height) return;
  bits32 lowered = 0;
  for (index k = 0; k < 4; ++k) {
    const index xr = clamped(x - min_disparity - first - k, width);
    bits32 was = *word >> (8 * k) & 255u;
    bits32 cost = (bits32)bits_count(codes[here] ^ codes[row + xr]);
    if (is_full) cost += (bits32)bits_count(high[here] ^ high[row + xr]);
    cost += (bits32)((apart < 0 ? -apart : apart) * ROWS_APART_PENALTY);
    if (first + k < disparities && cost < was) was = cost;
    lowered |= was << (8 * k);
  }
  *word = lowered;
}

enum { COST_RUN = 32 };  // pixels of a run

// Costs of a run of row y of the picture: word `first` / 4 of the pixels from COST_RUN run on;
// costs: of that row.
group_fn void cost_words(global_const bits32* codes, global_const bits32* high, index is_full,
                         index width, index height, index y, index run, index first,
                         index disparities, index min_disparity, index tolerance, index pixel_words,
                         global_ptr bits32* costs) {
  const index from = run * COST_RUN, to = from + COST_RUN < width ? from + COST_RUN : width;
  global_ptr bits32* out = costs + first / 4;
  const index newest = -min_disparity - first;
  if (!is_full && from + newest >= 3 && to + newest <= width && to - from == COST_RUN) {
    cost_run(codes, high, 0, 1, width, height, y, from, from + COST_RUN, first, disparities,
             min_disparity, pixel_words, out);
  } else {
    cost_run(codes, high, is_full, 0, width, height, y, from, to, first, disparities, min_disparity,
             pixel_words, out);
  }
  for (index apart = -tolerance; apart <= tolerance; ++apart) {
    if (apart == 0) continue;
    for (index x = from; x < to; ++x)
      cost_lower(codes, high, is_full, width, height, x, y, apart, first, disparities,
                 min_disparity, out + (offset)x * pixel_words);
  }
}

// What a jump costs from the pixels before to (x, y), a byte each: from the left, from above, from
// above on the left and on the right. 0 where there is none: a path begins anew where jumps are
// free.
group_fn bits32 jump_bytes(global_const unsigned char* brightness, index width, index x, index y,
                           global_const unsigned char* jumps) {
  global_const unsigned char* at = brightness + (offset)y * width + x;
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
