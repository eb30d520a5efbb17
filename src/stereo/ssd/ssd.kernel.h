// SPDX-License-Identifier: BSD-3-Clause
// Twin: ssd.cpp and ssd_sweep.cpp (CPUs). Finds the winners of block matching on GPUs, in both
// directions in one pass. ssd.kernels describes the arguments.
//
// A group processes a tile of OUTPUTS columns and some rows, and each member one disparity: lane l
// searches lane0 + l. For all columns of the tile and its margins, a member keeps the sums of
// squares over the rows of the window in registers, and moves them down row by row. The costs of a
// row are running sums over these columns, so that a cost takes about the same time for
// every window.
//
// A key is cost << KEY_BITS | lane: the minimum of the keys is the winner with the smaller
// disparity, in whatever order it is found. A tile has all keys of a left pixel. Tiles overlap in
// right pixels, whose minima are merged in global memory.
enum {
  RADIUS = WINDOW / 2,
  COLUMNS = SSD_COLUMNS(WINDOW),
  OUTPUTS = SSD_OUTPUTS(WINDOW),
  // The largest cost, 65025 WINDOW^2, and the lane share 32 bits.
  KEY_BITS = WINDOW <= 7    ? 10
             : WINDOW <= 11 ? 9
             : WINDOW <= 15 ? 8
             : WINDOW <= 21 ? 7
                            : 6,
  LANES_MOST = SSD_LANES(WINDOW),
  RIGHT_COLUMNS = COLUMNS + LANES_MOST,
  RIGHT_OUTPUTS = OUTPUTS + LANES_MOST,
  // Sizes of shared arrays. All arrays but the costs are double-buffered, which needs one barrier
  // instead of two.
  LEFT_PIXELS = 2 * COLUMNS,
  RIGHT_PIXELS = 2 * RIGHT_COLUMNS,
  TILE_COSTS = OUTPUTS * LANES_MOST,
  LEFT_KEYS = 4 * OUTPUTS,
  RIGHT_KEYS = 2 * RIGHT_OUTPUTS,
  SHARED_PAIRS = LEFT_PIXELS + RIGHT_PIXELS + (TILE_COSTS + LEFT_KEYS + RIGHT_KEYS) / 2
};
#define SSD_NO_KEY 0xffffffffu
#define SSD_LANE_BITS ((1u << KEY_BITS) - 1)

// Shared memory of a group.
struct ssd_shared {
  local_ptr int2* left;          // pixels of two rows, as written by ssd_stage
  local_ptr int2* right;         // element j: column of left[0] - lane0 - (lanes - 1) + j
  local_ptr bits32* costs;       // [output][lane]
  local_ptr bits32* left_keys;   // [2][output]: key of the lowest cost in the first lane, then in
                                 // the last lane with its lane bits inverted
  local_ptr bits32* right_keys;  // element j: right column x0 - lane0 - (lanes - 1) + j
};

// Returns the parts of one array, at constant distances. Separate arrays would take registers for
// their addresses.
group_fn struct ssd_shared ssd_parts(local_ptr int2* shared) {
  local_ptr bits32* numbers = (local_ptr bits32*)(shared + LEFT_PIXELS + RIGHT_PIXELS);
  const struct ssd_shared parts = {shared, shared + LEFT_PIXELS, numbers, numbers + TILE_COSTS,
                                   numbers + TILE_COSTS + LEFT_KEYS};
  return parts;
}

struct ssd_search {
  index width, height;
  index min_disparity, first, end, lane0, lanes, chunk;
};
struct ssd_images {
  global_const bits8 *left, *right;
};

lane_fn index ssd_inside(index x, index width) { return x < 0 ? 0 : x < width ? x : width - 1; }

// Returns pixel x of two rows, either both values or their difference and sum. Rows outside are
// black in both images.
group_fn int2 ssd_pixels(global_const bits8* picture, index width, index height, index x, index row,
                         index other, index as_difference) {
  const index column = ssd_inside(x, width);
  const index a = row >= 0 && row < height ? picture[(offset)row * width + column] : 0;
  const index b = other >= 0 && other < height ? picture[(offset)other * width + column] : 0;
  int2 p;
  p.x = as_difference ? a - b : a;
  p.y = as_difference ? a + b : b;
  return p;
}

group_fn void ssd_stage(const struct ssd_search* q, const struct ssd_images* p, index x0, index row,
                        index other, index as_difference, local_ptr int2* left_out,
                        local_ptr int2* right_out) {
  const index right0 = x0 - RADIUS - q->lane0 - (q->lanes - 1);
  for (index c = (index)group_member(); c < COLUMNS; c += q->lanes)
    left_out[c] =
        ssd_pixels(p->left, q->width, q->height, x0 - RADIUS + c, row, other, as_difference);
  for (index j = (index)group_member(); j < COLUMNS + q->lanes - 1; j += q->lanes)
    right_out[j] = ssd_pixels(p->right, q->width, q->height, right0 + j, row, other, as_difference);
}

