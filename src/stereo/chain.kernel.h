// SPDX-License-Identifier: BSD-3-Clause
// The kernels of chain_device.hpp: what chain.cpp does, on GPUs, after disparity.lane.h. Arrays are
// [height][width]; `pixel` is an element of them, of width * height. Groups have GROUP_SIZE
// members.

// Right pixel that a known disparity of left pixel x leads to.
lane_fn index seen_column(index x, index steps, index min_disparity) {
  return x - min_disparity - (steps + STEPS / 2) / STEPS;
}

// What the right picture's winner does not confirm becomes unknown.
group_fn void kernel_check(index pixel, global_ptr unsigned short* steps,
                           global_const unsigned short* right_index, index width,
                           index min_disparity, index tolerance) {
  index s = steps[pixel], x = pixel % width;
  if (s == UNKNOWN_STEPS) return;
  index right = right_index[pixel - x + seen_column(x, s, min_disparity)];
  if (!directions_agree(s, right, tolerance)) steps[pixel] = UNKNOWN_STEPS;
}

// Marks, 1 or 0, of left pixels that no right pixel's winner leads to. A group a row.
group_fn void kernel_occluded(index row, global_const unsigned short* right_index, index width,
                              index min_disparity, global_ptr unsigned char* occluded) {
  const offset at = (offset)row * width;
  for (index x = (index)group_member(); x < width; x += GROUP_SIZE) occluded[at + x] = 1;
  group_barrier();
  for (index x = (index)group_member(); x < width; x += GROUP_SIZE) {
    index i = right_index[at + x];
    if (i != NO_CANDIDATE) occluded[at + x + min_disparity + i] = 0;
  }
}

// Unknown pixels take the smaller of the nearest known ones left and right; row_known[row] is 0
// where there is none. A group a row, a run of pixels a member; `ends` is [2][GROUP_SIZE], shared:
// the last known value of the runs up to a member's in the low half, the first one of those from it
// on in the high half. UNKNOWN_STEPS is larger than any value.
group_fn void kernel_fill_row(index row, global_const unsigned short* steps, index width,
                              global_ptr unsigned short* filled, global_ptr int* row_known,
                              local_ptr bits32* ends) {
  const index member = (index)group_member(), run = (width + GROUP_SIZE - 1) / GROUP_SIZE;
  const index begin = member * run < width ? member * run : width,
              end = begin + run < width ? begin + run : width;
  const offset at = (offset)row * width;
  bits32 last = UNKNOWN_STEPS, first = UNKNOWN_STEPS;
  for (index x = begin; x < end; ++x) {
    bits32 s = steps[at + x];
    if (s == UNKNOWN_STEPS) continue;
    if (first == UNKNOWN_STEPS) first = s;
    last = s;
  }
  index from = 0;
  ends[member] = first << 16 | last;
  for (index o = 1; o < GROUP_SIZE; o *= 2) {
    group_barrier();
    if (last == UNKNOWN_STEPS && member >= o) last = ends[from + member - o] & 0xffffu;
    if (first == UNKNOWN_STEPS && member + o < GROUP_SIZE) first = ends[from + member + o] >> 16;
    from = GROUP_SIZE - from;
    ends[from + member] = first << 16 | last;
  }
  group_barrier();
  bits32 left = member > 0 ? ends[from + member - 1] & 0xffffu : UNKNOWN_STEPS;
  bits32 right = member + 1 < GROUP_SIZE ? ends[from + member + 1] >> 16 : UNKNOWN_STEPS;
  for (index x = end - 1; x >= begin; --x) {
    bits32 s = steps[at + x];
    if (s != UNKNOWN_STEPS) right = s;
    filled[at + x] = (unsigned short)right;
  }
  for (index x = begin; x < end; ++x) {
    bits32 s = steps[at + x];
    if (s != UNKNOWN_STEPS) left = s;
    if (s == UNKNOWN_STEPS && left < filled[at + x]) filled[at + x] = (unsigned short)left;
  }
  if (member == GROUP_SIZE - 1) row_known[row] = last != UNKNOWN_STEPS;
}

