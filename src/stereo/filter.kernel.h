// SPDX-License-Identifier: BSD-3-Clause
// Cross-check, median, speckles and maps on GPUs: what chain.cpp does, to the same bits. A group of
// GROUP_SIZE members has a tile of the picture, each member two pixels that are one above the
// other. A known value is below 0x8000 (1024 disparities of STEPS).
//
// Speckles: the regions of a tile first, in shared memory, by runs of its rows; then those that
// meet at tiles' borders are joined. A region's label is its first pixel, so that no order shows.

enum {
  TILE_WIDTH = 32,
  TILE_HEIGHT = 16,
  TILE_PIXELS = TILE_WIDTH * TILE_HEIGHT,
  HALO = 2,
  HALO_WIDTH = TILE_WIDTH + 2 * HALO,
  HALO_PIXELS = HALO_WIDTH * (TILE_HEIGHT + 2 * HALO)
};
#define NO_LABEL 0xffffffffu

// Of a known and checked pixel its value, else UNKNOWN_STEPS. Negative tolerance: no check.
group_fn index checked_steps(global_const unsigned short* steps,
                             global_const unsigned short* right_index, index width, index height,
                             index x, index y, index min_disparity, index tolerance) {
  if (x < 0 || y < 0 || x >= width || y >= height) return UNKNOWN_STEPS;
  const offset row = (offset)y * width;
  index s = steps[row + x];
  if (s == UNKNOWN_STEPS || tolerance < 0) return s;
  index seen = x - min_disparity - (s + STEPS / 2) / STEPS;
  return directions_agree(s, right_index[row + seen], tolerance) ? s : UNKNOWN_STEPS;
}

lane_fn index steps_near(index a, index b, index range) {
  index apart = a < b ? b - a : a - b;
  return a != UNKNOWN_STEPS && b != UNKNOWN_STEPS && apart <= range;
}

group_fn void pair_order(bits32* low, bits32* high) {
  bits32 least = pair_min(*low, *high);
  *high = pair_max(*low, *high);
  *low = least;
}

// Median of `count` pairs (a constant): as in median_row.cpp, the lowest and the highest of more
// than half of all are forgotten, the next one takes a free place, until three are left.
group_fn bits32 median_of(bits32* v, const index count) {
  lane_unroll for (index m = count / 2 + 2; m > 2; --m) {
    lane_unroll for (index i = 0; i < m / 2; ++i) pair_order(v + i, v + m - 1 - i);
    lane_unroll for (index i = 1; i <= (m - 1) / 2; ++i) pair_order(v, v + i);
    lane_unroll for (index i = m / 2; i < m - 1; ++i) pair_order(v + i, v + m - 1);
    if (m > 3) v[0] = v[count + 3 - m];
  }
  return v[1];
}

// Medians of the known neighbours of two pixels, (x, y) and (x, y + 1) of the tile; of an unknown
// one UNKNOWN_STEPS. side, a constant: 3 or 5. halo: the tile with HALO pixels around it.
group_fn bits32 median_pair(local_ptr const unsigned short* halo, index x, index y,
                            const index side) {
  bits32 v[25], pad = 0xffffffffu, centre = 0;
  const index radius = side / 2;
  lane_unroll for (index i = 0; i < side; ++i) {
    const index at = (y + HALO - radius) * HALO_WIDTH + x + HALO - radius + i;
    bits32 above = halo[at];
    lane_unroll for (index j = 0; j < side; ++j) {
      const bits32 below = halo[at + (j + 1) * HALO_WIDTH], u = above | below << 16;
      above = below;
      // Unknown ones count as highest and lowest in turn.
      const bits32 unknown = ((u >> 15) & 0x00010001u) * 0xffffu;
      v[i * side + j] = (u & ~unknown) | (pad & unknown);
      pad ^= unknown;
      if (i == radius && j == radius) centre = unknown;
    }
  }
  return median_of(v, side * side) | centre;
}