// Computes the costs of a row and their keys. from, count: outputs for which this lane is
// a candidate.
group_fn void ssd_costs(const bits32* sums, index lane, index lanes, index from, index count,
                        const struct ssd_shared* s, index slot) {
  local_ptr bits32* left_keys = s->left_keys + slot * 2 * OUTPUTS;
  local_ptr bits32* right_keys = s->right_keys + slot * RIGHT_OUTPUTS + lanes - 1 - lane;
  bits32 box = 0;
  // Each member that runs in lockstep keeps the keys of one output.
  bits32 own = SSD_NO_KEY, own_last = SSD_NO_KEY;
  const index step_member = lane % lockstep_width();
  lane_unroll for (index c = 0; c < 2 * RADIUS; ++c) box += sums[c];
  lane_unroll for (index i = 0; i < OUTPUTS; ++i) {
    box += sums[i + 2 * RADIUS];
    s->costs[i * lanes + lane] = box;
    const bits32 key =
        (bits32)(i - from) < (bits32)count ? box << KEY_BITS | (bits32)lane : SSD_NO_KEY;
    const bits32 lowest = lockstep_min(key), lowest_last = lockstep_min(key ^ SSD_LANE_BITS);
    own = i % lockstep_width() == step_member ? lowest : own;
    own_last = i % lockstep_width() == step_member ? lowest_last : own_last;
    if (i % lockstep_width() == lockstep_width() - 1 || i == OUTPUTS - 1) {
      const index mine = i - i % lockstep_width() + step_member;
      if (mine <= i) {
        local_atomic_min(left_keys + mine, own);
        local_atomic_min(left_keys + OUTPUTS + mine, own_last);
      }
    }
    local_atomic_min(right_keys + i, key);
    box -= sums[i];
  }
}

// Stores the left winners of a row as disparities if they are better than the winners of
// earlier chunks.
group_fn void ssd_store_left(const struct ssd_search* q, index x0, index y,
                             local_ptr const bits32* keys, local_ptr const bits32* costs,
                             global_ptr bits32* left_cost, global_ptr bits16* disparity) {
  for (index i = (index)group_member(); i < OUTPUTS && x0 + i < q->width; i += q->lanes) {
    const offset at = (offset)y * q->width + x0 + i;
    const bits32 key = keys[i], cost = key >> KEY_BITS;
    const index lane = (index)(key & SSD_LANE_BITS), d = q->lane0 + lane, seen = x0 + i - d,
                last = q->lane0 + (index)(~keys[OUTPUTS + i] & SSD_LANE_BITS);
    if (q->chunk & FIRST_CHUNK) {
      if (key == SSD_NO_KEY) disparity[at] = UNKNOWN_DISPARITY;
      if (!(q->chunk & LAST_CHUNK)) left_cost[at] = key == SSD_NO_KEY ? SSD_NO_KEY : cost;
    } else if (key != SSD_NO_KEY && cost < left_cost[at]) {
      left_cost[at] = cost;
    } else {
      if (key != SSD_NO_KEY && cost == left_cost[at] && disparity[at] != UNKNOWN_DISPARITY &&
          is_tied((disparity[at] + SUBPIXELS / 2) / SUBPIXELS + q->min_disparity, last))
        disparity[at] = UNKNOWN_DISPARITY;
      continue;
    }
    if (key == SSD_NO_KEY) continue;
    index part = 0;
    if (d > q->first && d + 1 < q->end && seen > 0 && seen + 1 < q->width)
      part = parabola_offset((index)costs[i * q->lanes + lane - 1], (index)cost,
                             (index)costs[i * q->lanes + lane + 1]);
    disparity[at] = is_tied(d, last) ? (bits16)UNKNOWN_DISPARITY
                                     : (bits16)((d - q->min_disparity) * SUBPIXELS + part);
  }
}

