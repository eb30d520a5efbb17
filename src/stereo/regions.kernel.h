// SPDX-License-Identifier: BSD-3-Clause
// Twin: regions.cpp (CPUs). Finds connected regions of disparities on GPUs.
//
// The regions of a tile are found in shared memory from runs of its rows; then regions that meet at
// tile borders are joined. The label of a region is its first pixel, whatever the order of
// the work.

// Returns the first pixel of the run that contains pixel x. joined: run bits of the row, the lowest
// of which is 0.
group_fn index run_start(bits32 joined, index x) {
  return 31 - bits_leading_zeros(~joined & (0xffffffffu >> (31 - x)));
}
group_fn index run_length(bits32 joined, index start) {
  const bits32 end = start < 31 ? ~(joined >> (start + 1)) : 1u;
  return 32 - bits_leading_zeros(end & (0u - end));
}

// Finds the regions of a tile as trees of its pixels, and their sizes at the roots. Bit x of
// joined[y] is set if pixels x and x - 1 of row y belong to one run; it must be 0 before the call.
group_fn void tile_regions(local_ptr const bits16* tile, local_ptr bits32* trees,
                           local_ptr bits32* sizes, local_ptr bits32* joined, index range) {
  group_for_each(i, TILE_PIXELS) {
    const index x = i % TILE_WIDTH;
    if (x > 0 && disparities_near(tile[i], tile[i - 1], range))
      local_atomic_or(joined + i / TILE_WIDTH, 1u << x);
  }
  group_barrier();
  // Initially every run is a tree whose root is its first pixel.
  group_for_each(i, TILE_PIXELS) {
    const index x = i % TILE_WIDTH;
    trees[i] = (bits32)(i - x + run_start(joined[i / TILE_WIDTH], x));
    sizes[i] = 0;
  }
  group_barrier();
  // Joins the runs of a pixel and of the pixel above, unless the preceding pixels in both rows
  // do so.
  group_for_each(k, TILE_PIXELS - TILE_WIDTH) {
    const index i = k + TILE_WIDTH, x = i % TILE_WIDTH, y = i / TILE_WIDTH;
    if (!disparities_near(tile[i], tile[k], range)) continue;
    const index both_continue = x > 0 && (joined[y] & joined[y - 1]) >> x & 1u;
    if (both_continue && disparities_near(tile[i - 1], tile[k - 1], range)) continue;
    tile_join(trees, (bits32)i, (bits32)k);
  }
  group_barrier();
  // The first pixel of a run adds the length of the run to the size of its region.
  group_for_each(i, TILE_PIXELS) {
    const index x = i % TILE_WIDTH;
    const bits32 runs = joined[i / TILE_WIDTH];
    if (tile[i] == UNKNOWN_DISPARITY || run_start(runs, x) != x) continue;
    local_atomic_add(sizes + tile_root(trees, (bits32)i), (bits32)run_length(runs, x));
  }
  group_barrier();
}

map_kernel(filter_borders, pair, FILTER_BORDERS) {
  const index above = BORDER_PAIRS_ABOVE(width, height), is_horizontal = pair >= above;
  if (is_horizontal) pair -= above;
  const index x = is_horizontal ? (pair / height + 1) * TILE_WIDTH : pair % width,
              y = is_horizontal ? pair % height : (pair / width + 1) * TILE_HEIGHT;
  const offset here = (offset)y * width + x, other = is_horizontal ? here - 1 : here - width;
  if (!disparities_near(disparity[here], disparity[other], range)) return;
  // The preceding pair of the same two tiles has already joined the same regions.
  const offset back = is_horizontal ? width : 1;
  const index inside = is_horizontal ? y % TILE_HEIGHT : x % TILE_WIDTH;
  if (inside > 0 && disparities_near(disparity[here - back], disparity[other - back], range) &&
      disparities_near(disparity[here], disparity[here - back], range) &&
      disparities_near(disparity[other], disparity[other - back], range))
    return;
  image_join(labels, (bits32)here, (bits32)other);
}

// Sums the sizes of a region over several tiles at the pixel of its label. The labels of all its
// tiles then lead there directly.
map_kernel(filter_sizes, pixel, FILTER_SIZES) {
  const bits32 size = sizes[pixel];
  if (size == 0 || labels[pixel] == (bits32)pixel) return;
  const bits32 root = image_root(labels, (bits32)pixel);
  global_atomic_add(sizes + root, size);
  labels[pixel] = root;
}