// Rows without any value repeat the nearest row that has some, the upper one of two. A group a row.
group_fn void kernel_fill_blank(index row, global_const int* row_known, index width, index height,
                                global_ptr unsigned short* filled) {
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

// The mean of the known pixels of the window around an unknown one; UNKNOWN_STEPS when there is
// none.
group_fn index window_mean(global_const unsigned short* steps, index x, index y, index width,
                           index height, index radius) {
  const index x0 = x > radius ? x - radius : 0, y0 = y > radius ? y - radius : 0;
  index sum = 0, count = 0;
  for (index v = y0; v <= y + radius && v < height; ++v) {
    for (index u = x0; u <= x + radius && u < width; ++u) {
      index s = steps[(offset)v * width + u];
      if (s == UNKNOWN_STEPS) continue;
      sum += s;
      ++count;
    }
  }
  return count > 0 ? (sum + count / 2) / count : UNKNOWN_STEPS;
}

// One round of the fill by means.
group_fn void kernel_mean_round(index pixel, global_const unsigned short* steps, index width,
                                index height, index radius, global_ptr unsigned short* filled) {
  index s = steps[pixel];
  if (s == UNKNOWN_STEPS)
    s = window_mean(steps, pixel % width, pixel / width, width, height, radius);
  filled[pixel] = (unsigned short)s;
}

// All further rounds, by one group: `steps` is read first and has the result. flags [2], shared.
group_fn void kernel_mean_rest(global_ptr unsigned short* steps, global_ptr unsigned short* other,
                               index width, index height, index radius, local_ptr int* flags) {
  const index pixels = width * height;
  index again = 1;
  while (again) {
    group_barrier();
    if (group_leads()) flags[0] = flags[1] = 0;
    group_barrier();
    // What this round finds goes to `other` first, so that it is not seen in the same round.
    for (index i = (index)group_member(); i < pixels; i += GROUP_SIZE) {
      if (steps[i] != UNKNOWN_STEPS) continue;
      index s = window_mean(steps, i % width, i / width, width, height, radius);
      other[i] = (unsigned short)s;
      flags[s == UNKNOWN_STEPS ? 0 : 1] = 1;
    }
    group_barrier();
    again = flags[0] && flags[1];
    if (flags[1]) {
      for (index i = (index)group_member(); i < pixels; i += GROUP_SIZE) {
        if (steps[i] == UNKNOWN_STEPS) steps[i] = other[i];
      }
    }
  }
}

// The nearest known value from a pixel on in one direction; adds up the contrast and the steps on
// the way.
group_fn index nearest_known(global_const unsigned short* steps,
                             global_const unsigned char* brightness, index x, index y, index width,
                             index height, index dx, index dy, index* contrast) {
  index last = brightness[(offset)y * width + x];
  for (*contrast = 0;;) {
    x += dx;
    y += dy;
    if (x < 0 || y < 0 || x >= width || y >= height) return UNKNOWN_STEPS;
    const offset at = (offset)y * width + x;
    index now = brightness[at], change = now < last ? last - now : now - last, s = steps[at];
    *contrast += change * CONTRAST_WEIGHT + 1;
    last = now;
    if (s != UNKNOWN_STEPS) return s;
  }
}

// Fill::edge_aware of one pixel.
group_fn void kernel_edge_aware(index pixel, global_const unsigned short* steps,
                                global_const unsigned char* brightness,
                                global_const unsigned char* occluded, index width, index height,
                                global_ptr unsigned short* filled) {
  index best = steps[pixel], smallest = UNKNOWN_STEPS, second = UNKNOWN_STEPS, least = 0x7fffffff;
  if (best == UNKNOWN_STEPS) {
    for (index k = 0; k < 9; ++k) {
      index contrast;
      if (k == 4) continue;
      index s = nearest_known(steps, brightness, pixel % width, pixel / width, width, height,
                              k % 3 - 1, k / 3 - 1, &contrast);
      if (s == UNKNOWN_STEPS) continue;
      if (s < smallest) {
        second = smallest;
        smallest = s;
      } else if (s < second) {
        second = s;
      }
      if (contrast < least || (contrast == least && s < best)) {
        least = contrast;
        best = s;
      }
    }
    if (occluded[pixel]) best = second == UNKNOWN_STEPS ? smallest : second;
  }
  filled[pixel] = (unsigned short)best;
}
