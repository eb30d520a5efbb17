// SPDX-License-Identifier: BSD-3-Clause
// Integral images and maxima of determinants; surf.kernels describes the arguments.

// Returns a pixel of the image doubled in size, whose pixel i lies at i / 2 - 1/4. Values are twice
// as large.
group_fn bits32 surf_doubled(global_const bits8* picture, index width, index height, index x,
                             index y) {
  const index row = y / 2, column = x / 2;
  index other_row = row + (y % 2 ? 1 : -1), other_column = column + (x % 2 ? 1 : -1);
  other_row = other_row < 0 ? 0 : other_row < height ? other_row : height - 1;
  other_column = other_column < 0 ? 0 : other_column < width ? other_column : width - 1;
  global_const bits8* here = picture + (offset)row * width;
  global_const bits8* next_row = picture + (offset)other_row * width;
  const bits32 near = 3u * here[column] + next_row[column];
  const bits32 far = 3u * here[other_column] + next_row[other_column];
  return (3u * near + far + 4u) / 8u;
}

group_kernel(surf_sum_rows, group, SURF_SUM_ROWS) {
  const index member = (index)group_member(), y = group % (height + 1) - 1;
  const index picture = group / (height + 1);
  const index is_first = y < 0, given_width = is_doubled ? width / 2 : width;
  const index given_height = is_doubled ? height / 2 : height;
  global_const bits8* in = pictures + (offset)(first + picture) * given_width * given_height;
  global_const bits8* row = in + (offset)(is_first ? 0 : y) * given_width;
  global_ptr bits32* out = sums + picture * pitch + (offset)(y + 1) * stride;
  bits32 before = 0;  // sum of the pixels to the left of the piece
  if (member == 0) *out = 0;
  for (index x0 = 0; x0 < width; x0 += SUMS_EACH * SUMS_SEATS) {
    for (index seat = member; seat < SUMS_SEATS; seat += GROUP_SIZE) {
      bits32 sum = 0;
      for (index k = 0; k < SUMS_EACH; ++k) {
        const index x = x0 + seat * SUMS_EACH + k;
        if (x < width && !is_first)
          sum += is_doubled ? surf_doubled(in, given_width, given_height, x, y) : (bits32)row[x];
      }
      seats[seat] = sum;
    }
    group_barrier();
    // Prefix sums of the seats: with doubling distances in a group, else sequentially.
    if_constant(GROUP_SIZE == 1) {
      for (index seat = 1; seat < SUMS_SEATS; ++seat) seats[seat] += seats[seat - 1];
    }
    for (index o = 1; o < SUMS_SEATS && GROUP_SIZE > 1; o *= 2) {
      const bits32 left = member >= o ? seats[member - o] : 0;
      group_barrier();
      seats[member] += left;
      group_barrier();
    }
    for (index seat = member; seat < SUMS_SEATS; seat += GROUP_SIZE) {
      bits32 sum = before + (seat > 0 ? seats[seat - 1] : 0);
      for (index k = 0; k < SUMS_EACH; ++k) {
        const index x = x0 + seat * SUMS_EACH + k;
        if (x < width && !is_first)
          sum += is_doubled ? surf_doubled(in, given_width, given_height, x, y) : (bits32)row[x];
        if (x < width) out[x + 1] = sum;
      }
    }
    before += seats[SUMS_SEATS - 1];
    group_barrier();
  }
}

map_kernel(surf_sum_bands, item, SURF_SUM_BANDS) {
  const index x = item % stride, band = item / stride % bands, picture = item / stride / bands;
  global_const bits32* in = sums + picture * pitch + x;
  const index first = band * BAND_ROWS + 1;
  const index end = first + BAND_ROWS < height + 1 ? first + BAND_ROWS : height + 1;
  bits32 sum = 0;
  lane_unroll for (index k = 0; k < BAND_ROWS; ++k) {
    if (first + k < end) sum += in[(offset)(first + k) * stride];
  }
  totals[item] = sum;
}

map_kernel(surf_sum_columns, item, SURF_SUM_COLUMNS) {
  const index x = item % stride, band = item / stride % bands, picture = item / stride / bands;
  global_ptr bits32* column = sums + picture * pitch + x;
  global_const bits32* total = totals + (offset)picture * bands * stride + x;
  const index first = band * BAND_ROWS + 1;
  const index end = first + BAND_ROWS < height + 1 ? first + BAND_ROWS : height + 1;
  bits32 sum = 0;
  bits32 rows[BAND_ROWS];  // all loads first, so that they need not wait for the stores
  lane_unroll for (index k = 0; k < BAND_ROWS; ++k) {
    rows[k] = first + k < end ? column[(offset)(first + k) * stride] : 0;
  }
  for (index b = 0; b < band; ++b) sum += total[(offset)b * stride];
  lane_unroll for (index k = 0; k < BAND_ROWS; ++k) {
    sum += rows[k];
    if (first + k < end) column[(offset)(first + k) * stride] = sum;
  }
}