// What the members of a tile share.
struct tile_memory {
  local_ptr unsigned short* halo;   // [HALO_PIXELS]
  local_ptr unsigned short* steps;  // [TILE_PIXELS], filtered
  local_ptr bits32* trees;          // [TILE_PIXELS]
  local_ptr bits32* sizes;          // [TILE_PIXELS], of roots
  local_ptr bits32* joined;         // [TILE_HEIGHT], bit x: pixel x is of one run with x - 1
};

// The first pixel of the run of pixel x, by the run bits of its row, whose lowest is 0.
group_fn index run_start(bits32 joined, index x) {
  return 31 - bits_leading_zeros(~joined & (0xffffffffu >> (31 - x)));
}
group_fn index run_length(bits32 joined, index start) {
  const bits32 end = start < 31 ? ~(joined >> (start + 1)) : 1u;
  return 32 - bits_leading_zeros(end & (0u - end));
}

// Labels of a tile's regions, which `m.steps` holds: trees and sizes. All members together.
group_fn void tile_regions(const struct tile_memory m, index range) {
  const index x = (index)group_member() % TILE_WIDTH,
              first = (index)group_member() / TILE_WIDTH * 2;
  for (index y = first; y < first + 2; ++y) {
    const index i = y * TILE_WIDTH + x;
    if (x > 0 && steps_near(m.steps[i], m.steps[i - 1], range))
      local_set_bits(m.joined + y, 1u << x);
  }
  group_barrier();
  for (index y = first; y < first + 2; ++y) {
    m.trees[y * TILE_WIDTH + x] = (bits32)(y * TILE_WIDTH + run_start(m.joined[y], x));
    m.sizes[y * TILE_WIDTH + x] = 0;
  }
  group_barrier();
  for (index y = first; y < first + 2; ++y) {
    const index i = y * TILE_WIDTH + x;
    if (y == 0 || !steps_near(m.steps[i], m.steps[i - TILE_WIDTH], range)) continue;
    // The pixels before these two have joined the same runs.
    const index before = x > 0 && (m.joined[y] & m.joined[y - 1]) >> x & 1u;
    if (before && steps_near(m.steps[i - 1], m.steps[i - TILE_WIDTH - 1], range)) continue;
    tile_join(m.trees, (bits32)i, (bits32)(i - TILE_WIDTH));
  }
  group_barrier();
  for (index y = first; y < first + 2; ++y) {
    const index i = y * TILE_WIDTH + x;
    if (m.steps[i] == UNKNOWN_STEPS || run_start(m.joined[y], x) != x) continue;
    local_add(m.sizes + tile_root(m.trees, (bits32)i), (bits32)run_length(m.joined[y], x));
  }
  group_barrier();
}

// Check and median of a tile into `filtered`; with regions their labels [height][width] (NO_LABEL
// where unknown) and, at the label's pixel, the pixels in this tile; 0 at the others.
group_fn void kernel_tile(index tile, global_const unsigned short* steps,
                          global_const unsigned short* right_index, index width, index height,
                          index min_disparity, index tolerance, index side, index with_regions,
                          index range, global_ptr unsigned short* filtered,
                          global_ptr bits32* labels, global_ptr bits32* sizes,
                          const struct tile_memory m) {
  const index across = (width + TILE_WIDTH - 1) / TILE_WIDTH, member = (index)group_member();
  const index left = tile % across * TILE_WIDTH, top = tile / across * TILE_HEIGHT;
  for (index i = member; i < HALO_PIXELS; i += GROUP_SIZE)
    m.halo[i] = (unsigned short)checked_steps(
        steps, right_index, width, height, left - HALO + i % HALO_WIDTH,
        top - HALO + i / HALO_WIDTH, min_disparity, tolerance);
  if (member < TILE_HEIGHT) m.joined[member] = 0;
  group_barrier();
  const index x = member % TILE_WIDTH, first = member / TILE_WIDTH * 2;
  const index at = (first + HALO) * HALO_WIDTH + x + HALO;
  bits32 both = (bits32)m.halo[at] | (bits32)m.halo[at + HALO_WIDTH] << 16;
  if (side == 3) both = median_pair(m.halo, x, first, 3);
  if (side == 5) both = median_pair(m.halo, x, first, 5);
  m.steps[first * TILE_WIDTH + x] = (unsigned short)(both & 0xffffu);
  m.steps[(first + 1) * TILE_WIDTH + x] = (unsigned short)(both >> 16);
  group_barrier();
  if (with_regions) tile_regions(m, range);
  for (index y = first; y < first + 2; ++y) {
    if (left + x >= width || top + y >= height) continue;
    const index i = y * TILE_WIDTH + x;
    const offset pixel = (offset)(top + y) * width + left + x;
    filtered[pixel] = m.steps[i];
    if (!with_regions) continue;
    const index known = m.steps[i] != UNKNOWN_STEPS, root = (index)tile_root(m.trees, (bits32)i);
    labels[pixel] =
        known ? (bits32)((top + root / TILE_WIDTH) * width + left + root % TILE_WIDTH) : NO_LABEL;
    sizes[pixel] = m.sizes[i];
  }
}

