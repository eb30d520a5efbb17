// SPDX-License-Identifier: BSD-3-Clause
// The fills on GPUs: what fill.cpp does, to the same bits. filter.kernels describes the arguments.

// A run of pixels a member. `ends` is [2][GROUP_SIZE]: the last known value of the runs up to a
// member's in the low half, the first one of those from it on in the high half. UNKNOWN_DISPARITY
// is larger than any value.
group_kernel(fill_row, row, FILL_ROW) {
  const index member = (index)group_member(), run = (width + GROUP_SIZE - 1) / GROUP_SIZE;
  const index begin = member * run < width ? member * run : width,
              end = begin + run < width ? begin + run : width;
  const offset at = (offset)row * width;
  bits32 last = UNKNOWN_DISPARITY, first = UNKNOWN_DISPARITY;
  for (index x = begin; x < end; ++x) {
    bits32 s = disparity[at + x];
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
  bits32 left = member > 0 ? ends[from + member - 1] & 0xffffu : UNKNOWN_DISPARITY;
  bits32 right = member + 1 < GROUP_SIZE ? ends[from + member + 1] >> 16 : UNKNOWN_DISPARITY;
  for (index x = end - 1; x >= begin; --x) {
    bits32 s = disparity[at + x];
    if (s != UNKNOWN_DISPARITY) right = s;
    filled[at + x] = (bits16)right;
  }
  for (index x = begin; x < end; ++x) {
    bits32 s = disparity[at + x];
    if (s != UNKNOWN_DISPARITY) left = s;
    if (s == UNKNOWN_DISPARITY && left < filled[at + x]) filled[at + x] = (bits16)left;
  }
  if (member == GROUP_SIZE - 1) row_known[row] = last != UNKNOWN_DISPARITY;
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

map_kernel(fill_background, pixel, FILL_BACKGROUND) {
  const index x = pixel % width, y = pixel / width;
  index d = disparity[pixel];
  if (d == UNKNOWN_DISPARITY) {
    index beside[2], lowest = UNKNOWN_DISPARITY, second = UNKNOWN_DISPARITY;
    for (index k = 0; k < 9; ++k) {
      if (k == 4) continue;
      d = nearest_known(disparity, width, height, x, y, k % 3 - 1, k / 3 - 1);
      if (k / 3 == 1) beside[k / 5] = d;
      keep_lowest(d, &lowest, &second);
    }
    d = background_value(beside[0], beside[1], lowest, second);
  }
  filled[pixel] = (bits16)d;
}