// Members that share a row of a tile.
enum { ROW_SEATS = GROUP_SIZE < SURF_TILE_PITCH ? GROUP_SIZE : SURF_TILE_PITCH };

// Loads the sums around a tile that its determinants of layers 1 and 2 need, from sum (left, top)
// on, and repeats the last sums of the image. Returns the length of a row, or 0 if the sums exceed
// shared memory.
group_fn index surf_window(GROUP_PARAM const integral_view image, index left, index top,
                           index reach, index step, local_ptr bits32* window) {
  const index side = (SURF_TILE_PITCH - 1) * step + 2 * reach + 2;
  const index rows = side * side <= SURF_MOST_SUMS ? side : 0, member = (index)group_member();
  const index in_image = image.width + 1 - left, inside = side < in_image ? side : in_image;
  for (index row = member / ROW_SEATS; row < rows; row += GROUP_SIZE / ROW_SEATS) {
    const index y = top + row < image.height ? top + row : image.height;
    global_const bits32* from = image.sums + (offset)y * image.stride + left;
    local_ptr bits32* to = window + row * side;
    for (index x = member % ROW_SEATS; x < inside; x += ROW_SEATS) to[x] = from[x];
    for (index x = inside + member % ROW_SEATS; x < side; x += ROW_SEATS) to[x] = from[inside - 1];
  }
  group_barrier();
  return rows > 0 ? side : 0;
}

// Returns whether determinant v beats neighbour k of the 27: it has to be above a neighbour before
// it, and not below a neighbour after it.
group_fn index surf_exceeds(real v, real other, index k) { return k < 13 ? v > other : v >= other; }

// Tile of samples `step` px apart, from sample (x0, y0) on, of an image of width x height. The
// window in shared memory holds its sums, in rows near_pitch apart, with the tile's corner
// `farthest` inside; near_pitch = 0: no window.
typedef struct {
  index x0, y0, step, width, height, near_pitch, farthest;
} surf_tile;

// Computes the determinants of a layer in a tile and around it.
group_fn void surf_tile_layer(GROUP_PARAM global_const bits32* own, index stride,
                              const surf_tile tile, index lobe, real scale, real threshold,
                              local_ptr const bits32* window, local_ptr float* out) {
  const index reach = (3 * lobe - 1) / 2, near_pitch = tile.near_pitch, farthest = tile.farthest;
  const index seat = (index)group_member() % ROW_SEATS;
  for (index v = (index)group_member() / ROW_SEATS; v < SURF_TILE_PITCH;
       v += GROUP_SIZE / ROW_SEATS) {
    local_ptr float* row = out + v * SURF_TILE_PITCH;
    if (near_pitch > 0) {
      local_ptr const bits32* at = window + (v + farthest) * near_pitch + farthest;
      for (index u = seat; u < SURF_TILE_PITCH; u += ROW_SEATS)
        row[u] = surf_determinant_near(at + u, near_pitch, lobe, scale, threshold);
    } else {
      const index y = (tile.y0 + v - 1) * tile.step;
      for (index u = seat; u < SURF_TILE_PITCH; u += ROW_SEATS) {
        const index x = (tile.x0 + u - 1) * tile.step;
        const index is_inside =
            (x >= reach) & (y >= reach) & (x < tile.width - reach) & (y < tile.height - reach);
        row[u] = is_inside
                     ? surf_determinant(own + (offset)y * stride + x, (offset)stride, lobe, scale)
                     : lane(0);
      }
    }
  }
}

// Returns whether a determinant of layer 1 (k = 0) or 2 (k = 1) is a maximum among its neighbours
// in both layers. Layer 2 counts as after layer 1.
group_fn index surf_leads_two_layers(local_ptr const float* at, index k) {
  const real v = *at;
  index leads = 1;
  lane_unroll for (index n = 0; n < 9 && leads; ++n) {
    const index place = (n / 3 - 1) * SURF_TILE_PITCH + (n % 3 - 1);
    const index other = k == 0 ? SURF_HALO : -SURF_HALO;
    if (n != 4) leads = leads & surf_exceeds(v, at[place], n + 9);
    leads = leads & surf_exceeds(v, at[place + other], k == 0 ? n + 18 : n);
  }
  return leads;
}

// Returns the index of a tile's sample among the determinants of layer 1 (k = 0) or 2 (k = 1).
group_fn index surf_place(index k, index seat) {
  return k * SURF_HALO + (seat / SURF_TILE_SIDE + 1) * SURF_TILE_PITCH + seat % SURF_TILE_SIDE + 1;
}

