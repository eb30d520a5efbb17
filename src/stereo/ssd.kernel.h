// SPDX-License-Identifier: BSD-3-Clause
// The kernels of ssd_device.cpp: ssd.hpp's winners on GPUs, in both directions from one pass.
//
// A group has a tile of OUTPUTS columns and some rows, and a member a disparity: lane l searches
// lane0 + l. A member keeps the sums of squares over the window's rows of all columns of the tile,
// with their margins, in registers, and moves them down row by row; a row's costs are running sums
// over them. So a cost takes about as long for every window.
//
// A key is cost << KEY_BITS | lane: its minimum is the winner with the smaller disparity, in
// whichever order it is found. Of the left picture a tile has all of a pixel's keys; of the right
// one tiles overlap, and their minima meet in global memory.
//
// WINDOW is a constant of the text. The words group_lowest_, local_lowest and global_lowest are
// those of ssd.cu and ssd_words.cl.h: the minimum over the group_in_step() members that run in step
// (a warp, or one), and atomic minima.
enum {
  RADIUS = WINDOW / 2,
  COLUMNS = WINDOW <= 17 ? 64 : 80,
  OUTPUTS = COLUMNS - 2 * RADIUS,
  // The largest cost, 65025 WINDOW^2, and the lane fill 32 bits.
  KEY_BITS = WINDOW <= 7    ? 10
             : WINDOW <= 11 ? 9
             : WINDOW <= 15 ? 8
             : WINDOW <= 21 ? 7
                            : 6,
  LANES_MOST = KEY_BITS < 7 ? 64 : 128,
  RIGHT_COLUMNS = COLUMNS + LANES_MOST,
  RIGHT_OUTPUTS = OUTPUTS + LANES_MOST
};
// Of disparities that are searched in one launch, where there are more than lanes.
enum { FIRST_CHUNK = 1, LAST_CHUNK = 2 };
#define SSD_NO_KEY 0xffffffffu

// Two of each, used by turns: one barrier instead of two.
struct ssd_shared {
  int2 left[2 * COLUMNS];         // of two rows; what of them, ssd_stage says
  int2 right[2 * RIGHT_COLUMNS];  // element j: the left ones' columns - lane0 - (lanes - 1) + j
  bits32 costs[OUTPUTS * LANES_MOST];  // [output][lane]
  bits32 left_keys[2 * OUTPUTS];
  bits32 right_keys[2 * RIGHT_OUTPUTS];  // element j: right column x0 - lane0 - (lanes - 1) + j
};

struct ssd_search {
  index width, height;
  index min_disparity, first, end;      // of the search; what lies inside the pictures
  index lane0, chunk_first, chunk_end;  // disparities that this launch finds winners among
  index lanes, chunk;
};

lane_fn index ssd_inside(index x, index width) { return x < 0 ? 0 : x < width ? x : width - 1; }

// Pixel x of two rows, as both or as their difference and sum; rows outside are black on both
// sides.
group_fn int2 ssd_pixels(global_const unsigned char* picture, index width, index height, index x,
                         index row, index other, index as_difference) {
  const index column = ssd_inside(x, width);
  const index a = row >= 0 && row < height ? picture[(offset)row * width + column] : 0;
  const index b = other >= 0 && other < height ? picture[(offset)other * width + column] : 0;
  int2 p;
  p.x = as_difference ? a - b : a;
  p.y = as_difference ? a + b : b;
  return p;
}

group_fn void ssd_stage(const struct ssd_search* q, global_const unsigned char* left,
                        global_const unsigned char* right, index x0, index row, index other,
                        index as_difference, local_ptr int2* left_out, local_ptr int2* right_out) {
  const index right0 = x0 - RADIUS - q->lane0 - (q->lanes - 1);
  for (index c = (index)group_member(); c < COLUMNS; c += q->lanes)
    left_out[c] = ssd_pixels(left, q->width, q->height, x0 - RADIUS + c, row, other, as_difference);
  for (index j = (index)group_member(); j < COLUMNS + q->lanes - 1; j += q->lanes)
    right_out[j] = ssd_pixels(right, q->width, q->height, right0 + j, row, other, as_difference);
}

