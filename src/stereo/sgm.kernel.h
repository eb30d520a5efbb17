// SPDX-License-Identifier: BSD-3-Clause
// Semi-global matching on GPUs: what sgm_rows.cpp does on a CPU, to the same bits. A team of TEAM
// threads works on one pixel at a time; each member holds 4 WORDS disparities as bytes in memory
// and, while it computes, as pairs of 16 bits: of a word with the bytes 0 1 2 3 the pairs (0, 2)
// and (1, 3), so that a neighbouring disparity is mostly in the other pair of the same word.
// Layouts: pictures, smoothed and codes [2][height][width], the left one first; of the band of rows
// [row0, row0 + rows) that is worked on, costs and each path [rows][width][PIXEL_WORDS].

enum { PIXEL_WORDS = TEAM * WORDS, LOW_BYTES = 0x00ff00ff, FAR_PAIR = 0x7fff7fff };
lane_fn bits32 pair_low(bits32 word) { return word & LOW_BYTES; }

// Lines: those along the rows, and those that go down and up, a column's worth a direction. A
// slanted line that meets a side goes on at the other one, where its jump is free: lines that go
// down are all of one length, and meet the costs of a row at about the same time, while they are in
// a cache. Both kinds fill whole groups (LINE_PAD).
enum { LINE_PAD = 32 };
struct line_of_path {
  index path, x, y, dx, dy, length, exists;
};
lane_fn index padded_lines(index lines) { return (lines + LINE_PAD - 1) / LINE_PAD * LINE_PAD; }
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
  const index each = PATHS == 8 ? 3 : 1, set = line / padded_lines(width), up = set >= each,
              which = up ? set - each : set, column = line - set * padded_lines(width);
  l->exists = column < width && set < 2 * each;
  l->path = 2 + set;
  l->dx = which == 0 ? 0 : which == 1 ? 1 : -1;
  l->dy = up ? -1 : 1;
  l->x = column < width ? column : 0;
  l->y = up ? rows - 1 : 0;
  l->length = rows;
}