group_kernel(ssd_winners, group, SSD_WINNERS) {
  const struct ssd_shared parts = ssd_parts(shared);
  const struct ssd_shared* s = &parts;
  const struct ssd_search search = {width, height, min_disparity, first, end, lane0, lanes, chunk};
  const struct ssd_search* q = &search;
  const struct ssd_images pictures = {left, right};
  const index x0 = group % tiles * OUTPUTS, y0 = group / tiles * rows,
              y1 = y0 + rows < height ? y0 + rows : height;
  const index lane = (index)group_member(), d = lane0 + lane;
  bits32 sums[COLUMNS];
  lane_unroll for (index c = 0; c < COLUMNS; ++c) sums[c] = 0;
  // Adds all rows of the first window but its last row, two rows at a time.
  for (index pair = 0; pair < RADIUS; ++pair) {
    const index slot = pair & 1, row = y0 - RADIUS + 2 * pair;
    local_ptr int2* l = s->left + slot * COLUMNS;
    local_ptr int2* r = s->right + slot * RIGHT_COLUMNS;
    ssd_stage(q, &pictures, x0, row, row + 1, 0, l, r);
    group_barrier();
    r += lanes - 1 - lane;
    lane_unroll for (index c = 0; c < COLUMNS; ++c) {
      const index a = l[c].x - r[c].x, b = l[c].y - r[c].y;
      sums[c] += (bits32)(a * a + b * b);
    }
  }
  // Outputs x0 + i whose right pixel, x0 + i - d, lies inside the image.
  const index from = d > x0 ? d - x0 : 0, widest = d < 0 ? width + d : width;
  const index is_candidate = d >= chunk_first && d < chunk_end;
  const index count = is_candidate && widest - x0 > from ? widest - x0 - from : 0;
  for (index y = y0; y < y1; ++y) {
    const index slot = (RADIUS + y - y0) & 1;
    local_ptr int2* l = s->left + slot * COLUMNS;
    local_ptr int2* r = s->right + slot * RIGHT_COLUMNS;
    ssd_stage(q, &pictures, x0, y + RADIUS, y > y0 ? y - RADIUS - 1 : -1, 1, l, r);
    for (index i = lane; i < 2 * OUTPUTS; i += lanes)
      s->left_keys[slot * 2 * OUTPUTS + i] = SSD_NO_KEY;
    for (index j = lane; j < OUTPUTS + lanes - 1; j += lanes)
      s->right_keys[slot * RIGHT_OUTPUTS + j] = SSD_NO_KEY;
    group_barrier();
    r += lanes - 1 - lane;
    // Adds a^2 - b^2 = (a - b) (a + b), with the differences a and b in the entering and the
    // leaving row.
    lane_unroll for (index c = 0; c < COLUMNS; ++c) sums[c] +=
        (bits32)((l[c].x - r[c].x) * (l[c].y - r[c].y));
    ssd_costs(sums, lane, lanes, from, count, s, slot);
    group_barrier();
    ssd_store_left(q, x0, y, s->left_keys + slot * 2 * OUTPUTS, s->costs, left_cost, disparity);
    for (index j = lane; j < OUTPUTS + lanes - 1; j += lanes) {
      const bits32 key = s->right_keys[slot * RIGHT_OUTPUTS + j];
      const index x = x0 - lane0 - (lanes - 1) + j;
      if (key != SSD_NO_KEY) global_atomic_min(right_keys + (offset)y * width + x, key);
    }
  }
}

// Finds the right winner of a pixel from its key, and resets the key for the next launch.
group_fn void take_right(offset at KERNEL_PARAMETERS(SSD_FINISH)) {
  const bits32 key = right_keys[at], cost = key >> KEY_BITS;
  const bits32 before = chunk & FIRST_CHUNK ? SSD_NO_KEY : right_cost[at];
  const index is_better = key != SSD_NO_KEY && cost < before;
  right_keys[at] = SSD_NO_KEY;
  if (is_better)
    right_index[at] = (bits16)(lane0 + (index)(key & SSD_LANE_BITS) - min_disparity);
  else if (chunk & FIRST_CHUNK)
    right_index[at] = NO_CANDIDATE;
  if (!(chunk & LAST_CHUNK)) right_cost[at] = is_better ? cost : before;
}

group_kernel(ssd_finish, row, SSD_FINISH) {
  const offset at = (offset)row * width;
  const index member = (index)group_member(), checks = chunk & LAST_CHUNK && tolerance >= 0;
  if (row == 0 && group_leads()) clear[0] = 0;
  for (index x = member; x < width; x += GROUP_SIZE)
    take_right(at + x KERNEL_ARGUMENTS(SSD_FINISH));
  group_barrier();
  for (index x = member; x < width && checks; x += GROUP_SIZE)
    disparity[at + x] =
        (bits16)cross_checked(disparity[at + x], x, min_disparity, tolerance, right_index + at);
}

map_kernel(ssd_clear, sample, SSD_CLEAR) {
  const offset y = (offset)(sample / across) * SAMPLE_STEP, x = x0 + sample % across * SAMPLE_STEP;
  if (disparity[y * width + x] != UNKNOWN_DISPARITY) global_atomic_add(clear, 1u);
}

map_kernel(ssd_forget, pixel, SSD_FORGET) {
  if (clear[0] < (bits32)needed) disparity[pixel] = UNKNOWN_DISPARITY;
}
