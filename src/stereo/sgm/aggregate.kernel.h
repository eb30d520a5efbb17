// SPDX-License-Identifier: BSD-3-Clause
// Twin: aggregate_row.cpp (CPUs), with the same bits. Path costs of semi-global matching on GPUs.
// sgm.kernels has the layouts. A team of TEAM threads processes one pixel at a time. Each member
// holds 4 WORDS disparities, in memory as bytes and during the computation as pairs of 16 bits: a
// word with the bytes 0 1 2 3 becomes the pairs (0, 2) and (1, 3), so that neighbouring disparities
// are mostly in different pairs of the same word.

enum { PIXEL_WORDS = TEAM * WORDS, LOW_BYTES = 0x00ff00ff, FAR_PAIR = 0x7fff7fff };
lane_fn bits32 pair_low(bits32 word) { return word & LOW_BYTES; }

// Lines run along the rows, or down and up with as many lines per direction as the image has
// columns. A slanted line that leaves the image at one side continues at the opposite side, where
// its jump is free. All lines down are therefore equally long, and reach the costs of a row at
// about the same time, while these are cached. Both kinds of lines fill whole groups (LINE_PAD).
struct line_of_path {
  index path, x, y, dx, dy, length, exists;
};
lane_fn void row_line_open(index line, index width, index rows, struct line_of_path* l) {
  l->exists = line < 2 * rows;
  const index at = l->exists ? line : 0, back = at >= rows;
  l->path = back;
  l->dx = back ? -1 : 1;
  l->dy = 0;
  l->x = back ? width - 1 : 0;
  l->y = back ? at - rows : at;
  l->length = width;
}
lane_fn void column_line_open(index line, index width, index rows, struct line_of_path* l) {
  const index each = PATHS == 8 ? 3 : 1, set = line / PADDED_LINES(width), up = set >= each,
              which = up ? set - each : set, column = line - set * PADDED_LINES(width);
  l->exists = column < width && set < 2 * each;
  l->path = 2 + set;
  l->dx = which == 0 ? 0 : which == 1 ? 1 : -1;
  l->dy = up ? -1 : 1;
  l->x = column < width ? column : 0;
  l->y = up ? rows - 1 : 0;
  l->length = rows;
}

// One step of a path: computes L of a pixel from L of the preceding pixel and from the pixel's
// matching costs C (words), as pairs. least: the lowest preceding L, in both halves.
group_fn void path_step(bits32* even, bits32* odd, const bits32* cost, bits32 least, bits32 jump,
                        bits32 P1) {
  const index member = team_member();
  // The last odd pair of the preceding member holds the disparity before the first one. The first
  // even pair of the next member holds the disparity after the last one.
  bits32 before = team_before(odd[WORDS - 1]), after = team_after(even[0]);
  if (member == 0) before = FAR_PAIR;
  if (member == TEAM - 1) after = FAR_PAIR;
  const bits32 top = jump * 0x10001u + least, step = P1 * 0x10001u;
  lane_unroll for (index k = 0; k < WORDS; ++k) {
    const bits32 e = even[k], o = odd[k];
    const bits32 next = k + 1 < WORDS ? even[k + 1] : after;
    const bits32 lower = pair_join(before, o), upper = pair_join(e, next);
    const bits32 came_e = pair_min3(pair_min(lower, o) + step, e, top);
    const bits32 came_o = pair_min3(pair_min(e, upper) + step, o, top);
    before = o;
    even[k] = pair_low(cost[k]) + came_e - least;
    odd[k] = pair_high(cost[k]) + came_o - least;
  }
}

// READ_AHEAD is the number of steps by which a line loads costs before it needs them, because warps
// wait for memory. EXPECT_AHEAD is the number of steps by which lines along rows prefetch costs
// into a cache. With eight paths, all lines are in flight at once only if they load few costs
// ahead, which needs few registers; they then hide each other's latency.
enum { READ_AHEAD = TEAM == 1 ? 1 : (WORDS <= 2 ? 2 : 1) * (PATHS == 8 ? 2 : 4), EXPECT_AHEAD = 8 };

// A band of image rows. directions: directions to compute; keeps: whether the volumes are written;
// leaves: directions in which lines that leave the band write their states.
struct sgm_band {
  index width, height, row0, rows, directions, keeps, leaves, disparities, P1;
};
// States: path costs of the row before the band, [3][width][PIXEL_WORDS]: vertical paths, then the
// diagonals to the right and to the left.
struct sgm_states {
  global_const bits32 *down_in, *up_in;
  global_ptr bits32 *down_out, *up_out;
};

