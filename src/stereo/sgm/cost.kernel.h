// SPDX-License-Identifier: BSD-3-Clause
// Matching costs on GPUs, after census.kernel.h. sgm.kernels has the layouts.

// Marks the bytes of a word beyond the last disparity.
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

map_kernel(sgm_cost, item, SGM_COST) {
  const index run = item / pixel_words, y = run / runs;
  cost_words(codes, high, is_full, width, height, row0 + y, run - y * runs,
             4 * (item - run * pixel_words), disparities, min_disparity, tolerance, pixel_words,
             costs + (offset)y * width * pixel_words);
}