// One step of a path: L from the pixel before, C from this one's costs (words), by pairs. least:
// the lowest L before, twice.
group_fn void path_step(bits32* even, bits32* odd, const bits32* cost, bits32 least, bits32 jump,
                        bits32 P1) {
  const index member = team_member();
  // The last odd pair of the member before holds the disparity before the first, the first even one
  // of the member after the one after the last.
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

// Steps that a line's costs are asked for before they are needed, and along the rows expected in a
// cache: warps wait for memory. With eight paths all lines are under way at once only if they ask
// for little (few registers), and hide each other's waits.
enum { READ_AHEAD = TEAM == 1 ? 1 : (WORDS <= 2 ? 2 : 1) * (PATHS == 8 ? 2 : 4), EXPECT_AHEAD = 8 };

// A band of rows of the picture: which directions are wanted (rows 1, down 2, up 4), whether the
// volumes are, and whether the states of the lines that leave it down (1) and up (2).
struct sgm_band {
  index width, height, row0, rows, directions, keeps, leaves;
};
// States: path costs of the row before the band, [3][width][PIXEL_WORDS]: straight, then the
// diagonals to the right and to the left.
struct sgm_states {
  global_const bits32 *down_in, *up_in;
  global_ptr bits32 *down_out, *up_out;
};

// What a line begins with: nothing at the picture's border, else the state of the row before.
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

// The lowest of all costs of a team, twice.
group_fn bits32 team_lowest(const bits32* even, const bits32* odd) {
  bits32 lowest = pair_min(even[0], odd[0]);
  lane_unroll for (index k = 1; k < WORDS; ++k) lowest = pair_min3(lowest, even[k], odd[k]);
  return team_min(pair_min(lowest, pair_join(lowest, lowest)));
}

// Where a line reads: `place` of the pixel that `done` steps lead to. The next event is the side,
// from which it goes on at the other, or the end, where it stays.
struct line_walk {
  index place, step, turn, done, event, side, length, width, expects;
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
  // One step beyond the right side is the next row's first pixel, and the reverse on the left.
  w->place += w->turn;
  w->side += w->width;
  w->event = w->side < w->length ? w->side : w->length;
}

// What a line has asked for: costs, jumps and the places they are of.
struct line_ahead {
  bits32 cost[WORDS];
  bits32 jump;
  index place;
};

group_fn void line_read(global_const bits32* costs, global_const bits32* expected,
                        global_const unsigned char* jumps, struct line_walk* walk,
                        struct line_ahead* out) {
  const offset place = walk->place;
  words_load(costs + place * PIXEL_WORDS, WORDS, out->cost);
  out->jump = jumps[4 * place];
  // Along a row few other lines hide the wait for memory.
  if (walk->done < walk->expects) words_expect(expected + place * PIXEL_WORDS);
  out->place = walk->place;
  walk_on(walk);
}

// The next pixel's path costs, and as bytes.
group_fn void line_step(const struct line_ahead* now, bits32 P1, bits32* even, bits32* odd,
                        bits32* least, bits32* packed) {
  path_step(even, odd, now->cost, *least, now->jump, P1);
  *least = team_lowest(even, odd);
  lane_unroll for (index k = 0; k < WORDS; ++k) packed[k] = even[k] + (odd[k] << 8);
}

// All path costs of one line of a band, the line-th of its kind; `volumes`: of all paths. jumps:
// the bytes of jump_bytes of all pixels, and zeros of a row and a pixel more.
group_fn void sgm_line(index line, index along_rows, const struct sgm_band* b,
                       const struct sgm_states* states, index disparities,
                       global_const bits32* costs, global_const unsigned char* jumps, index P1,
                       global_ptr bits32* volumes) {
  struct line_of_path l;
  const index width = b->width;
  if (along_rows) {
    row_line_open(line, width, b->rows, &l);
  } else {
    column_line_open(line, width, b->rows, &l);
  }
  const index direction = l.dy == 0 ? 1 : l.dy > 0 ? 2 : 4;
  if (!(b->directions & direction)) return;
  const index length = l.length, kept = b->keeps && l.exists;
  // Bytes of a jump belong to the lower or right one of two pixels.
  const index back = l.path == 1 || l.dy < 0, kind = l.dy == 0      ? 0
                                                     : l.dx == 0    ? 1
                                                     : l.dx == l.dy ? 2
                                                                    : 3;
  // Places fit 32 bits: a band is no larger (sgm_device.cpp).
  const index area = width * b->rows, mine = team_member() * WORDS;
  const index step = l.dy * width + l.dx;
  global_const unsigned char* jump_in =
      jumps + 4 * ((offset)b->row0 * width + (back ? -step : 0)) + kind;
  global_const bits32* in = costs + mine;
  global_ptr bits32* out = volumes + (offset)area * (b->keeps ? l.path : 0) * PIXEL_WORDS + mine;
  const index side = l.dx == 0 || l.dy == 0 ? length : l.dx > 0 ? width - l.x : l.x + 1;
  struct line_walk walk = {l.y * width + l.x,
                           step,
                           l.dx > 0 ? -width : width,
                           0,
                           side < length ? side : length,
                           side,
                           length,
                           width,
                           l.dy == 0 ? length - EXPECT_AHEAD : 0};
  global_const bits32* expected = in + (offset)EXPECT_AHEAD * step * PIXEL_WORDS;
  struct line_ahead ahead[READ_AHEAD];
  lane_unroll for (index a = 0; a < READ_AHEAD; ++a)
      line_read(in, expected, jump_in, &walk, ahead + a);
  bits32 even[WORDS], odd[WORDS], packed[WORDS];
  line_begin(b, &l, states, disparities, even, odd);
  bits32 least = team_lowest(even, odd);
  index i = 0;
  for (; i + READ_AHEAD <= length; i += READ_AHEAD) {
    lane_unroll for (index a = 0; a < READ_AHEAD; ++a) {
      const struct line_ahead now = ahead[a];
      line_read(in, expected, jump_in, &walk, ahead + a);
      line_step(&now, (bits32)P1, even, odd, &least, packed);
      if (kept) words_store(out + (offset)now.place * PIXEL_WORDS, WORDS, packed);
    }
  }
  lane_unroll for (index a = 0; a < READ_AHEAD; ++a) {
    if (i + a >= length) break;
    line_step(ahead + a, (bits32)P1, even, odd, &least, packed);
    if (kept) words_store(out + (offset)ahead[a].place * PIXEL_WORDS, WORDS, packed);
  }
  // The pixel in the band's last row leaves its state for the next band.
  if (!l.exists || !(b->leaves & (l.dy > 0 ? 1 : l.dy < 0 ? 2 : 0))) return;
  const index across = l.x + l.dx * (length - 1), wrapped = (across % width + width) % width,
              plane = l.dx == 0  ? 0
                      : l.dx > 0 ? 1
                                 : 2;
  words_store((l.dy > 0 ? states->down_out : states->up_out) +
                  ((offset)plane * width + wrapped) * PIXEL_WORDS + mine,
              WORDS, packed);
}