// Lists the samples of the tile from (x0, y0) on that are maxima of layers 1 and 2.
group_fn void surf_find_maxima(GROUP_PARAM global_const surf_octave_layout* o, index x0, index y0,
                               real threshold, local_ptr const float* determinants,
                               local_ptr bits32* found, local_ptr bits32* exceeded,
                               local_ptr bits32* found_count) {
  const index member = (index)group_member();
  for (index row = member / ROW_SEATS; row < 2 * SURF_TILE_SIDE; row += GROUP_SIZE / ROW_SEATS) {
    const index k = row / SURF_TILE_SIDE, y = y0 + row % SURF_TILE_SIDE;
    global_const sample_range* range = o->layers + k;
    const index first = range->first_x > x0 ? range->first_x - x0 : 0;
    const index in_range = y < range->first_y || y >= range->end_y ? 0 : range->end_x - x0;
    const index end = in_range < SURF_TILE_SIDE ? in_range : SURF_TILE_SIDE;
    local_ptr const float* at = determinants + surf_place(k, row % SURF_TILE_SIDE * SURF_TILE_SIDE);
    for (index u = first + member % ROW_SEATS; u < end; u += ROW_SEATS) {
      if (at[u] <= threshold || !surf_leads_two_layers(at + u, k)) continue;
      const bits32 slot = local_atomic_add(found_count, 1u);
      if (slot < SURF_TILE_CAPACITY) {
        found[slot] = (bits32)(row * SURF_TILE_SIDE + u);
        exceeded[slot] = 0;
      }
    }
  }
}

// Searches a tile. Shared memory holds its determinants of layers 1 and 2, SURF_HALO apart. Their
// maxima are listed; the determinants of layers 0 and 3 are computed only around these maxima.
group_kernel(surf_search, group, SURF_SEARCH) {
  const index picture = group / tiles, member = (index)group_member();
  index octave = 0;
  while (octave + 1 < octave_count && octaves[octave + 1].first_tile <= group % tiles) ++octave;
  global_const surf_octave_layout* o = octaves + octave;
  const index number = group % tiles - o->first_tile, step = surf_step(octave);
  const index x0 = o->first_x + number % o->tiles_across * SURF_TILE_SIDE;
  const index y0 = o->first_y + number / o->tiles_across * SURF_TILE_SIDE;
  global_const bits32* own = sums + picture * pitch;
  const integral_view image = integral_of(own, stride, width, height);
  global_const float* scale = scales + octave * SURF_LAYERS;
  const index farthest = (3 * surf_layer_lobe(octave, 2) - 1) / 2;
  const index near_pitch = surf_window(GROUP_ARG image, (x0 - 1) * step - farthest,
                                       (y0 - 1) * step - farthest, farthest, step, window);
  const surf_tile tile = {x0, y0, step, width, height, near_pitch, farthest};
  if (member == 0) *found_count = 0;
  for (index layer = 1; layer < 3; ++layer)
    surf_tile_layer(GROUP_ARG own, stride, tile, surf_layer_lobe(octave, layer), scale[layer],
                    threshold, window, determinants + (layer - 1) * SURF_HALO);
  group_barrier();
  surf_find_maxima(GROUP_ARG o, x0, y0, threshold, determinants, found, exceeded, found_count);
  group_barrier();
  const index all = (index)*found_count;
  const index likely = all < SURF_TILE_CAPACITY ? all : SURF_TILE_CAPACITY;
  for (index i = member; i < 9 * likely; i += GROUP_SIZE) {
    const index slot = i / 9, n = i % 9, k = (index)found[slot] / SURF_TILE;
    const index seat = (index)found[slot] % SURF_TILE, layer = k == 0 ? 0 : 3;
    const index x = (x0 + seat % SURF_TILE_SIDE + n % 3 - 1) * step;
    const index y = (y0 + seat / SURF_TILE_SIDE + n / 3 - 1) * step;
    const real v = determinants[surf_place(k, seat)];
    const real other = surf_determinant(own + (offset)y * stride + x, (offset)stride,
                                        surf_layer_lobe(octave, layer), scale[layer]);
    if (!surf_exceeds(v, other, k == 0 ? n : n + 18)) local_atomic_or(exceeded + slot, 1u);
  }
  group_barrier();
  if (member == 0 && all > SURF_TILE_CAPACITY) counts->overflow = TILE_OVERFLOW;
  for (index i = member; i < likely; i += GROUP_SIZE) {
    if (exceeded[i]) continue;
    const bits32 slot = global_atomic_add(&counts->found, 1u), seat = found[i] % SURF_TILE;
    if (slot >= (bits32)capacity) continue;
    global_ptr candidate* c = candidates + slot;
    c->image = (bits32)picture;
    c->where = where_of((bits32)octave, found[i] / SURF_TILE + 1);
    c->x = ((bits32)x0 + seat % SURF_TILE_SIDE) * (bits32)step;
    c->y = ((bits32)y0 + seat / SURF_TILE_SIDE) * (bits32)step;
  }
}
