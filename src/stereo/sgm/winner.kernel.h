// SPDX-License-Identifier: BSD-3-Clause
// Twin: winner.cpp (CPUs). Finds the winners of semi-global matching on GPUs. Included after
// aggregate.kernel.h; sgm.kernels describes the arguments.

struct sgm_search {
  index width, height, disparities, min_disparity, uniqueness, step_cost, is_clear;
};
// Path costs of a band of rows, and the maps of its winners.
struct sgm_maps {
  global_const bits32* volumes;
  global_ptr bits16* disparity;
  global_ptr bits8* confidence;
};
// Within KEY_WORDS words the key of a candidate is its sum over all paths, at most 8 * 252, times
// SLOTS, plus its place among the candidates. It fits 16 bits, and the smaller disparity wins a
// tie. Among all candidates the key is sum << 16 | index.
enum {
  KEY_WORDS = WORDS < 8 ? WORDS : 8,
  KEY_SETS = (WORDS + KEY_WORDS - 1) / KEY_WORDS,
  SLOTS = 32,
  NO_PLACE = 0xffff,
  NO_SUM = NO_PLACE / SLOTS,
  CELLS = 4 * WORDS,
  PADDED = TEAM * CELLS
};
#define NO_PAIR 0xffffffffu
#define NO_KEY 0xffffffffu
lane_fn bits32 whole_key(bits32 key, index first) {
  return (key / SLOTS) << 16 | ((bits32)first + key % SLOTS);
}
lane_fn bits32 lower_half(bits32 pair) {
  const bits32 low = pair & 0xffffu, high = pair >> 16;
  return low < high ? low : high;
}

// Loads a member's words of a pixel from the volumes of all PATHS.
group_fn void path_words(const struct sgm_search* s, global_const bits32* volumes, offset here,
                         bits32 (*words)[WORDS]) {
  const offset area = (offset)s->width * s->height * PIXEL_WORDS;
  global_const bits32* in = volumes + here * PIXEL_WORDS + team_member() * WORDS;
  lane_unroll for (index p = 0; p < PATHS; ++p) words_load(in + area * p, WORDS, words[p]);
}

// Computes the keys of a member's candidates, in pairs. A candidate whose right pixel, newest -
// index, lies outside the image has no key.
group_fn void candidate_keys(const struct sgm_search* s, index newest, index valid,
                             bits32 (*words)[WORDS], bits32* even, bits32* odd) {
  lane_unroll for (index k = 0; k < WORDS; ++k) {
    bits32 e = pair_low(words[0][k]), o = pair_high(words[0][k]);
    lane_unroll for (index p = 1; p < PATHS; ++p) {
      e += pair_low(words[p][k]);
      o += pair_high(words[p][k]);
    }
    const bits32 place = (bits32)(4 * (k % KEY_WORDS)) * 0x10001u;
    even[k] = e * SLOTS + (place + 0x20000u);
    odd[k] = o * SLOTS + (place + 0x30001u);
  }
  if (valid && s->disparities == PADDED && newest >= PADDED - 1 && newest < s->width) return;
  const index first_own = CELLS * team_member();
  index first = newest - (s->width - 1), end = newest + 1;
  end = end < s->disparities ? end : s->disparities;
  if (!valid) end = 0;
  first -= first_own;
  end -= first_own;
  lane_unroll for (index k = 0; k < WORDS; ++k) {
    if (4 * k < first || 4 * k >= end) even[k] |= 0xffffu;
    if (4 * k + 1 < first || 4 * k + 1 >= end) odd[k] |= 0xffffu;
    if (4 * k + 2 < first || 4 * k + 2 >= end) even[k] |= 0xffff0000u;
    if (4 * k + 3 < first || 4 * k + 3 >= end) odd[k] |= 0xffff0000u;
  }
}

