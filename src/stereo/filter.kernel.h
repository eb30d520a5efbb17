// SPDX-License-Identifier: BSD-3-Clause
// Kernels of the cross-check, the median, the speckle filter and the output maps on all devices;
// filter.kernels describes the arguments. A group processes one tile of the image. A known value is
// below 0x8000 (1024 disparities of SUBPIXELS).

// Returns the cross-checked disparity of pixel (x, y), or UNKNOWN_DISPARITY outside the image.
group_fn index checked_at(global_const bits16* winners, global_const bits16* right_index,
                          index width, index height, index x, index y, index min_disparity,
                          index tolerance) {
  if (x < 0 || y < 0 || x >= width || y >= height) return UNKNOWN_DISPARITY;
  const offset row = (offset)y * width;
  return cross_checked(winners[row + x], x, min_disparity, tolerance, right_index + row);
}

group_fn void pair_order(pairs* low, pairs* high) {
  const pairs least = pair_min(*low, *high);
  *high = pair_max(*low, *high);
  *low = least;
}

// One step of the median of COUNT numbers v: moves the lowest of v[0] to v[M - 1] to v[0] and the
// highest to v[M - 1]. As M is more than half of the numbers left, neither can be the median. The
// next number replaces v[0].
#define MEDIAN_STEP(COUNT, M)                                                           \
  lane_unroll_all for (index i = 0; i < (M) / 2; ++i) pair_order(v + i, v + (M)-1 - i); \
  lane_unroll_all for (index i = 1; i <= ((M)-1) / 2; ++i) pair_order(v, v + i);        \
  lane_unroll_all for (index i = (M) / 2; i < (M)-1; ++i) pair_order(v + i, v + (M)-1); \
  if ((M) > 3) v[0] = v[(M) > 3 ? (COUNT) + 3 - (M) : 0];

// Returns the medians of the known neighbours for the pixels of one word, the first of which is
// (x, y). An unknown pixel stays UNKNOWN_DISPARITY. side (a constant): 3 or 5.
group_fn pairs median_pairs(local_ptr const bits16* halo, index x, index y, const index side) {
  pairs v[25], pad = pairs_ones(), centre = pad;
  const index radius = side / 2, first = (y + HALO - radius) * HALO_WIDTH + x + HALO - radius;
  lane_unroll_all for (index i = 0; i < side; ++i) {
    lane_unroll_all for (index j = 0; j < side; ++j) {
      const pairs u = pairs_load(halo, first + j * HALO_WIDTH + i), unknown = pairs_unknown(u);
      // Unknown neighbours count alternately as the highest and the lowest value.
      v[i * side + j] = (u & ~unknown) | (pad & unknown);
      pad = pad ^ unknown;
      if (i == radius && j == radius) centre = unknown;
    }
  }
  // clang-format off
  if (side == 3) {
    MEDIAN_STEP(9, 6) MEDIAN_STEP(9, 5) MEDIAN_STEP(9, 4) MEDIAN_STEP(9, 3)
  } else {
    MEDIAN_STEP(25, 14) MEDIAN_STEP(25, 13) MEDIAN_STEP(25, 12) MEDIAN_STEP(25, 11)
    MEDIAN_STEP(25, 10) MEDIAN_STEP(25, 9) MEDIAN_STEP(25, 8) MEDIAN_STEP(25, 7)
    MEDIAN_STEP(25, 6) MEDIAN_STEP(25, 5) MEDIAN_STEP(25, 4) MEDIAN_STEP(25, 3)
  }
  // clang-format on
  return v[1] | centre;
}

group_kernel(filter_tile, group, FILTER_TILE) {
  const index across = (width + TILE_WIDTH - 1) / TILE_WIDTH;
  const index left = group % across * TILE_WIDTH, top = group / across * TILE_HEIGHT;
  const bool is_inside = left >= HALO && top >= HALO && left + TILE_WIDTH + HALO <= width &&
                         top + TILE_HEIGHT + HALO <= height;
  if (is_inside && tolerance < 0) {  // plain copies of rows; a CPU copies whole registers
    global_const bits16* corner = winners + (offset)(top - HALO) * width + left - HALO;
    tile_for(x, y, HALO_WIDTH, HALO_PIXELS / HALO_WIDTH) halo[y * HALO_WIDTH + x] =
        corner[(offset)y * width + x];
  } else {
    tile_for(x, y, HALO_WIDTH, HALO_PIXELS / HALO_WIDTH) halo[y * HALO_WIDTH + x] =
        (bits16)checked_at(winners, right_index, width, height, left - HALO + x, top - HALO + y,
                           min_disparity, tolerance);
  }
  if_constant(REGIONS) { group_for_each(y, TILE_HEIGHT) joined[y] = 0; }
  group_barrier();
  tile_for(i, j, TILE_WIDTH / PAIRS_ACROSS, TILE_HEIGHT / PAIRS_DOWN) {
    const index x = i * PAIRS_ACROSS, y = j * PAIRS_DOWN;
    pairs_store(tile, y * TILE_WIDTH + x,
                MEDIAN_SIDE > 0 ? median_pairs(halo, x, y, MEDIAN_SIDE)
                                : pairs_load(halo, (y + HALO) * HALO_WIDTH + x + HALO));
  }
  group_barrier();
  if_constant(REGIONS) tile_regions(tile, trees, tree_sizes, joined, range);
  const index columns = width - left < TILE_WIDTH ? width - left : TILE_WIDTH,
              rows = height - top < TILE_HEIGHT ? height - top : TILE_HEIGHT;
  tile_for_inside(x, y, columns, rows) {
    const offset pixel = (offset)(top + y) * width + left + x;
    const index i = y * TILE_WIDTH + x;
    disparity[pixel] = tile[i];
    if_constant(REGIONS) {
      const index root = (index)tile_root(trees, (bits32)i);
      labels[pixel] = tile[i] == UNKNOWN_DISPARITY
                          ? no_label()
                          : (bits32)((top + root / TILE_WIDTH) * width + left + root % TILE_WIDTH);
      sizes[pixel] = tree_sizes[i];
    }
  }
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