// The costs of a row and their keys. `from`, `count`: outputs at which this lane is a candidate.
group_fn void ssd_costs(const bits32* sums, index lane, index lanes, index from, index count,
                        local_ptr struct ssd_shared* s, index turn) {
  local_ptr bits32* left_keys = s->left_keys + turn * OUTPUTS;
  local_ptr bits32* right_keys = s->right_keys + turn * RIGHT_OUTPUTS + lanes - 1 - lane;
  bits32 box = 0, own = SSD_NO_KEY;  // own: of one output for each member that runs in step
  const index step_member = lane % group_in_step();
  ssd_unroll for (index c = 0; c < 2 * RADIUS; ++c) box += sums[c];
  ssd_unroll for (index i = 0; i < OUTPUTS; ++i) {
    box += sums[i + 2 * RADIUS];
    s->costs[i * lanes + lane] = box;
    const bits32 key =
        (bits32)(i - from) < (bits32)count ? box << KEY_BITS | (bits32)lane : SSD_NO_KEY;
    const bits32 lowest = group_lowest_(key);
    own = i % group_in_step() == step_member ? lowest : own;
    if (i % group_in_step() == group_in_step() - 1 || i == OUTPUTS - 1) {
      const index mine = i - i % group_in_step() + step_member;
      if (mine <= i) local_lowest(left_keys + mine, own);
    }
    local_lowest(right_keys + i, key);
    box -= sums[i];
  }
}

// Left winners of a row as steps, where they are better than those of earlier chunks.
group_fn void ssd_store_left(const struct ssd_search* q, index x0, index y,
                             local_ptr const bits32* keys, local_ptr const bits32* costs,
                             global_ptr bits32* left_cost, global_ptr unsigned short* steps) {
  for (index i = (index)group_member(); i < OUTPUTS && x0 + i < q->width; i += q->lanes) {
    const offset at = (offset)y * q->width + x0 + i;
    const bits32 key = keys[i], cost = key >> KEY_BITS;
    const index lane = (index)(key & ((1u << KEY_BITS) - 1)), d = q->lane0 + lane,
                seen = x0 + i - d;
    if (q->chunk & FIRST_CHUNK) {
      if (key == SSD_NO_KEY) steps[at] = UNKNOWN_STEPS;
      if (!(q->chunk & LAST_CHUNK)) left_cost[at] = key == SSD_NO_KEY ? SSD_NO_KEY : cost;
    } else if (key != SSD_NO_KEY && cost < left_cost[at]) {
      left_cost[at] = cost;
    } else {
      continue;
    }
    if (key == SSD_NO_KEY) continue;
    index part = 0;
    if (d > q->first && d + 1 < q->end && seen > 0 && seen + 1 < q->width)
      part = parabola_offset((index)costs[i * q->lanes + lane - 1], (index)cost,
                             (index)costs[i * q->lanes + lane + 1]);
    steps[at] = (unsigned short)((d - q->min_disparity) * STEPS + part);
  }
}

