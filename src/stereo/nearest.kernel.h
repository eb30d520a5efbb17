// SPDX-License-Identifier: BSD-3-Clause
// Twin: nearest.cpp (CPUs). Fill::background from the nearest known disparities in eight
// directions, on GPUs.

// Lines along rows, columns and both diagonals are cut into segments of FILL_SEGMENT pixels,
// starting at row or column 0. An entry is one segment of one line. The array holds these entries:
//   - the rows, [height][segments];
//   - for each segment of rows the columns, [width], then the diagonals to the right and those to
//   the left, [width + FILL_SEGMENT - 1] each. A diagonal's index is the column in which it meets
//   the first row of the segment, shifted so that the indices start at 0.
lane_fn index fill_segments(index length) { return (length + FILL_SEGMENT - 1) / FILL_SEGMENT; }
lane_fn index fill_diagonals(index width) { return width + FILL_SEGMENT - 1; }

struct fill_place {
  index x, y, dx, dy;  // first pixel of the segment, maybe outside the image; direction of the line
};
group_fn struct fill_place fill_place_of(index entry, index width, index height) {
  const index across = fill_segments(width), rows = height * across;
  struct fill_place p = {entry % across * FILL_SEGMENT, entry / across, 1, 0};
  if (entry < rows) return p;
  const index diagonals = fill_diagonals(width), each = width + 2 * diagonals;
  const index line = (entry - rows) % each;
  p.y = (entry - rows) / each * FILL_SEGMENT;
  p.dx = line < width ? 0 : line < width + diagonals ? 1 : -1;
  p.dy = 1;
  p.x = p.dx == 0 ? line : p.dx == 1 ? line - width - (FILL_SEGMENT - 1) : line - width - diagonals;
  return p;
}

map_kernel(fill_ends, entry, FILL_ENDS) {
  const struct fill_place p = fill_place_of(entry, width, height);
  bits32 first = UNKNOWN_DISPARITY, last = UNKNOWN_DISPARITY;
  for (index i = 0; i < FILL_SEGMENT; ++i) {
    const index x = p.x + i * p.dx, y = p.y + i * p.dy;
    if (x < 0 || x >= width || y >= height) continue;
    const bits32 d = disparity[(offset)y * width + x];
    if (d == UNKNOWN_DISPARITY) continue;
    if (first == UNKNOWN_DISPARITY) first = d;
    last = d;
  }
  ends[entry] = first << 16 | last;
}

// A line's first entry, the distance to its next entry, and the number of its entries.
struct fill_chain {
  offset entry, step;
  index count;
};
group_fn struct fill_chain fill_chain_of(index line, index width, index height) {
  const index across = fill_segments(width), down = fill_segments(height),
              diagonals = fill_diagonals(width), each = width + 2 * diagonals;
  struct fill_chain c = {(offset)line * across, 1, across};
  if (line < height) return c;
  line -= height;
  c.entry = (offset)height * across + line;
  c.step = each;
  c.count = down;
  if (line < width) return c;
  line -= width;
  // A diagonal begins in the first segment of rows, or at a side of a later segment: there it is
  // one of the first or last FILL_SEGMENT diagonals.
  const index lines = diagonals + (down - 1) * FILL_SEGMENT, to_left = line >= lines;
  if (to_left) line -= lines;
  const index later = line - diagonals, segment = later < 0 ? 0 : later / FILL_SEGMENT + 1;
  index at = later < 0 ? line : later % FILL_SEGMENT;
  if (to_left && later >= 0) at += diagonals - FILL_SEGMENT;
  c.entry = (offset)height * across + (offset)segment * each + width + to_left * diagonals + at;
  c.step = to_left ? each - FILL_SEGMENT : each + FILL_SEGMENT;
  const index way = to_left ? at : diagonals - 1 - at, inside = way / FILL_SEGMENT + 1;
  c.count = inside < down - segment ? inside : down - segment;
  return c;
}

