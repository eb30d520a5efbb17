// SPDX-License-Identifier: BSD-3-Clause
// Cross-check, median, speckles and maps on GPUs: what filter.cpp does, to the same bits.
// filter.kernels describes the arguments. A group has a tile of the picture, each member two pixels
// that are one above the other. A known value is below 0x8000 (1024 disparities of SUBPIXELS).
//
// Speckles: the regions of a tile are found in shared memory, by runs of its rows; then those that
// meet at the borders of tiles are joined. A region's label is its first pixel, so that no order of
// the work shows.

// The checked disparity of a pixel that may lie outside.
group_fn index checked_at(global_const bits16* winners, global_const bits16* right_index,
                          index width, index height, index x, index y, index min_disparity,
                          index tolerance) {
  if (x < 0 || y < 0 || x >= width || y >= height) return UNKNOWN_DISPARITY;
  const offset row = (offset)y * width;
  return cross_checked(winners[row + x], x, min_disparity, tolerance, right_index + row);
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

// Returns the medians of the known neighbours of two pixels, (x, y) and (x, y + 1) of the tile; of
// an unknown one UNKNOWN_DISPARITY. side, a constant: 3 or 5. halo: the tile with HALO pixels
// around it.
group_fn bits32 median_pair(local_ptr const bits16* halo, index x, index y, const index side) {
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

// The first pixel of the run of pixel x, by the run bits of its row, whose lowest is 0.
group_fn index run_start(bits32 joined, index x) {
  return 31 - bits_leading_zeros(~joined & (0xffffffffu >> (31 - x)));
}
group_fn index run_length(bits32 joined, index start) {
  const bits32 end = start < 31 ? ~(joined >> (start + 1)) : 1u;
  return 32 - bits_leading_zeros(end & (0u - end));
}

// The members of a tile share this.
struct tile_memory {
  local_ptr bits16* halo;    // [HALO_PIXELS]
  local_ptr bits16* tile;    // [TILE_PIXELS], filtered
  local_ptr bits32* trees;   // [TILE_PIXELS]
  local_ptr bits32* sizes;   // [TILE_PIXELS], of roots
  local_ptr bits32* joined;  // [TILE_HEIGHT], bit x: pixel x is of one run with x - 1
};

// Finds the regions of a tile: trees of their pixels, and the sizes at the roots. All members
// together; each has the pixels (x, y) and (x, y + 1).
group_fn void tile_regions(const struct tile_memory m, index x, index first, index range) {
  for (index y = first; y < first + 2; ++y) {
    const index i = y * TILE_WIDTH + x;
    if (x > 0 && disparities_near(m.tile[i], m.tile[i - 1], range))
      local_atomic_or(m.joined + y, 1u << x);
  }
  group_barrier();
  // A tree is a run, whose root is its first pixel.
  for (index y = first; y < first + 2; ++y) {
    m.trees[y * TILE_WIDTH + x] = (bits32)(y * TILE_WIDTH + run_start(m.joined[y], x));
    m.sizes[y * TILE_WIDTH + x] = 0;
  }
  group_barrier();
  // Joins the runs of a pixel and of the one above, unless the pixels before these two do so.
  for (index y = first; y < first + 2; ++y) {
    const index i = y * TILE_WIDTH + x, up = i - TILE_WIDTH;
    if (y == 0 || !disparities_near(m.tile[i], m.tile[up], range)) continue;
    const index both_go_on = x > 0 && (m.joined[y] & m.joined[y - 1]) >> x & 1u;
    if (both_go_on && disparities_near(m.tile[i - 1], m.tile[up - 1], range)) continue;
    tile_join(m.trees, (bits32)i, (bits32)up);
  }
  group_barrier();
  // The first pixel of a run adds its length to the size of the region.
  for (index y = first; y < first + 2; ++y) {
    const index i = y * TILE_WIDTH + x;
    if (m.tile[i] == UNKNOWN_DISPARITY || run_start(m.joined[y], x) != x) continue;
    local_atomic_add(m.sizes + tile_root(m.trees, (bits32)i), (bits32)run_length(m.joined[y], x));
  }
  group_barrier();
}

group_kernel(filter_tile, group, FILTER_TILE) {
  const struct tile_memory m = {halo, tile, trees, tree_sizes, joined};
  const index across = (width + TILE_WIDTH - 1) / TILE_WIDTH, member = (index)group_member();
  const index left = group % across * TILE_WIDTH, top = group / across * TILE_HEIGHT;
  for (index i = member; i < HALO_PIXELS; i += GROUP_SIZE)
    m.halo[i] =
        (bits16)checked_at(winners, right_index, width, height, left - HALO + i % HALO_WIDTH,
                           top - HALO + i / HALO_WIDTH, min_disparity, tolerance);
  if (member < TILE_HEIGHT) m.joined[member] = 0;
  group_barrier();
  const index x = member % TILE_WIDTH, y = member / TILE_WIDTH * 2;
  const index at = (y + HALO) * HALO_WIDTH + x + HALO;
  const bits32 both = MEDIAN_SIDE > 0 ? median_pair(m.halo, x, y, MEDIAN_SIDE)
                                      : (bits32)m.halo[at] | (bits32)m.halo[at + HALO_WIDTH] << 16;
  m.tile[y * TILE_WIDTH + x] = (bits16)(both & 0xffffu);
  m.tile[(y + 1) * TILE_WIDTH + x] = (bits16)(both >> 16);
  group_barrier();
  if_constant(REGIONS) tile_regions(m, x, y, range);
  for (index v = y; v < y + 2; ++v) {
    if (left + x >= width || top + v >= height) continue;
    const index i = v * TILE_WIDTH + x;
    const offset pixel = (offset)(top + v) * width + left + x;
    disparity[pixel] = m.tile[i];
    if_constant(!REGIONS) continue;
    const index root = (index)tile_root(m.trees, (bits32)i);
    labels[pixel] = m.tile[i] == UNKNOWN_DISPARITY
                        ? no_label()
                        : (bits32)((top + root / TILE_WIDTH) * width + left + root % TILE_WIDTH);
    sizes[pixel] = m.sizes[i];
  }
}

map_kernel(filter_borders, pair, FILTER_BORDERS) {
  const index above = BORDER_PAIRS_ABOVE(width, height), beside = pair >= above;
  if (beside) pair -= above;
  const index x = beside ? (pair / height + 1) * TILE_WIDTH : pair % width,
              y = beside ? pair % height : (pair / width + 1) * TILE_HEIGHT;
  const offset here = (offset)y * width + x, other = beside ? here - 1 : here - width;
  if (!disparities_near(disparity[here], disparity[other], range)) return;
  // The pair before this one, of the same two tiles, has joined the same regions.
  const offset back = beside ? width : 1;
  const index inside = beside ? y % TILE_HEIGHT : x % TILE_WIDTH;
  if (inside > 0 && disparities_near(disparity[here - back], disparity[other - back], range) &&
      disparities_near(disparity[here], disparity[here - back], range) &&
      disparities_near(disparity[other], disparity[other - back], range))
    return;
  picture_join(labels, (bits32)here, (bits32)other);
}

// Adds the sizes of regions of several tiles up at their label's pixel, to which the labels of all
// their tiles then lead directly.
map_kernel(filter_sizes, pixel, FILTER_SIZES) {
  const bits32 size = sizes[pixel];
  if (size == 0 || labels[pixel] == (bits32)pixel) return;
  const bits32 root = picture_root(labels, (bits32)pixel);
  global_atomic_add(sizes + root, size);
  labels[pixel] = root;
}

map_kernel(filter_apply, pixel, FILTER_APPLY) {
  index d = disparity[pixel];
  if (least > 0 && d != UNKNOWN_DISPARITY && sizes[labels[labels[pixel]]] < (bits32)least)
    disparity[pixel] = (bits16)(d = UNKNOWN_DISPARITY);
  if (raw) raw[pixel] = disparity_px(d, min_disparity);
  if (confidence_map) confidence_map[pixel] = d == UNKNOWN_DISPARITY ? 0 : confidence[pixel];
}

map_kernel(filter_px, pixel, FILTER_PX) {
  map[pixel] = disparity_px(disparity[pixel], min_disparity);
}
