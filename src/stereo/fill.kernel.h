// SPDX-License-Identifier: BSD-3-Clause
// The fills on GPUs: what fill.cpp does, to the same bits. filter.kernels describes the arguments.

// A member has to know this of its line, whose pixels lie `step` apart: its run of them, the last
// known value before the run and the first one after it, and whether there is any in the line.
typedef struct {
  index begin, end;
  bits32 left, right;
  index known;
} fill_run;

// `ends` is [2][GROUP_SIZE]: the last known value of the runs up to a member's in the low half, the
// first one of those from it on in the high half. UNKNOWN_DISPARITY is larger than any value.
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
  run.left = member > 0 ? ends[from + member - 1] & 0xffffu : UNKNOWN_DISPARITY;
  run.right = member + 1 < GROUP_SIZE ? ends[from + member + 1] >> 16 : UNKNOWN_DISPARITY;
  run.known = (ends[from] >> 16) != UNKNOWN_DISPARITY;
  return run;
}

// Gives every pixel of a run its own value, or the first known one after it.
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

group_kernel(fill_line, line, FILL_LINE) {
  const index before = line - (height - 1);  // of a diagonal: where it would start in row 0
  index x = dx == 0 ? line : 0, y = dy == 0 ? line : 0, length = dy == 0 ? width : height;
  if (dx != 0 && dy != 0) {
    x = before > 0 ? before : 0;
    y = before > 0 ? 0 : -before;
    length = width - x < height - y ? width - x : height - y;
    if (dx < 0) x = width - 1 - x;
  }
  const offset at = (offset)y * width + x, step = (offset)dy * width + dx;
  const fill_run run = fill_find_run(disparity + at, length, step, ends);
  fill_backwards(disparity + at, &run, step, filled + at);
  index left = (index)run.left;
  for (index i = run.begin; i < run.end; ++i) {
    const offset place = at + i * step;
    const index s = disparity[place], right = filled[place];
    if (s != UNKNOWN_DISPARITY) {
      left = s;
      continue;
    }
    const bits32 both = is_first ? UNKNOWN_DISPARITY << 16 | UNKNOWN_DISPARITY : lowest[place];
    index least = (index)(both & 0xffffu), second = (index)(both >> 16);
    keep_lowest(left, &least, &second);
    keep_lowest(right, &least, &second);
    if (dy == 0)
      filled[place] = (bits16)background_value(left, right, least, second);
    else
      lowest[place] = (bits32)second << 16 | (bits32)least;
  }
}

group_kernel(fill_blank, row, FILL_BLANK) {
  if (row_known[row]) return;
  for (index step = 1; step < height; ++step) {
    index from = row - step;
    if (from < 0 || !row_known[from]) from = row + step;
    if (from >= height || !row_known[from]) continue;
    for (index x = (index)group_member(); x < width; x += GROUP_SIZE)
      filled[(offset)row * width + x] = filled[(offset)from * width + x];
    return;
  }
}

map_kernel(fill_mean_round, pixel, FILL_MEAN_ROUND) {
  index d = disparity[pixel];
  if (d == UNKNOWN_DISPARITY)
    d = window_mean(disparity, width, height, pixel % width, pixel / width, radius);
  filled[pixel] = (bits16)d;
}

group_kernel(fill_mean_rest, group, FILL_MEAN_REST) {
  const index pixels = width * height;
  index again = 1;
  while (again) {
    group_barrier();
    if (group_leads()) flags[0] = flags[1] = 0;
    group_barrier();
    // What this round finds goes to `other` first, so that it is not seen in the same round.
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