// Pairs of pixels that meet at borders of tiles: first those above each other, then those beside.
lane_fn index border_pairs_above(index width, index height) {
  return (height - 1) / TILE_HEIGHT * width;
}
lane_fn index border_pairs(index width, index height) {
  return border_pairs_above(width, height) + (width - 1) / TILE_WIDTH * height;
}
group_fn void kernel_borders(index pair, global_const unsigned short* steps, index width,
                             index height, index range, global_ptr bits32* labels) {
  const index above = border_pairs_above(width, height), beside = pair >= above;
  if (beside) pair -= above;
  const index x = beside ? (pair / height + 1) * TILE_WIDTH : pair % width,
              y = beside ? pair % height : (pair / width + 1) * TILE_HEIGHT;
  const offset here = (offset)y * width + x, other = beside ? here - 1 : here - width;
  if (!steps_near(steps[here], steps[other], range)) return;
  // The pair before this one, of the same two tiles, has joined the same regions.
  const offset back = beside ? width : 1;
  const index inside = beside ? y % TILE_HEIGHT : x % TILE_WIDTH;
  if (inside > 0 && steps_near(steps[here - back], steps[other - back], range) &&
      steps_near(steps[here], steps[here - back], range) &&
      steps_near(steps[other], steps[other - back], range))
    return;
  picture_join(labels, (bits32)here, (bits32)other);
}

// The sizes of regions of several tiles, at their label's pixel, to which the labels of all their
// tiles then lead at once.
group_fn void kernel_sizes(index pixel, global_ptr bits32* labels, global_ptr bits32* sizes) {
  const bits32 size = sizes[pixel];
  if (size == 0 || labels[pixel] == (bits32)pixel) return;
  const bits32 root = picture_root(labels, (bits32)pixel);
  global_add(sizes + root, size);
  labels[pixel] = root;
}

group_fn float px_of(index steps, index min_disparity) {
  return steps == UNKNOWN_STEPS ? float_nan()
                                : (float)(min_disparity * STEPS + steps) * (1.0f / STEPS);
}

// Pixels of regions of fewer than `least` pixels become unknown (0: no regions). What is known
// then: `raw`, and the confidence `sure` of the winners. Null: not wanted.
group_fn void kernel_apply(index pixel, global_ptr unsigned short* steps,
                           global_const bits32* labels, global_const bits32* sizes, index least,
                           index min_disparity, global_const unsigned char* sure,
                           global_ptr float* raw, global_ptr unsigned char* confidence) {
  index s = steps[pixel];
  if (least > 0 && s != UNKNOWN_STEPS && sizes[labels[labels[pixel]]] < (bits32)least)
    steps[pixel] = (unsigned short)(s = UNKNOWN_STEPS);
  if (raw) raw[pixel] = px_of(s, min_disparity);
  if (confidence) confidence[pixel] = s == UNKNOWN_STEPS ? 0 : sure[pixel];
}

group_fn void kernel_pixels(index pixel, global_const unsigned short* steps, index min_disparity,
                            global_ptr float* map) {
  map[pixel] = px_of(steps[pixel], min_disparity);
}