// Replaces an entry by the first known disparity after its segment and the last one before it.
map_kernel(fill_carry, line, FILL_CARRY) {
  const struct fill_chain c = fill_chain_of(line, width, height);
  bits32 before = UNKNOWN_DISPARITY, after = UNKNOWN_DISPARITY;
  for (index from = 0; from < c.count; from += FILL_AHEAD) {
    bits32 own[FILL_AHEAD];
    lane_unroll for (index i = 0; i < FILL_AHEAD; ++i) own[i] =
        from + i < c.count ? ends[c.entry + (from + i) * c.step] : 0;
    lane_unroll for (index i = 0; i < FILL_AHEAD; ++i) {
      if (from + i >= c.count) continue;
      ends[c.entry + (from + i) * c.step] = (own[i] & 0xffff0000u) | before;
      if ((own[i] & 0xffffu) != UNKNOWN_DISPARITY) before = own[i] & 0xffffu;
    }
  }
  for (index to = c.count; to > 0; to -= FILL_AHEAD) {
    bits32 own[FILL_AHEAD];
    lane_unroll for (index i = 0; i < FILL_AHEAD; ++i) own[i] =
        to - 1 - i >= 0 ? ends[c.entry + (to - 1 - i) * c.step] : 0;
    lane_unroll for (index i = 0; i < FILL_AHEAD; ++i) {
      if (to - 1 - i < 0) continue;
      ends[c.entry + (to - 1 - i) * c.step] = after << 16 | (own[i] & 0xffffu);
      if (own[i] >> 16 != UNKNOWN_DISPARITY) after = own[i] >> 16;
    }
  }
}

// Returns the known disparities nearest to pixel `at` on both sides of its line: in the low half
// the disparity before it, in the high half the disparity after it. entry: the nearest known
// disparities outside the segment. left, right: numbers of pixels of the segment before and after
// `at` that lie inside the image.
group_fn bits32 fill_nearest(global_const bits16* disparity, offset at, offset step, index left,
                             index right, bits32 entry) {
  bits32 before = entry & 0xffffu, after = entry >> 16;
  for (index i = 1; i <= left; ++i) {
    const bits32 d = disparity[at - i * step];
    if (d == UNKNOWN_DISPARITY) continue;
    before = d;
    break;
  }
  for (index i = 1; i <= right; ++i) {
    const bits32 d = disparity[at + i * step];
    if (d == UNKNOWN_DISPARITY) continue;
    after = d;
    break;
  }
  return after << 16 | before;
}
map_kernel(fill_around, pixel, FILL_AROUND) {
  const index d = disparity[pixel], x = pixel % width, y = pixel / width;
  if (d != UNKNOWN_DISPARITY) {
    filled[pixel] = (bits16)d;
    return;
  }
  const index across = fill_segments(width), diagonals = fill_diagonals(width),
              each = width + 2 * diagonals;
  const index left = x % FILL_SEGMENT, up = y % FILL_SEGMENT,
              down = fill_least(FILL_SEGMENT - 1 - up, height - 1 - y);
  const bits32 in_row =
      fill_nearest(disparity, pixel, 1, left, fill_least(FILL_SEGMENT - 1 - left, width - 1 - x),
                   ends[(offset)y * across + x / FILL_SEGMENT]);
  index lowest = UNKNOWN_DISPARITY, second = UNKNOWN_DISPARITY;
  keep_lowest((index)(in_row & 0xffffu), &lowest, &second);
  keep_lowest((index)(in_row >> 16), &lowest, &second);
  const offset entries = (offset)height * across + (offset)(y / FILL_SEGMENT) * each;
  for (index dx = -1; dx <= 1; ++dx) {
    const index to_up = dx == 0 ? up : fill_least(up, dx > 0 ? x : width - 1 - x),
                to_down = dx == 0 ? down : fill_least(down, dx > 0 ? width - 1 - x : x);
    const index line = dx == 0  ? x
                       : dx > 0 ? width + x - up + FILL_SEGMENT - 1
                                : width + diagonals + x + up;
    const bits32 near =
        fill_nearest(disparity, pixel, (offset)width + dx, to_up, to_down, ends[entries + line]);
    keep_lowest((index)(near & 0xffffu), &lowest, &second);
    keep_lowest((index)(near >> 16), &lowest, &second);
  }
  filled[pixel] =
      (bits16)background_value((index)(in_row & 0xffffu), (index)(in_row >> 16), lowest, second);
}
