// SPDX-License-Identifier: BSD-3-Clause
// Semi-global matching on GPUs: what sgm_rows.cpp does on a CPU, to the same bits. A team of TEAM
// threads works on one pixel at a time; each member holds 4 WORDS disparities as bytes in memory
// and, while it computes, as pairs of 16 bits: of a word with the bytes 0 1 2 3 the pairs (0, 2)
// and (1, 3), so that a neighbouring disparity is mostly in the other pair of the same word.
// Layouts: pictures, smoothed and codes [2][height][width], the left one first; costs and each path
// [height][width][PIXEL_WORDS].

enum { PIXEL_WORDS = TEAM * WORDS, LOW_BYTES = 0x00ff00ff, FAR_PAIR = 0x7fff7fff };

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
                           index x, index y, index kind, index margin, index inside,
                           bits32* code) {
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
      const index other =
          kind == CENSUS_SYMMETRIC ? (index)at[(offset)up * width + left] : centre;
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

// Four costs of pixel (x, y) as bytes: of the disparities from `first` on. codes: of both pictures,
// high: of a full census or of no meaning.
group_fn bits32 cost_word(global_const bits32* codes, global_const bits32* high, index is_full,
                          index width, index height, index x, index y, index first,
                          index disparities, index min_disparity, index tolerance) {
  const offset area = (offset)width * height, here = (offset)y * width;
  const bits32 left = codes[here + x], left_high = is_full ? high[here + x] : 0;
  const index newest = x - min_disparity - first;
  index xr[4], least[4];
  for (index k = 0; k < 4; ++k) {
    xr[k] = clamped(newest - k, width);
    least[k] = 255;
  }
  for (index apart = -tolerance; apart <= tolerance; ++apart) {
    const index yr = y + apart;
    if (yr < 0 || yr >= height) continue;
    const offset row = area + (offset)yr * width;
    global_const bits32* right = codes + row;
    for (index k = 0; k < 4; ++k) {
      index cost = bits_count(left ^ right[xr[k]]);
      if (is_full) cost += bits_count(left_high ^ high[row + xr[k]]);
      cost += (apart < 0 ? -apart : apart) * ROWS_APART_PENALTY;
      least[k] = cost < least[k] ? cost : least[k];
    }
  }
  bits32 word = 0;
  for (index k = 0; k < 4; ++k) {
    if (first + k >= disparities) least[k] = 255;
    word |= (bits32)least[k] << (8 * k);
  }
  return word;
}

// Lines of all directions, one after the other: right, left, down, up, then the four diagonals.
lane_fn index line_count(index width, index height, index paths) {
  return 2 * (width + height) + (paths == 8 ? 4 * (width + height - 1) : 0);
}
struct line_of_path {
  index path, x, y, dx, dy, length;
};
lane_fn void line_open(index line, index width, index height, struct line_of_path* l) {
  const index straight = 2 * (width + height), diagonal = width + height - 1;
  if (line < straight) {
    const index along_rows = line < 2 * height, i = along_rows ? line : line - 2 * height;
    const index count = along_rows ? height : width, back = i >= count, at = back ? i - count : i;
    l->path = (along_rows ? 0 : 2) + back;
    l->dx = along_rows ? (back ? -1 : 1) : 0;
    l->dy = along_rows ? 0 : (back ? -1 : 1);
    l->x = along_rows ? (back ? width - 1 : 0) : at;
    l->y = along_rows ? at : (back ? height - 1 : 0);
    l->length = along_rows ? width : height;
    return;
  }
  const index i = line - straight, which = i / diagonal, at = i % diagonal;
  l->path = 4 + which;
  l->dx = which == 0 || which == 3 ? 1 : -1;
  l->dy = which == 0 || which == 2 ? 1 : -1;
  // From the first row, or from the side below it.
  const index below = at < width ? 0 : at - width + 1;
  l->x = at < width ? at : (l->dx > 0 ? 0 : width - 1);
  l->y = l->dy > 0 ? below : height - 1 - below;
  const index across = l->dx > 0 ? width - l->x : l->x + 1, down = height - below;
  l->length = across < down ? across : down;
}

// One step of a path: L from the pixel before, C from this one's costs (words), by pairs.
group_fn void path_step(bits32* even, bits32* odd, const bits32* cost, bits32 least, bits32 jump,
                        bits32 P1) {
  const index member = team_member();
  // The last odd pair of the member before holds the disparity before the first, the first even one
  // of the member after the one after the last.
  bits32 before = team_before(odd[WORDS - 1]), after = team_after(even[0]);
  if (member == 0) before = FAR_PAIR;
  if (member == TEAM - 1) after = FAR_PAIR;
  const bits32 base = least * 0x10001u, top = (least + jump) * 0x10001u, step = P1 * 0x10001u;
  lane_unroll for (index k = 0; k < WORDS; ++k) {
    const bits32 e = even[k], o = odd[k];
    const bits32 next = k + 1 < WORDS ? even[k + 1] : after;
    const bits32 lower = pair_join(before, o), upper = pair_join(e, next);
    const bits32 came_e = pair_add_min(pair_min(lower, o), step, pair_min(e, top));
    const bits32 came_o = pair_add_min(pair_min(e, upper), step, pair_min(o, top));
    before = o;
    even[k] = (cost[k] & LOW_BYTES) + (came_e - base);
    odd[k] = (cost[k] >> 8 & LOW_BYTES) + (came_o - base);
  }
}

enum { READ_AHEAD = 4 };  // steps that a line's costs are asked for before they are needed

// All path costs of one line; `volumes`: of all paths.
group_fn void sgm_line(index line, index lines, index width, index height,
                       global_const bits32* costs, global_const unsigned char* brightness,
                       local_ptr const unsigned char* jumps, index P1, global_ptr bits32* volumes) {
  struct line_of_path l;
  line_open(line < lines ? line : 0, width, height, &l);
  const index length = line < lines ? l.length : 0, most = teams_most(length);
  const offset area = (offset)width * height, step = (offset)l.dy * width + l.dx;
  const index mine = team_member() * WORDS;
  global_const unsigned char* bright = brightness + (offset)l.y * width + l.x;
  global_const bits32* in = costs + ((offset)l.y * width + l.x) * PIXEL_WORDS + mine;
  global_ptr bits32* out =
      volumes + (area * l.path + (offset)l.y * width + l.x) * PIXEL_WORDS + mine;
  const offset word_step = step * PIXEL_WORDS;
  bits32 even[WORDS], odd[WORDS], ahead[READ_AHEAD][WORDS], least = 0;
  index bright_ahead[READ_AHEAD], last = 0;
  for (index k = 0; k < WORDS; ++k) even[k] = odd[k] = 0;
  // Beyond its end a line reads its last pixel again.
  lane_unroll for (index a = 0; a < READ_AHEAD; ++a) {
    words_load(in, WORDS, ahead[a]);
    bright_ahead[a] = *bright;
    in += a + 1 < length ? word_step : 0;
    bright += a + 1 < length ? step : 0;
  }
  last = bright_ahead[0];
  for (index i = 0; i < most; i += READ_AHEAD) {
    lane_unroll for (index a = 0; a < READ_AHEAD; ++a) {
      bits32 cost[WORDS], packed[WORDS];
      const index now = bright_ahead[a], contrast = now > last ? now - last : last - now;
      const bits32 jump = jumps[contrast];
      const index more = i + a + READ_AHEAD + 1 < length;
      last = now;
      for (index k = 0; k < WORDS; ++k) cost[k] = ahead[a][k];
      words_load(in, WORDS, ahead[a]);
      bright_ahead[a] = *bright;
      in += more ? word_step : 0;
      bright += more ? step : 0;
      path_step(even, odd, cost, least, jump, (bits32)P1);
      bits32 lowest = pair_min(even[0], odd[0]);
      lane_unroll for (index k = 1; k < WORDS; ++k)
        lowest = pair_min(lowest, pair_min(even[k], odd[k]));
      lowest = (lowest & 0xffffu) < lowest >> 16 ? lowest & 0xffffu : lowest >> 16;
      least = team_min(lowest);
      lane_unroll for (index k = 0; k < WORDS; ++k) packed[k] = even[k] + (odd[k] << 8);
      if (i + a < length) words_store(out, WORDS, packed);
      out += word_step;
    }
  }
}

struct sgm_search {
  index width, height, disparities, min_disparity, paths, uniqueness, step_cost;
};
enum { CELLS = 4 * WORDS, PADDED = TEAM * CELLS };
#define NO_KEY 0xffffffffu

// Sums of all paths of a pixel.
group_fn void pixel_sums(const struct sgm_search* s, global_const bits32* volumes, offset here,
                         bits32* even, bits32* odd) {
  const offset area = (offset)s->width * s->height * PIXEL_WORDS;
  global_const bits32* in = volumes + here * PIXEL_WORDS + team_member() * WORDS;
  for (index k = 0; k < WORDS; ++k) even[k] = odd[k] = 0;
  lane_unroll for (index p = 0; p < 8; ++p) {
    if (p < s->paths) {
      bits32 words[WORDS];
      words_load(in + area * p, WORDS, words);
      lane_unroll for (index k = 0; k < WORDS; ++k) {
        even[k] += words[k] & LOW_BYTES;
        odd[k] += words[k] >> 8 & LOW_BYTES;
      }
    }
  }
}

// A member's candidates as keys, sum << 16 | index: the smaller disparity wins a tie. Candidates
// have their right pixel, newest - index, in the picture; the others have NO_KEY.
group_fn void candidate_keys(const struct sgm_search* s, index newest, index valid,
                             const bits32* even, const bits32* odd, bits32* keys) {
  const index first_own = CELLS * team_member();
  lane_unroll for (index k = 0; k < WORDS; ++k) {
    const bits32 i = (bits32)(first_own + 4 * k);
    keys[4 * k] = even[k] << 16 | i;
    keys[4 * k + 1] = odd[k] << 16 | (i + 1);
    keys[4 * k + 2] = (even[k] & 0xffff0000u) | (i + 2);
    keys[4 * k + 3] = (odd[k] & 0xffff0000u) | (i + 3);
  }
  if (valid && s->disparities == PADDED && newest >= PADDED - 1 && newest < s->width) return;
  index first = newest - (s->width - 1), end = newest + 1;
  end = end < s->disparities ? end : s->disparities;
  if (!valid) end = 0;
  lane_unroll for (index k = 0; k < CELLS; ++k) {
    if (first_own + k < first || first_own + k >= end) keys[k] = NO_KEY;
  }
}

// The winner of a pixel with the team's keys, written by its first member.
group_fn void winner_pixel(const struct sgm_search* s, const bits32* keys, index valid, offset here,
                           global_ptr unsigned short* steps,
                           global_ptr unsigned char* confidence) {
  bits32 best = keys[0];
  lane_unroll for (index k = 1; k < CELLS; ++k) best = keys[k] < best ? keys[k] : best;
  best = team_min(best);
  const index winner = (index)(best & 0xffffu), place = CELLS * team_member() - winner;
  bits32 other = NO_KEY, sides = 0xffffffffu;
  lane_unroll for (index k = 0; k < CELLS; ++k) {
    const index from = place + k;
    if ((bits32)(from + 1) > 2u) other = keys[k] < other ? keys[k] : other;
    if (from == -1) sides &= keys[k] >> 16 | 0xffff0000u;
    if (from == 1) sides &= keys[k] | 0xffffu;
  }
  other = team_min(other) >> 16;
  sides = team_and(sides);
  if (team_member() != 0 || !valid) return;
  index out = UNKNOWN_STEPS, sure = 0;
  const index sum = (index)(best >> 16), below = (index)(sides & 0xffffu),
              above = (index)(sides >> 16);
  if (best != NO_KEY && is_unique(sum, (index)other, s->uniqueness)) {
    out = winner * STEPS;
    if (below != NO_CANDIDATE && above != NO_CANDIDATE)
      out += subpixel_offset(below, sum, above, s->step_cost);
    sure = winner_confidence(sum, (index)other);
  }
  steps[here] = (unsigned short)out;
  confidence[here] = (unsigned char)sure;
}

// The winners of the pixels x in [from, from + count) of row y, and what they are for the right
// pixels: `row_keys` [width] of the group. A team keeps the lowest keys of the right pixels that it
// meets: from one pixel to the next they go on to the next disparity, and into row_keys at the end.
group_fn void winner_run(const struct sgm_search* s, index y, index from, index count,
                         global_const bits32* volumes, global_ptr unsigned short* steps,
                         global_ptr unsigned char* confidence, local_ptr bits32* row_keys) {
  const index member = team_member();
  bits32 right[CELLS], keys[CELLS], even[WORDS], odd[WORDS];
  lane_unroll for (index k = 0; k < CELLS; ++k) right[k] = NO_KEY;
  for (index x = from; x < from + count; ++x) {
    const index valid = x < s->width, newest = x - s->min_disparity;
    const offset here = (offset)y * s->width + (valid ? x : s->width - 1);
    pixel_sums(s, volumes, here, even, odd);
    candidate_keys(s, newest, valid, even, odd, keys);
    const bits32 leaving = right[CELLS - 1];
    bits32 entering = team_before(leaving);
    if (member == 0) entering = NO_KEY;
    if (member == TEAM - 1 && leaving != NO_KEY)
      local_atomic_min(row_keys + (newest - PADDED), leaving);
    lane_unroll for (index k = CELLS - 1; k > 0; --k)
      right[k] = keys[k] < right[k - 1] ? keys[k] : right[k - 1];
    right[0] = keys[0] < entering ? keys[0] : entering;
    winner_pixel(s, keys, valid, here, steps, confidence);
  }
  const index newest = from + count - 1 - s->min_disparity;
  lane_unroll for (index k = 0; k < CELLS; ++k) {
    if (right[k] != NO_KEY)
      local_atomic_min(row_keys + (newest - (CELLS * member + k)), right[k]);
  }
}