// Winner of a pixel: its key, and the lowest key of the words that are not next to the winner's
// word. Only the sum of the latter key counts.
struct pixel_winner {
  bits32 best, elsewhere;
};
// Numbers per member for the keys of three words: the winner's word, the word before it and the
// word after it. winner_find writes the even pairs first, then the odd pairs.
enum { NEAR_WORDS = 3, NEAR_NUMBERS = 2 * NEAR_WORDS * GROUP_SIZE };

group_fn void winner_find(const bits32* even, const bits32* odd, struct pixel_winner* w,
                          local_ptr bits32* near_words) {
  bits32 lowest[WORDS], best = NO_KEY;
  lane_unroll for (index k = 0; k < WORDS; ++k) lowest[k] = pair_min(even[k], odd[k]);
  lane_unroll for (index set = 0; set < KEY_SETS; ++set) {
    bits32 pair = lowest[set * KEY_WORDS];
    lane_unroll for (index k = 1; k < KEY_WORDS; ++k) {
      if (set * KEY_WORDS + k < WORDS) pair = pair_min(pair, lowest[set * KEY_WORDS + k]);
    }
    const bits32 key = whole_key(lower_half(pair), CELLS * team_member() + 4 * KEY_WORDS * set);
    best = key < best ? key : best;
  }
  best = team_min(best);
  const bits32 place = (bits32)(WORDS * team_member() + 1) - (best & 0xffffu) / 4;
  bits32 other = NO_PAIR;
  lane_unroll for (index k = 0; k < WORDS; ++k) {
    const bits32 at = place + (bits32)k;
    if (at < NEAR_WORDS) {
      near_words[at] = even[k];
      near_words[NEAR_WORDS + at] = odd[k];
    } else {
      other = pair_min(other, lowest[k]);
    }
  }
  w->best = best;
  w->elsewhere = team_min(lower_half(other));
}

group_fn void winner_write(const struct sgm_search* s, const struct pixel_winner* w,
                           local_ptr const bits32* near_words, index x, offset here,
                           global_ptr bits16* disparity, global_ptr bits8* confidence) {
  const index best = (index)(w->best >> 16), i = (index)(w->best & 0xffffu), word = i / 4,
              xr = x - s->min_disparity - i;
  disparity[here] = UNKNOWN_DISPARITY;
  confidence[here] = 0;
  if (best >= NO_SUM || !s->is_clear) return;
  index elsewhere = (index)(w->elsewhere / SLOTS), below = best, above = best;
  for (index j = 0; j < NEAR_WORDS; ++j) {
    if (word + j < 1 || word + j > PIXEL_WORDS) continue;
    for (index k = 0; k < 4; ++k) {
      const bits32 pair = near_words[k % 2 == 0 ? j : NEAR_WORDS + j];
      const index sum = (index)((k < 2 ? pair & 0xffffu : pair >> 16) / SLOTS),
                  apart = 4 * (word + j - 1) + k - i;
      if (apart == -1) below = sum;
      if (apart == 1) above = sum;
      if ((apart < -1 || apart > 1) && sum < elsewhere) elsewhere = sum;
    }
  }
  if (elsewhere == NO_SUM) elsewhere = NO_CANDIDATE;
  const index has_neighbours = i > 0 && i + 1 < s->disparities && xr > 0 && xr + 1 < s->width;
  disparity[here] = (bits16)winner_disparity(i, best, elsewhere, below, above, has_neighbours,
                                             s->uniqueness, s->step_cost);
  confidence[here] = (bits8)winner_confidence(best, elsewhere);
}

// Merges the minimum over this word set into the row's minimum for each right pixel.
group_fn void right_leaves(bits32 key, index set, index xr, local_ptr bits32* row_keys) {
  if (key != NO_PLACE)
    local_atomic_min(row_keys + xr, whole_key(key, CELLS * team_member() + 4 * KEY_WORDS * set));
}

