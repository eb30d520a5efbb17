// SPDX-License-Identifier: BSD-3-Clause
// Kernels that fill unknown pixels, on all devices; filter.kernels describes the arguments.

// A member's run [begin, end) of pixels in a line, the last known value before the run and the
// first known value after it, and whether the line has any known pixel. Pixels of a line are
// `step` elements apart.
typedef struct {
  index begin, end;
  bits32 left, right;
  index known;
} fill_run;

// Finds the run of each member and the known values around it. `ends` is [2][GROUP_SIZE] scratch
// memory: the low half of an element holds the last known value in the runs up to that member's,
// the high half the first known value in the runs from that member's on. UNKNOWN_DISPARITY is
// larger than any value.
group_fn fill_run fill_find_run(global_const bits16* line, index length, offset step,
                                local_ptr bits32* ends) {
  const index member = (index)group_member(), each = (length + GROUP_SIZE - 1) / GROUP_SIZE;
  fill_run run;
  run.begin = member * each < length ? member * each : length;
  run.end = run.begin + each < length ? run.begin + each : length;
  bits32 last = UNKNOWN_DISPARITY, first = UNKNOWN_DISPARITY;
  for (index i = run.begin; i < run.end; ++i) {
    bits32 s = line[i * step];
    if (s == UNKNOWN_DISPARITY) continue;
    if (first == UNKNOWN_DISPARITY) first = s;
    last = s;
  }
  index from = 0;
  ends[member] = first << 16 | last;
  for (index o = 1; o < GROUP_SIZE; o *= 2) {
    group_barrier();
    if (last == UNKNOWN_DISPARITY && member >= o) last = ends[from + member - o] & 0xffffu;
    if (first == UNKNOWN_DISPARITY && member + o < GROUP_SIZE)
      first = ends[from + member + o] >> 16;
    from = GROUP_SIZE - from;
    ends[from + member] = first << 16 | last;
  }
  group_barrier();
  run.left = member > 0 ? ends[from + member - 1] & 0xffffu : (bits32)UNKNOWN_DISPARITY;
  run.right = member + 1 < GROUP_SIZE ? ends[from + member + 1] >> 16 : (bits32)UNKNOWN_DISPARITY;
  run.known = (ends[from] >> 16) != UNKNOWN_DISPARITY;
  return run;
}

lane_fn index fill_least(index a, index b) { return a < b ? a : b; }

// Gives every pixel of a run its own value, or the first known value after it.
group_fn void fill_backwards(global_const bits16* line, const fill_run* run, offset step,
                             global_ptr bits16* to) {
  bits32 right = run->right;
  for (index i = run->end - 1; i >= run->begin; --i) {
    bits32 s = line[i * step];
    if (s != UNKNOWN_DISPARITY) right = s;
    to[i * step] = (bits16)right;
  }
}

group_kernel(fill_row, row, FILL_ROW) {
  const offset at = (offset)row * width;
  const fill_run run = fill_find_run(disparity + at, width, 1, ends);
  fill_backwards(disparity + at, &run, 1, filled + at);
  bits32 left = run.left;
  for (index x = run.begin; x < run.end; ++x) {
    bits32 s = disparity[at + x];
    if (s != UNKNOWN_DISPARITY) left = s;
    if (s == UNKNOWN_DISPARITY && left < filled[at + x]) filled[at + x] = (bits16)left;
  }
  if (group_leads()) row_known[row] = run.known;
}

// Each member scans a run of rows. `nearest` is [2][GROUP_SIZE]: the last known row of each run or
// -1, and the first known row or `height`.
group_kernel(fill_sources, group, FILL_SOURCES) {
  (void)group;  // the launch has one group
  const index member = (index)group_member(), each = (height + GROUP_SIZE - 1) / GROUP_SIZE;
  const index begin = fill_least(member * each, height), end = fill_least(begin + each, height);
  index above = -1, below = height;
  for (index row = end - 1; row >= begin; --row) {
    if (row_known[row]) below = row;
    if (row_known[row] && above < 0) above = row;
  }
  nearest[member] = above;
  nearest[GROUP_SIZE + member] = below;
  group_barrier();
  above = -1;
  below = height;
  for (index m = member - 1; m >= 0 && above < 0; --m) above = nearest[m];
  for (index m = member + 1; m < GROUP_SIZE && below == height; ++m)
    below = nearest[GROUP_SIZE + m];
  for (index row = end - 1; row >= begin; --row) {
    if (row_known[row]) below = row;
    row_source[row] = below;
  }
  for (index row = begin; row < end; ++row) {
    if (row_known[row]) above = row;
    below = row_source[row];
    if (above >= 0 && (below == height || row - above <= below - row)) row_source[row] = above;
  }
}

// A row with a known value is its own source and stays as it is.
group_kernel(fill_blank, row, FILL_BLANK) {
  const index from = row_source[row];
  if (from == row || from == height) return;
  group_for_each(x, width) filled[(offset)row * width + x] = filled[(offset)from * width + x];
}

map_kernel(fill_mean_round, pixel, FILL_MEAN_ROUND) {
  index d = disparity[pixel];
  if (d == UNKNOWN_DISPARITY)
    d = window_mean(disparity, width, height, pixel % width, pixel / width, radius);
  filled[pixel] = (bits16)d;
}

group_kernel(fill_mean_rest, group, FILL_MEAN_REST) {
  (void)group;  // the launch has one group
  const index pixels = width * height;
  index again = 1;
  while (again) {
    group_barrier();
    if (group_leads()) flags[0] = flags[1] = 0;
    group_barrier();
    // The values of this round go to `other` first, so that the same round does not read them.
    for (index i = (index)group_member(); i < pixels; i += GROUP_SIZE) {
      if (disparity[i] != UNKNOWN_DISPARITY) continue;
      index d = window_mean(disparity, width, height, i % width, i / width, radius);
      other[i] = (bits16)d;
      flags[d == UNKNOWN_DISPARITY ? 0 : 1] = 1;
    }
    group_barrier();
    again = flags[0] && flags[1];
    if (flags[1]) {
      for (index i = (index)group_member(); i < pixels; i += GROUP_SIZE) {
        if (disparity[i] == UNKNOWN_DISPARITY) disparity[i] = other[i];
      }
    }
  }
}