group_fn void kernel_ssd_winners(const struct ssd_search* q, index x0, index y0, index y1,
                                 global_const unsigned char* left,
                                 global_const unsigned char* right, global_ptr bits32* left_cost,
                                 global_ptr unsigned short* steps, global_ptr bits32* right_keys,
                                 local_ptr struct ssd_shared* s) {
  const index lane = (index)group_member(), lanes = q->lanes, d = q->lane0 + lane;
  bits32 sums[COLUMNS];
  ssd_unroll for (index c = 0; c < COLUMNS; ++c) sums[c] = 0;
  // All of the first window but its last row, two rows at a time.
  for (index pair = 0; pair < RADIUS; ++pair) {
    const index turn = pair & 1, row = y0 - RADIUS + 2 * pair;
    local_ptr int2* l = s->left + turn * COLUMNS;
    local_ptr int2* r = s->right + turn * RIGHT_COLUMNS;
    ssd_stage(q, left, right, x0, row, row + 1, 0, l, r);
    group_barrier();
    r += lanes - 1 - lane;
    ssd_unroll for (index c = 0; c < COLUMNS; ++c) {
      const index a = l[c].x - r[c].x, b = l[c].y - r[c].y;
      sums[c] += (bits32)(a * a + b * b);
    }
  }
  // Outputs x0 + i with a right pixel, x0 + i - d, that is inside.
  const index from = d > x0 ? d - x0 : 0, widest = d < 0 ? q->width + d : q->width;
  const index is_candidate = d >= q->chunk_first && d < q->chunk_end;
  const index count = is_candidate && widest - x0 > from ? widest - x0 - from : 0;
  for (index y = y0; y < y1; ++y) {
    const index turn = (RADIUS + y - y0) & 1;
    local_ptr int2* l = s->left + turn * COLUMNS;
    local_ptr int2* r = s->right + turn * RIGHT_COLUMNS;
    ssd_stage(q, left, right, x0, y + RADIUS, y > y0 ? y - RADIUS - 1 : -1, 1, l, r);
    for (index i = lane; i < OUTPUTS; i += lanes) s->left_keys[turn * OUTPUTS + i] = SSD_NO_KEY;
    for (index j = lane; j < OUTPUTS + lanes - 1; j += lanes)
      s->right_keys[turn * RIGHT_OUTPUTS + j] = SSD_NO_KEY;
    group_barrier();
    r += lanes - 1 - lane;
    // a^2 - b^2 of the row that enters and the one that leaves.
    ssd_unroll for (index c = 0; c < COLUMNS; ++c) sums[c] +=
        (bits32)((l[c].x - r[c].x) * (l[c].y - r[c].y));
    ssd_costs(sums, lane, lanes, from, count, s, turn);
    group_barrier();
    ssd_store_left(q, x0, y, s->left_keys + turn * OUTPUTS, s->costs, left_cost, steps);
    for (index j = lane; j < OUTPUTS + lanes - 1; j += lanes) {
      const bits32 key = s->right_keys[turn * RIGHT_OUTPUTS + j];
      const index x = x0 - q->lane0 - (lanes - 1) + j;
      if (key != SSD_NO_KEY) global_lowest(right_keys + (offset)y * q->width + x, key);
    }
  }
}

// Right winners of a pixel from its key, which is made ready for the next launch.
group_fn void ssd_take_right(const struct ssd_search* q, offset at, global_ptr bits32* right_keys,
                             global_ptr bits32* right_cost,
                             global_ptr unsigned short* right_index) {
  const bits32 key = right_keys[at], cost = key >> KEY_BITS;
  const bits32 before = q->chunk & FIRST_CHUNK ? SSD_NO_KEY : right_cost[at];
  right_keys[at] = SSD_NO_KEY;
  if (key != SSD_NO_KEY && cost < before)
    right_index[at] =
        (unsigned short)(q->lane0 + (index)(key & ((1u << KEY_BITS) - 1)) - q->min_disparity);
  else if (q->chunk & FIRST_CHUNK)
    right_index[at] = NO_CANDIDATE;
  if (!(q->chunk & LAST_CHUNK)) right_cost[at] = key != SSD_NO_KEY && cost < before ? cost : before;
}

// What follows a chunk, a group a row: right winners, and after the last chunk the cross-check
// (tolerance in steps, negative: none) and the fill of the row, where it is wanted.
group_fn void kernel_ssd_finish(const struct ssd_search* q, index row, index tolerance,
                                index fills_row, global_ptr bits32* right_keys,
                                global_ptr bits32* right_cost,
                                global_ptr unsigned short* right_index,
                                global_ptr unsigned short* steps, global_ptr unsigned short* filled,
                                global_ptr int* row_known, local_ptr bits32* ends) {
  const index width = q->width;
  for (index x = (index)group_member(); x < width; x += GROUP_SIZE)
    ssd_take_right(q, (offset)row * width + x, right_keys, right_cost, right_index);
  if (!(q->chunk & LAST_CHUNK)) return;
  group_barrier();
  for (index x = (index)group_member(); x < width && tolerance >= 0; x += GROUP_SIZE)
    kernel_check(row * width + x, steps, right_index, width, q->min_disparity, tolerance);
  group_barrier();
  if (fills_row) kernel_fill_row(row, steps, width, filled, row_known, ends);
}
