// SPDX-License-Identifier: BSD-3-Clause
// Semi-global matching on GPUs: what sgm_rows.cpp does on a CPU, to the same bits. A team of TEAM
// threads works on one pixel at a time; each member holds 4 WORDS disparities as bytes in memory
// and, while it computes, as pairs of 16 bits: of a word with the bytes 0 1 2 3 the pairs (0, 2)
// and (1, 3), so that a neighbouring disparity is mostly in the other pair of the same word.
// Layouts: pictures, smoothed and codes [2][height][width], the left one first; of the band of rows
// [row0, row0 + rows) that is worked on, costs and each path [rows][width][PIXEL_WORDS].

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

// The row's matching costs of the pixels [from, to) as words of four bytes, of the disparities from
// `first` on: word x at out[x * pixel_words]. codes: of both pictures; high: of a full
// census or of no meaning. From one pixel to the next the right pixels move on by one, so that one
// new code is read for four costs.
group_fn void cost_run(global_const bits32* codes, global_const bits32* high, index is_full,
                       index width, index height, index y, index from, index to, index first,
                       index disparities, index min_disparity, index pixel_words,
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
  for (index x = from; x < to; ++x) {
    const index xr = clamped(x + newest, width);
    const bits32 code = left[x];
    low[0] = right[xr];
    bits32 word = (bits32)bits_count(code ^ low[0]) | (bits32)bits_count(code ^ low[1]) << 8 |
                  (bits32)bits_count(code ^ low[2]) << 16 | (bits32)bits_count(code ^ low[3]) << 24;
    if (is_full) {
      const bits32 code_high = left_high[x];
      top[0] = right_high[xr];
      word += (bits32)bits_count(code_high ^ top[0]) | (bits32)bits_count(code_high ^ top[1]) << 8 |
              (bits32)bits_count(code_high ^ top[2]) << 16 |
              (bits32)bits_count(code_high ^ top[3]) << 24;
    }
    out[(offset)x * pixel_words] = word | beyond;
    lane_unroll for (index k = 3; k > 0; --k) {
      low[k] = low[k - 1];
      top[k] = top[k - 1];
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
  cost_run(codes, high, is_full, width, height, y, from, to, first, disparities, min_disparity,
           pixel_words, out);
  for (index apart = -tolerance; apart <= tolerance; ++apart) {
    if (apart == 0) continue;
    for (index x = from; x < to; ++x)
      cost_lower(codes, high, is_full, width, height, x, y, apart, first, disparities,
                 min_disparity, out + (offset)x * pixel_words);
  }
}

// Lines of all directions: along the rows, those that go down and those that go up. What goes down
// together meets the costs of a row at about the same time, while they are in a cache.
lane_fn index line_count(index width, index height, index paths) {
  return 2 * (width + height) + (paths == 8 ? 4 * (width + height - 1) : 0);
}
struct line_of_path {
  index path, x, y, dx, dy, length;
};
lane_fn void line_open(index line, index width, index height, index paths, struct line_of_path* l) {
  if (line < 2 * height) {
    const index back = line >= height;
    l->path = back;
    l->dx = back ? -1 : 1;
    l->dy = 0;
    l->x = back ? width - 1 : 0;
    l->y = back ? line - height : line;
    l->length = width;
    return;
  }
  const index diagonal = paths == 8 ? width + height - 1 : 0, set = width + 2 * diagonal;
  const index up = line - 2 * height >= set, in_set = line - 2 * height - (up ? set : 0);
  index at = in_set, slant = 0;
  if (in_set >= width) {
    slant = in_set < width + diagonal ? 1 : -1;
    at = in_set - width - (slant > 0 ? 0 : diagonal);
  }
  l->path = 2 + (paths == 8 ? 3 : 1) * up + (slant == 0 ? 0 : slant > 0 ? 1 : 2);
  l->dx = slant;
  l->dy = up ? -1 : 1;
  // From the first row, or from the side below it.
  const index below = at < width ? 0 : at - width + 1;
  l->x = at < width ? at : (slant > 0 ? 0 : width - 1);
  l->y = up ? height - 1 - below : below;
  const index across = slant == 0  ? height
                       : slant > 0 ? width - l->x
                                   : l->x + 1,
              down = height - below;
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
    const bits32 came_e = pair_min3(pair_min(lower, o) + step, e, top);
    const bits32 came_o = pair_min3(pair_min(e, upper) + step, o, top);
    before = o;
    even[k] = (cost[k] & LOW_BYTES) + (came_e - base);
    odd[k] = (cost[k] >> 8 & LOW_BYTES) + (came_o - base);
  }
}

// Steps that a line's costs are asked for before they are needed: warps wait for memory.
enum { READ_AHEAD = TEAM == 1 ? 1 : 4 };

// A band of rows of the picture: which directions are wanted (rows 1, down 2, up 4), whether the
// volumes are, and whether the states of the lines that leave it down (1) and up (2).
struct sgm_band {
  index width, height, row0, rows, paths, directions, keeps, leaves;
};
// States: path costs of the row before the band, [3][width][PIXEL_WORDS]: straight, then the
// diagonals to the right and to the left.
struct sgm_states {
  global_const bits32 *down_in, *up_in;
  global_ptr bits32 *down_out, *up_out;
};

// What a line begins with: nothing at the picture's border, else the state of the row before.
// `last` is the brightness before.
group_fn void line_begin(const struct sgm_band* b, const struct line_of_path* l,
                         const struct sgm_states* states, global_const unsigned char* brightness,
                         index disparities, bits32* even, bits32* odd, index* last) {
  const index mine = team_member() * WORDS, x = l->x - l->dx, y = b->row0 + l->y - l->dy;
  const index from_before = l->dy > 0 ? l->y == 0 : l->dy < 0 && l->y == b->rows - 1;
  for (index k = 0; k < WORDS; ++k) even[k] = odd[k] = 0;
  if (!from_before || x < 0 || x >= b->width || y < 0 || y >= b->height) return;
  const index plane = l->dx == 0 ? 0 : l->dx > 0 ? 1 : 2;
  global_const bits32* from = (l->dy > 0 ? states->down_in : states->up_in) +
                              ((offset)plane * b->width + x) * PIXEL_WORDS + mine;
  for (index k = 0; k < WORDS; ++k) {
    const bits32 word = from[k] | beyond_last(disparities, 4 * (mine + k));
    even[k] = word & LOW_BYTES;
    odd[k] = word >> 8 & LOW_BYTES;
  }
  *last = brightness[(offset)y * b->width + x];
}

// The lowest of all costs of a team.
group_fn bits32 team_lowest(const bits32* even, const bits32* odd) {
  bits32 lowest = pair_min(even[0], odd[0]);
  lane_unroll for (index k = 1; k < WORDS; ++k) lowest = pair_min3(lowest, even[k], odd[k]);
  lowest = (lowest & 0xffffu) < lowest >> 16 ? lowest & 0xffffu : lowest >> 16;
  return team_min(lowest);
}

// All path costs of one line of a band; `volumes`: of all paths.
group_fn void sgm_line(index line, const struct sgm_band* b, const struct sgm_states* states,
                       index disparities, global_const bits32* costs,
                       global_const unsigned char* brightness, local_ptr const unsigned char* jumps,
                       index P1, global_ptr bits32* volumes) {
  struct line_of_path l;
  const index width = b->width, lines = line_count(width, b->rows, b->paths);
  line_open(line < lines ? line : 0, width, b->rows, b->paths, &l);
  const index direction = l.dy == 0 ? 1 : l.dy > 0 ? 2 : 4;
  const index length = line < lines && (b->directions & direction) ? l.length : 0,
              most = teams_most(length), kept = b->keeps ? length : 0;
  // Places fit 32 bits: a band is no larger (sgm_device.cpp).
  const index area = width * b->rows, step = l.dy * width + l.dx, word_step = step * PIXEL_WORDS;
  const index mine = team_member() * WORDS, start = l.y * width + l.x;
  global_const unsigned char* bright = brightness + (offset)b->row0 * width;
  index in_at = start * PIXEL_WORDS + mine, bright_at = start,
        out_at = (area * (b->keeps ? l.path : 0) + start) * PIXEL_WORDS + mine;
  bits32 even[WORDS], odd[WORDS], ahead[READ_AHEAD][WORDS];
  index bright_ahead[READ_AHEAD];
  // Beyond its end a line reads its last pixel again.
  lane_unroll for (index a = 0; a < READ_AHEAD; ++a) {
    words_load(costs + in_at, WORDS, ahead[a]);
    bright_ahead[a] = bright[bright_at];
    in_at += a + 1 < length ? word_step : 0;
    bright_at += a + 1 < length ? step : 0;
  }
  index last = bright_ahead[0];
  line_begin(b, &l, states, brightness, disparities, even, odd, &last);
  bits32 least = team_lowest(even, odd);
  // The pixel in the band's last row leaves its state for the next band.
  const index across = l.x + l.dx * (length - 1), plane = l.dx == 0 ? 0 : l.dx > 0 ? 1 : 2;
  const index leaves = l.dy > 0   ? (b->leaves & 1) && l.y + length == b->rows
                       : l.dy < 0 ? (b->leaves & 2) && l.y - length == -1
                                  : 0;
  const index leaves_at = leaves ? length - 1 : -1;
  global_ptr bits32* state = l.dy > 0 ? states->down_out : states->up_out;
  for (index i = 0; i < most; i += READ_AHEAD) {
    lane_unroll for (index a = 0; a < READ_AHEAD; ++a) {
      bits32 cost[WORDS], packed[WORDS];
      const index now = bright_ahead[a], contrast = now > last ? now - last : last - now;
      const bits32 jump = jumps[contrast];
      const index more = i + a + READ_AHEAD + 1 < length;
      last = now;
      for (index k = 0; k < WORDS; ++k) cost[k] = ahead[a][k];
      words_load(costs + in_at, WORDS, ahead[a]);
      bright_ahead[a] = bright[bright_at];
      in_at += more * word_step;
      bright_at += more * step;
      path_step(even, odd, cost, least, jump, (bits32)P1);
      least = team_lowest(even, odd);
      lane_unroll for (index k = 0; k < WORDS; ++k) packed[k] = even[k] + (odd[k] << 8);
      if (i + a < kept) words_store(volumes + out_at, WORDS, packed);
      if (i + a == leaves_at)
        words_store(state + ((offset)plane * width + across) * PIXEL_WORDS + mine, WORDS, packed);
      out_at += word_step;
    }
  }
}

struct sgm_search {
  index width, height, disparities, min_disparity, uniqueness, step_cost;
};
enum { CELLS = 4 * WORDS, PADDED = TEAM * CELLS };
#define NO_KEY 0xffffffffu

// A member's words of a pixel in the volumes of all PATHS.
group_fn void path_words(const struct sgm_search* s, global_const bits32* volumes, offset here,
                         bits32 (*words)[WORDS]) {
  const offset area = (offset)s->width * s->height * PIXEL_WORDS;
  global_const bits32* in = volumes + here * PIXEL_WORDS + team_member() * WORDS;
  lane_unroll for (index p = 0; p < PATHS; ++p) words_load(in + area * p, WORDS, words[p]);
}

// Their sums, in pairs.
group_fn void path_sums(bits32 (*words)[WORDS], bits32* even, bits32* odd) {
  lane_unroll for (index k = 0; k < WORDS; ++k) {
    even[k] = words[0][k] & LOW_BYTES;
    odd[k] = words[0][k] >> 8 & LOW_BYTES;
    lane_unroll for (index p = 1; p < PATHS; ++p) {
      even[k] += words[p][k] & LOW_BYTES;
      odd[k] += words[p][k] >> 8 & LOW_BYTES;
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

// What is known of a pixel's winner: its key, and the lowest key that is not beside it.
struct pixel_winner {
  bits32 best, elsewhere;
};

group_fn void winner_find(const bits32* keys, struct pixel_winner* w) {
  bits32 best = keys[0];
  lane_unroll for (index k = 1; k < CELLS; ++k) best = keys[k] < best ? keys[k] : best;
  best = team_min(best);
  // Of the candidates that are not beside it: place + k is 0 to 2 for those that are.
  const bits32 place = (bits32)(CELLS * team_member() + 1) - (best & 0xffffu);
  bits32 other = NO_KEY;
  lane_unroll for (index k = 0; k < CELLS; ++k) other =
      place + (bits32)k > 2u && keys[k] < other ? keys[k] : other;
  w->best = best;
  w->elsewhere = team_min(other);
}

// Sum of all paths of one candidate.
group_fn index candidate_sum(const struct sgm_search* s, global_const bits32* volumes, offset here,
                             index i) {
  const offset area = (offset)s->width * s->height * PIXEL_WORDS;
  global_const bits32* in = volumes + here * PIXEL_WORDS + i / 4;
  bits32 sum = 0;
  for (index p = 0; p < PATHS; ++p) sum += in[area * p] >> (8 * (i % 4)) & 255u;
  return (index)sum;
}

group_fn void winner_write(const struct sgm_search* s, const struct pixel_winner* w,
                           global_const bits32* volumes, index x, offset here,
                           global_ptr unsigned short* steps, global_ptr unsigned char* confidence) {
  index out = UNKNOWN_STEPS, sure = 0;
  const index sum = (index)(w->best >> 16), i = (index)(w->best & 0xffffu),
              elsewhere = (index)(w->elsewhere >> 16), xr = x - s->min_disparity - i;
  if (w->best != NO_KEY && is_unique(sum, elsewhere, s->uniqueness)) {
    out = i * STEPS;
    if (i > 0 && i + 1 < s->disparities && xr > 0 && xr + 1 < s->width)
      out += subpixel_offset(candidate_sum(s, volumes, here, i - 1), sum,
                             candidate_sum(s, volumes, here, i + 1), s->step_cost);
    sure = winner_confidence(sum, elsewhere);
  }
  steps[here] = (unsigned short)out;
  confidence[here] = (unsigned char)sure;
}

// The winners of the pixels x in [from, from + count) of row y, and what they are for the right
// pixels: `row_keys` [width] of the group. A team keeps the lowest keys of the right pixels that it
// meets: from one pixel to the next they go on to the next disparity, and into row_keys at the end.
// Each member writes what the team found of one of TEAM pixels.
group_fn void winner_run(const struct sgm_search* s, index y, index from, index count,
                         global_const bits32* volumes, global_ptr unsigned short* steps,
                         global_ptr unsigned char* confidence, local_ptr bits32* row_keys) {
  const index member = team_member(), last = s->width - 1;
  const offset row = (offset)y * s->width;
  struct pixel_winner mine = {NO_KEY, 0};
  bits32 right[CELLS], words[PATHS][WORDS];
  lane_unroll for (index k = 0; k < CELLS; ++k) right[k] = NO_KEY;
  path_words(s, volumes, row + (from < last ? from : last), words);
  for (index n = 0; n < count; ++n) {
    const index x = from + n, valid = x <= last, newest = x - s->min_disparity;
    bits32 keys[CELLS], even[WORDS], odd[WORDS];
    path_sums(words, even, odd);
    path_words(s, volumes, row + (x < last ? x + 1 : last), words);  // ahead
    candidate_keys(s, newest, valid, even, odd, keys);
    const bits32 leaving = right[CELLS - 1];
    bits32 entering = team_before(leaving);
    if (member == 0) entering = NO_KEY;
    if (member == TEAM - 1 && leaving != NO_KEY)
      local_atomic_min(row_keys + (newest - PADDED), leaving);
    lane_unroll for (index k = CELLS - 1; k > 0; --k) right[k] =
        keys[k] < right[k - 1] ? keys[k] : right[k - 1];
    right[0] = keys[0] < entering ? keys[0] : entering;
    struct pixel_winner found;
    winner_find(keys, &found);
    if (n % TEAM == member) mine = found;
    if (n % TEAM == TEAM - 1 || n == count - 1) {
      const index own = x - n % TEAM + member;
      if (own <= x && own <= last)
        winner_write(s, &mine, volumes, own, row + own, steps, confidence);
    }
  }
  const index newest = from + count - 1 - s->min_disparity;
  lane_unroll for (index k = 0; k < CELLS; ++k) {
    if (right[k] != NO_KEY) local_atomic_min(row_keys + (newest - (CELLS * member + k)), right[k]);
  }
}