// Initialises a line with zeros at the image border, else with the state of the preceding row.
group_fn void line_begin(const struct sgm_band* b, const struct line_of_path* l,
                         const struct sgm_states* states, index disparities, bits32* even,
                         bits32* odd) {
  const index mine = team_member() * WORDS, x = l->x - l->dx, y = b->row0 + l->y - l->dy;
  for (index k = 0; k < WORDS; ++k) even[k] = odd[k] = 0;
  if (l->dy == 0 || x < 0 || x >= b->width || y < 0 || y >= b->height) return;
  const index plane = l->dx == 0 ? 0 : l->dx > 0 ? 1 : 2;
  global_const bits32* from = (l->dy > 0 ? states->down_in : states->up_in) +
                              ((offset)plane * b->width + x) * PIXEL_WORDS + mine;
  for (index k = 0; k < WORDS; ++k) {
    const bits32 word = from[k] | beyond_last(disparities, 4 * (mine + k));
    even[k] = pair_low(word);
    odd[k] = pair_high(word);
  }
}

// Returns the lowest cost of a team, in both halves.
group_fn bits32 team_lowest(const bits32* even, const bits32* odd) {
  bits32 lowest = pair_min(even[0], odd[0]);
  lane_unroll for (index k = 1; k < WORDS; ++k) lowest = pair_min3(lowest, even[k], odd[k]);
  return team_min(pair_min(lowest, pair_join(lowest, lowest)));
}

// Position at which a line reads. place: index of the pixel after `done` steps. event: number of
// steps to the next side of the image, where the line continues at the opposite side, or to its
// last pixel, at which it stays.
struct line_walk {
  index place, step, wrap_step, done, event, side, length, width, expects;
};
lane_fn void walk_on(struct line_walk* w) {
  w->place += w->step;
  ++w->done;
  if (w->done != w->event) return;
  if (w->event == w->length) {
    w->place -= w->step;
    w->step = 0;
    return;
  }
  // One step beyond the right side is the first pixel of the next row, and conversely on the left.
  w->place += w->wrap_step;
  w->side += w->width;
  w->event = w->side < w->length ? w->side : w->length;
}

// Costs and jump that a line has loaded ahead, and the place of their pixel.
struct line_ahead {
  bits32 cost[WORDS];
  bits32 jump;
  index place;
};

group_fn void line_read(global_const bits32* costs, global_const bits32* expected,
                        global_const bits8* jumps, struct line_walk* walk, struct line_ahead* out) {
  const offset place = walk->place;
  words_load(costs + place * PIXEL_WORDS, WORDS, out->cost);
  out->jump = jumps[4 * place];
  // Along a row few other lines hide the memory latency.
  if (walk->done < walk->expects) words_expect(expected + place * PIXEL_WORDS);
  out->place = walk->place;
  walk_on(walk);
}

// Computes the path costs of the next pixel, also packed as bytes.
group_fn void line_step(const struct line_ahead* now, bits32 P1, bits32* even, bits32* odd,
                        bits32* least, bits32* packed) {
  path_step(even, odd, now->cost, *least, now->jump, P1);
  *least = team_lowest(even, odd);
  lane_unroll for (index k = 0; k < WORDS; ++k) packed[k] = even[k] + (odd[k] << 8);
}

// Returns the first position of the walk along a line.
group_fn struct line_walk walk_begin(const struct sgm_band* b, const struct line_of_path* l) {
  const index width = b->width, length = l->length;
  const index side = l->dx == 0 || l->dy == 0 ? length : l->dx > 0 ? width - l->x : l->x + 1;
  const struct line_walk walk = {l->y * width + l->x,
                                 l->dy * width + l->dx,
                                 l->dx > 0 ? -width : width,
                                 0,
                                 side < length ? side : length,
                                 side,
                                 length,
                                 width,
                                 l->dy == 0 ? length - EXPECT_AHEAD : 0};
  return walk;
}

// Returns the address of the first pixel's jump cost. The bytes of a jump are stored at the lower
// or right pixel of the pair.
group_fn global_const bits8* first_jump(const struct sgm_band* b, const struct line_of_path* l,
                                        global_const bits32* pixel_jumps) {
  const index back = l->path == 1 || l->dy < 0, step = l->dy * b->width + l->dx;
  const index kind = l->dy == 0 ? 0 : l->dx == 0 ? 1 : l->dx == l->dy ? 2 : 3;
  return (global_const bits8*)(pixel_jumps + (offset)b->row0 * b->width + (back ? -step : 0)) +
         kind;
}

