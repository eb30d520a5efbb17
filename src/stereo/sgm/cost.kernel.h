// SPDX-License-Identifier: BSD-3-Clause
// Twin: cost.cpp (CPUs). Computes matching costs on GPUs. Included after census.kernel.h;
// sgm.kernels has the layouts.

// Returns a word with all bits set in the bytes beyond the last disparity.
lane_fn bits32 beyond_last(index disparities, index first) {
  if (disparities >= first + 4) return 0;
  return disparities <= first ? 0xffffffffu : 0xffffffffu << (8 * (disparities - first));
}

// Returns four costs of a pixel as bytes: the bits that differ between `code` and the codes of four
// right pixels.
lane_fn bits32 cost_word(bits32 code, const bits32* right) {
  return (bits32)bits_count(code ^ right[0]) | (bits32)bits_count(code ^ right[1]) << 8 |
         (bits32)bits_count(code ^ right[2]) << 16 | (bits32)bits_count(code ^ right[3]) << 24;
}

// A row of pixels and the four disparities, from `first` on, of one word of costs. codes: codes of
// both images; high: further codes of a full census, else unused; pixel_words: words from pixel
// to pixel.
struct cost_row {
  global_const bits32 *codes, *high;
  index is_full, width, height, y, first, disparities, min_disparity, pixel_words;
};

// Computes the matching costs of the pixels [from, to); word x is at out[x * pixel_words]. inside:
// whether all right pixels lie inside the image and the number of pixels is a multiple of four. The
// right pixels advance by one from pixel to pixel, so that four costs need only one new code.
group_fn void cost_run(const struct cost_row* r, index is_full, index inside, index from, index to,
                       global_ptr bits32* out) {
  const offset area = (offset)r->width * r->height, row = (offset)r->y * r->width;
  const index width = r->width;
  global_const bits32 *left = r->codes + row, *right = r->codes + area + row;
  global_const bits32 *left_high = r->high + (is_full ? row : 0),
                      *right_high = r->high + (is_full ? area + row : 0);
  const index newest = -r->min_disparity - r->first;
  const bits32 beyond = beyond_last(r->disparities, r->first);
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
      out[(offset)x * r->pixel_words] = word | beyond;
      lane_unroll for (index k = 3; k > 0; --k) {
        low[k] = low[k - 1];
        top[k] = top[k - 1];
      }
    }
  }
}

// Lowers the costs of pixel x to the costs against the right image's row `apart` rows away, which
// include a penalty, if these are lower.
group_fn void cost_lower(const struct cost_row* r, index x, index apart, global_ptr bits32* word) {
  const offset area = (offset)r->width * r->height, here = (offset)r->y * r->width + x,
               row = area + (offset)(r->y + apart) * r->width;
  if (r->y + apart < 0 || r->y + apart >= r->height) return;
  bits32 lowered = 0;
  for (index k = 0; k < 4; ++k) {
    const index xr = clamped(x - r->min_disparity - r->first - k, r->width);
    bits32 was = *word >> (8 * k) & 255u;
    bits32 cost = (bits32)bits_count(r->codes[here] ^ r->codes[row + xr]);
    if (r->is_full) cost += (bits32)bits_count(r->high[here] ^ r->high[row + xr]);
    cost += (bits32)((apart < 0 ? -apart : apart) * ROWS_APART_PENALTY);
    if (r->first + k < r->disparities && cost < was) was = cost;
    lowered |= was << (8 * k);
  }
  *word = lowered;
}

// Computes word `first` / 4 of the costs for the pixels of run `run`, which has COST_RUN pixels.
// costs: costs of the row.
group_fn void cost_words(const struct cost_row* r, index run, index tolerance,
                         global_ptr bits32* costs) {
  const index from = run * COST_RUN, to = from + COST_RUN < r->width ? from + COST_RUN : r->width;
  global_ptr bits32* out = costs + r->first / 4;
  const index newest = -r->min_disparity - r->first;
  if (!r->is_full && from + newest >= 3 && to + newest <= r->width && to - from == COST_RUN) {
    cost_run(r, 0, 1, from, from + COST_RUN, out);
  } else {
    cost_run(r, r->is_full, 0, from, to, out);
  }
  for (index apart = -tolerance; apart <= tolerance; ++apart) {
    if (apart == 0) continue;
    for (index x = from; x < to; ++x) cost_lower(r, x, apart, out + (offset)x * r->pixel_words);
  }
}

map_kernel(sgm_cost, item, SGM_COST) {
  const index run = item / pixel_words, y = run / runs;
  const struct cost_row row = {codes,
                               high,
                               is_full,
                               width,
                               height,
                               row0 + y,
                               4 * (item - run * pixel_words),
                               disparities,
                               min_disparity,
                               pixel_words};
  cost_words(&row, run - y * runs, tolerance, costs + (offset)y * width * pixel_words);
}