// Finds the winners of the pixels x in [from, from + count) of row y and of their right pixels.
// row_keys [width] belongs to the group. A member keeps the lowest keys of the right pixels that
// meet its candidates. With each pixel these keys move to the next disparity, and from the last
// disparity into row_keys. Each member writes the team's result for one of TEAM pixels;
// `near_words` belongs to the team.
group_fn void winner_run(const struct sgm_search* s, const struct sgm_maps* maps, index y,
                         index from, index count, local_ptr bits32* row_keys,
                         local_ptr bits32* near_words) {
  const index member = team_member(), last = s->width - 1, first_own = CELLS * member;
  const offset row = (offset)y * s->width;
  struct pixel_winner mine = {NO_KEY, 0};
  bits32 right_even[WORDS], right_odd[WORDS], words[PATHS][WORDS];
  lane_unroll for (index k = 0; k < WORDS; ++k) right_even[k] = right_odd[k] = NO_PAIR;
  path_words(s, maps->volumes, row + (from < last ? from : last), words);
  for (index n = 0; n < count; ++n) {
    const index x = from + n, valid = x <= last, newest = x - s->min_disparity;
    bits32 even[WORDS], odd[WORDS];
    candidate_keys(s, newest, valid, words, even, odd);
    path_words(s, maps->volumes, row + (x < last ? x + 1 : last), words);  // loads the next
                                                                           // pixel ahead
    lane_unroll for (index k = WORDS - 1; k >= 0; --k) {
      const index set_ends = k == WORDS - 1 || k % KEY_WORDS == KEY_WORDS - 1;
      if (set_ends)
        right_leaves(right_odd[k] >> 16, k / KEY_WORDS, newest - 1 - (first_own + 4 * k + 3),
                     row_keys);
      const bits32 before = k % KEY_WORDS > 0 ? right_odd[k - 1] : NO_PAIR,
                   passed = pair_join(before, right_odd[k]);
      right_odd[k] = pair_min(odd[k], right_even[k]);
      right_even[k] = pair_min(even[k], passed);
    }
    struct pixel_winner found;
    winner_find(even, odd, &found, near_words + 2 * NEAR_WORDS * (n % TEAM));
    if (n % TEAM == member) mine = found;
    if (n % TEAM == TEAM - 1 || n == count - 1) {
      const index own = x - n % TEAM + member;
      team_sync();
      if (own <= x && own <= last)
        winner_write(s, &mine, near_words + 2 * NEAR_WORDS * member, own, row + own,
                     maps->disparity, maps->confidence);
      team_sync();
    }
  }
  const index newest = from + count - 1 - s->min_disparity - first_own;
  lane_unroll for (index k = 0; k < WORDS; ++k) {
    right_leaves(right_even[k] & 0xffffu, k / KEY_WORDS, newest - 4 * k, row_keys);
    right_leaves(right_odd[k] & 0xffffu, k / KEY_WORDS, newest - 4 * k - 1, row_keys);
    right_leaves(right_even[k] >> 16, k / KEY_WORDS, newest - 4 * k - 2, row_keys);
    right_leaves(right_odd[k] >> 16, k / KEY_WORDS, newest - 4 * k - 3, row_keys);
  }
}

group_kernel(sgm_winners, y, SGM_WINNERS) {
  const index member = (index)group_member(), team = member / TEAM, teams = GROUP_SIZE / TEAM;
  const index run = (width + teams - 1) / teams;
  const offset first = (offset)row0 * width;
  const struct sgm_search search = {
      width, rows, disparities, min_disparity, uniqueness, step_cost, clear[0] >= (bits32)needed};
  for (index x = member; x < width; x += GROUP_SIZE) keys[x] = NO_KEY;
  group_barrier();
  const struct sgm_maps maps = {volumes, disparity + first, confidence + first};
  winner_run(&search, &maps, y, team * run, run, keys, near_words + 2 * NEAR_WORDS * TEAM * team);
  group_barrier();
  for (index x = member; x < width; x += GROUP_SIZE)
    right_index[first + (offset)y * width + x] = (bits16)(keys[x] & 0xffffu);
}
