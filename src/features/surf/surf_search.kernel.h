// SPDX-License-Identifier: BSD-3-Clause
// Integral images and maxima of determinants on GPUs, the twin of integral.cpp, surf.cpp and
// surf_simd.cpp; surf.kernels describes the arguments.

// Returns a pixel of the image doubled in size, whose pixel i lies at i / 2 - 1/4. Values are twice
// as large, and the same whole numbers as on a CPU.
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

// Loads the sums around a tile that its determinants of layers 1 and 2 need. Returns the length of
// a row, or 0 if the sums exceed shared memory.
group_fn index surf_window(GROUP_PARAM const integral_view image, index x0, index y0, index reach,
                           index step, local_ptr bits32* window) {
  const index width = image.width, height = image.height;
  const index across = (SURF_TILE_PITCH - 1) * step + 2 * reach + 2;
  const index down = (SURF_TILE_HEIGHT + 1) * step + 2 * reach + 2;
  const index rows = across * down <= SURF_MOST_SUMS ? down : 0;
  // Several members share a row.
  const index seats = GROUP_SIZE < 32 ? GROUP_SIZE : 32, member = (index)group_member();
  for (index row = member / seats; row < rows; row += GROUP_SIZE / seats) {
    const index y = y0 - step - reach + row, v = y < 0 ? 0 : y < height ? y : height;
    global_const bits32* from = image.sums + (offset)v * image.stride;
    for (index column = member % seats; column < across; column += seats) {
      const index x = x0 - step - reach + column, u = x < 0 ? 0 : x < width ? x : width;
      window[row * across + column] = from[u];
    }
  }
  group_barrier();
  return rows > 0 ? across : 0;
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
  const index reach = (3 * lobe - 1) / 2, step = tile.step, near_pitch = tile.near_pitch;
  const index farthest = tile.farthest;
  for (index seat = (index)group_member(); seat < SURF_HALO; seat += GROUP_SIZE) {
    const index u = seat % SURF_TILE_PITCH, v = seat / SURF_TILE_PITCH;
    const index x = (tile.x0 + u - 1) * step, y = (tile.y0 + v - 1) * step;
    const index is_inside =
        (x >= reach) & (y >= reach) & (x < tile.width - reach) & (y < tile.height - reach);
    real determinant = lane(0);
    if (is_inside && near_pitch > 0)
      determinant =
          surf_determinant_near(window + (v * step + farthest) * near_pitch + u * step + farthest,
                                near_pitch, lobe, scale, threshold);
    if (is_inside && near_pitch == 0)
      determinant = surf_determinant(own + (offset)y * stride + x, (offset)stride, lobe, scale);
    out[seat] = determinant;
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
  return k * SURF_HALO + (seat / SURF_TILE_WIDTH + 1) * SURF_TILE_PITCH + seat % SURF_TILE_WIDTH +
         1;
}

// Searches a tile. Shared memory holds its determinants of layers 1 and 2, SURF_HALO apart. Their
// maxima are listed; the determinants of layers 0 and 3 are computed only around these maxima.
group_kernel(surf_search, group, SURF_SEARCH) {
  const index picture = group / tiles, member = (index)group_member();
  index octave = 0;
  while (octave + 1 < octave_count && octaves[octave + 1].first_tile <= group % tiles) ++octave;
  global_const surf_octave_layout* o = octaves + octave;
  const index number = group % tiles - o->first_tile, step = surf_step(octave);
  const index x0 = o->first_x + number % o->tiles_across * SURF_TILE_WIDTH;
  const index y0 = o->first_y + number / o->tiles_across * SURF_TILE_HEIGHT;
  global_const bits32* own = sums + picture * pitch;
  const integral_view image = integral_of(own, stride, width, height);
  global_const float* scale = scales + octave * SURF_LAYERS;
  const index farthest = (3 * surf_layer_lobe(octave, 2) - 1) / 2;
  const index near_pitch =
      surf_window(GROUP_ARG image, x0 * step, y0 * step, farthest, step, window);
  const surf_tile tile = {x0, y0, step, width, height, near_pitch, farthest};
  if (member == 0) *found_count = 0;
  for (index layer = 1; layer < 3; ++layer)
    surf_tile_layer(GROUP_ARG own, stride, tile, surf_layer_lobe(octave, layer), scale[layer],
                    threshold, window, determinants + (layer - 1) * SURF_HALO);
  group_barrier();
  for (index i = member; i < 2 * SURF_TILE; i += GROUP_SIZE) {
    const index k = i / SURF_TILE, seat = i % SURF_TILE;
    const index x = x0 + seat % SURF_TILE_WIDTH, y = y0 + seat / SURF_TILE_WIDTH;
    local_ptr const float* at = determinants + surf_place(k, seat);
    global_const sample_range* range = o->layers + k;
    const index is_inside =
        (x >= range->first_x) & (x < range->end_x) & (y >= range->first_y) & (y < range->end_y);
    if (is_inside && *at > threshold && surf_leads_two_layers(at, k)) {
      const bits32 slot = local_atomic_add(found_count, 1u);
      if (slot < SURF_TILE_CAPACITY) {
        found[slot] = (bits32)i;
        exceeded[slot] = 0;
      }
    }
  }
  group_barrier();
  const bits32 likely = *found_count < SURF_TILE_CAPACITY ? *found_count : SURF_TILE_CAPACITY;
  for (index i = member; i < 9 * (index)likely; i += GROUP_SIZE) {
    const index slot = i / 9, n = i % 9, k = (index)found[slot] / SURF_TILE;
    const index seat = (index)found[slot] % SURF_TILE, layer = k == 0 ? 0 : 3;
    const index x = (x0 + seat % SURF_TILE_WIDTH + n % 3 - 1) * step;
    const index y = (y0 + seat / SURF_TILE_WIDTH + n / 3 - 1) * step;
    const real v = determinants[surf_place(k, seat)];
    const real other = surf_determinant(own + (offset)y * stride + x, (offset)stride,
                                        surf_layer_lobe(octave, layer), scale[layer]);
    if (!surf_exceeds(v, other, k == 0 ? n : n + 18)) local_atomic_or(exceeded + slot, 1u);
  }
  group_barrier();
  if (member == 0 && *found_count > SURF_TILE_CAPACITY) counts->overflow = TILE_OVERFLOW;
  for (index i = member; i < (index)likely; i += GROUP_SIZE) {
    if (exceeded[i]) continue;
    const bits32 slot = global_atomic_add(&counts->found, 1u), seat = found[i] % SURF_TILE;
    if (slot >= (bits32)capacity) continue;
    global_ptr candidate* c = candidates + slot;
    c->image = (bits32)picture;
    c->where = where_of((bits32)octave, found[i] / SURF_TILE + 1);
    c->x = ((bits32)x0 + seat % SURF_TILE_WIDTH) * (bits32)step;
    c->y = ((bits32)y0 + seat / SURF_TILE_WIDTH) * (bits32)step;
  }
}