// Writes the state of the line's pixel in the last row of the band, for the next band.
group_fn void line_end(const struct sgm_band* b, const struct line_of_path* l,
                       const struct sgm_states* states, const bits32* packed) {
  if (!l->exists || !(b->leaves & (l->dy > 0 ? DOWN : l->dy < 0 ? UP : 0))) return;
  const index width = b->width, across = l->x + l->dx * (l->length - 1),
              wrapped = (across % width + width) % width,
              plane = l->dx == 0  ? 0
                      : l->dx > 0 ? 1
                                  : 2;
  words_store((l->dy > 0 ? states->down_out : states->up_out) +
                  ((offset)plane * width + wrapped) * PIXEL_WORDS + team_member() * WORDS,
              WORDS, packed);
}

// Computes all path costs of one line of a band, the line-th of its kind. volumes: volumes of all
// paths. pixel_jumps: jump costs of all pixels, then zeros for one row and one pixel.
group_fn void sgm_line(index line, index along_rows, const struct sgm_band* b,
                       const struct sgm_states* states, global_const bits32* costs,
                       global_const bits32* pixel_jumps, global_ptr bits32* volumes) {
  struct line_of_path l;
  if (along_rows) {
    row_line_open(line, b->width, b->rows, &l);
  } else {
    column_line_open(line, b->width, b->rows, &l);
  }
  if (!(b->directions & (l.dy == 0 ? ALONG_ROWS : l.dy > 0 ? DOWN : UP))) return;
  // Places fit 32 bits, because sgm_device.cpp limits the size of a band.
  const index area = b->width * b->rows, mine = team_member() * WORDS, length = l.length,
              kept = b->keeps && l.exists;
  global_const bits8* jumps = first_jump(b, &l, pixel_jumps);
  global_const bits32* in = costs + mine;
  global_ptr bits32* out = volumes + (offset)area * (b->keeps ? l.path : 0) * PIXEL_WORDS + mine;
  struct line_walk walk = walk_begin(b, &l);
  global_const bits32* expected = in + (offset)EXPECT_AHEAD * walk.step * PIXEL_WORDS;
  struct line_ahead ahead[READ_AHEAD];
  lane_unroll for (index a = 0; a < READ_AHEAD; ++a)
      line_read(in, expected, jumps, &walk, ahead + a);
  bits32 even[WORDS], odd[WORDS], packed[WORDS];
  line_begin(b, &l, states, b->disparities, even, odd);
  bits32 least = team_lowest(even, odd);
  index i = 0;
  for (; i + READ_AHEAD <= length; i += READ_AHEAD) {
    lane_unroll for (index a = 0; a < READ_AHEAD; ++a) {
      const struct line_ahead now = ahead[a];
      line_read(in, expected, jumps, &walk, ahead + a);
      line_step(&now, (bits32)b->P1, even, odd, &least, packed);
      if (kept) words_store(out + (offset)now.place * PIXEL_WORDS, WORDS, packed);
    }
  }
  lane_unroll for (index a = 0; a < READ_AHEAD; ++a) {
    if (i + a >= length) break;
    line_step(ahead + a, (bits32)b->P1, even, odd, &least, packed);
    if (kept) words_store(out + (offset)ahead[a].place * PIXEL_WORDS, WORDS, packed);
  }
  line_end(b, &l, states, packed);
}

// Processes the lines of a group.
group_fn void path_lines(index group, index along_rows KERNEL_PARAMETERS(SGM_PATHS)) {
  const struct sgm_band band = {width, height, row0,        rows, directions,
                                keeps, leaves, disparities, P1};
  const struct sgm_states states = {down_in, up_in, down_out, up_out};
  sgm_line((group * GROUP_SIZE + (index)group_member()) / TEAM, along_rows, &band, &states, costs,
           pixel_jumps, volumes);
}

// ROW_SOURCE selects the source for the team size of lines along rows, if that differs.
group_kernel(sgm_paths, group, SGM_PATHS) {
  if (group < row_groups) {
    ROW_SOURCE(path_lines)(group, 1 KERNEL_ARGUMENTS(SGM_PATHS));
  } else {
    path_lines(group - row_groups, 0 KERNEL_ARGUMENTS(SGM_PATHS));
  }
}
