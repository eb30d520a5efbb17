// SPDX-License-Identifier: BSD-3-Clause
// Extrema of differences of Gaussians on GPUs, the twin of extrema.cpp; extrema.kernels describes
// the arguments.

map_kernel(sift_next, item, SIFT_NEXT) {
  if (item > 0) return;
  if (counts->found > (bits32)capacity && counts->overflow == NO_OVERFLOW)
    counts->overflow = BAND_OVERFLOW;
  counts->found = 0;
}

// Returns whether v is above all values before it and not below the values after it (is_high), or
// the reverse, among the nine values around a position in a layer. Value k = `own` is v itself.
group_fn index is_extremum_of(local_ptr const float* layer, real v, index is_high, index own) {
  index exceeds = 1;
  lane_unroll for (index k = 0; k < 9; ++k) {
    const real d = layer[(k / 3 - 1) * SEARCH_PITCH + (k % 3 - 1)];
    const index strictly = is_high ? v > d : v < d, weakly = is_high ? v >= d : v <= d;
    exceeds = exceeds & (k < own ? strictly : k > own ? weakly : 1);
  }
  return exceeds;
}

// Elements that a member loads from each level.
enum { SEARCH_SHARE = (SEARCH_HALO + GROUP_SIZE - 1) / GROUP_SIZE };
#if defined(__OPENCL_VERSION__) && GROUP_SIZE == 1
#define search_unroll
#else
#define search_unroll lane_unroll
#endif

// Returns the octave of a tile of an image.
group_fn index search_octave(global_const octave_layout* octaves, index octave_count, index tile) {
  index octave = 0;
  while (octave + 1 < octave_count && octaves[octave + 1].first_tile <= (offset)tile) ++octave;
  return octave;
}

// Corner of a tile in its octave, and the size of the octave.
typedef struct {
  index x0, y0, width, height;
} search_tile;

// Lists the samples of a tile's layer in shared memory that pass six comparisons and the threshold:
// position in the tile, with the highest bit for a maximum.
group_fn void search_likely(GROUP_PARAM local_ptr const float* oldest,
                            local_ptr const float* middle, local_ptr const float* newest,
                            const search_tile tile, real threshold, local_ptr bits32* count,
                            local_ptr bits16* likely) {
  for (index i = (index)group_member(); i < SEARCH_WIDTH * SEARCH_HEIGHT; i += GROUP_SIZE) {
    const index x = tile.x0 + i % SEARCH_WIDTH, y = tile.y0 + i / SEARCH_WIDTH;
    const index at = (i / SEARCH_WIDTH + 1) * SEARCH_PITCH + i % SEARCH_WIDTH + 1;
    const real v = middle[at], before = oldest[at], after = newest[at];
    const real left = middle[at - 1], up = middle[at - SEARCH_PITCH];
    const real right = middle[at + 1], down = middle[at + SEARCH_PITCH];
    const index is_high =
        (v > before) & (v >= after) & (v > left) & (v > up) & (v >= right) & (v >= down);
    const index is_low =
        (v < before) & (v <= after) & (v < left) & (v < up) & (v <= right) & (v <= down);
    const index is_inside = (x >= SIFT_BORDER) & (x < tile.width - SIFT_BORDER) &
                            (y >= SIFT_BORDER) & (y < tile.height - SIFT_BORDER);
    if ((is_high | is_low) & is_inside & (fabs(v) > threshold))
      likely[local_atomic_add(count, 1u)] = (bits16)(is_high << 15 | i);
  }
}

// Lists the likely samples that are extrema among all 26 neighbours: layer and position in
// the tile.
group_fn void search_extrema(GROUP_PARAM local_ptr const float* oldest,
                             local_ptr const float* middle, local_ptr const float* newest,
                             local_ptr const bits16* likely, index some, index layer,
                             local_ptr bits32* count, local_ptr bits32* found) {
  for (index k = (index)group_member(); k < some; k += GROUP_SIZE) {
    const index i = likely[k] & 0x7fff, is_high = likely[k] >> 15;
    const index at = (i / SEARCH_WIDTH + 1) * SEARCH_PITCH + i % SEARCH_WIDTH + 1;
    const real v = middle[at];
    if (is_extremum_of(middle + at, v, is_high, 4) && is_extremum_of(oldest + at, v, is_high, 9) &&
        is_extremum_of(newest + at, v, is_high, -1)) {
      const bits32 slot = local_atomic_add(count, 1u);
      if (slot < SEARCH_CAPACITY) found[slot] = (bits32)(layer << 16 | i);
    }
  }
}

// Searches a tile. Shared memory holds the differences of three layers around the tile; a new layer
// replaces the oldest. The samples of a layer that pass six comparisons, one in 20, are listed, so
// that all members share the comparisons that remain.
group_kernel(sift_search, group, SIFT_SEARCH) {
  const index picture = group / tiles, member = (index)group_member();
  const index octave = search_octave(octaves, octave_count, group % tiles);
  global_const octave_layout* o = octaves + octave;
  const offset plane = o->plane, stride = o->stride;
  const index width = (index)o->width, height = (index)o->height;
  const index number = group % tiles - (index)o->first_tile;
  const index across = (width + SEARCH_WIDTH - 1) / SEARCH_WIDTH;
  const index x0 = number % across * SEARCH_WIDTH;
  const index y0 = (index)o->first_own + number / across * SEARCH_HEIGHT;
  const search_tile tile = {x0, y0, width, height};
  const offset levels = picture * pitch + o->first;
  offset places[SEARCH_SHARE];
  real lower[SEARCH_SHARE], upper[SEARCH_SHARE];
  search_unroll for (index k = 0; k < SEARCH_SHARE; ++k) {
    const index i = member + k * GROUP_SIZE;
    const index u = x0 + i % SEARCH_PITCH - 1, v = y0 + i / SEARCH_PITCH - 1;
    const index x = u < 0 ? 0 : u < width ? u : width - 1;
    places[k] = levels + (offset)(v < 0 ? 0 : v < height ? v : height - 1) * stride + x;
    lower[k] = pyramid[places[k]];
    upper[k] = pyramid[plane + places[k]];
  }
  if (member == 0) *found_count = *likely_count = 0;
  for (index layer = 0; layer < layers + 2; ++layer) {
    local_ptr float* newest = differences + layer % 3 * SEARCH_HALO;
    local_ptr const float* middle = differences + (layer + 2) % 3 * SEARCH_HALO;
    local_ptr const float* oldest = differences + (layer + 1) % 3 * SEARCH_HALO;
    search_unroll for (index k = 0; k < SEARCH_SHARE; ++k) {
      const index i = member + k * GROUP_SIZE;
      if (i < SEARCH_HALO) newest[i] = upper[k] - lower[k];
      lower[k] = upper[k];
      if (layer + 2 < layers + 3) upper[k] = pyramid[(layer + 2) * plane + places[k]];
    }
    group_barrier();
    if (layer > 1)
      search_likely(GROUP_ARG oldest, middle, newest, tile, threshold, likely_count, likely);
    group_barrier();
    search_extrema(GROUP_ARG oldest, middle, newest, likely, (index)*likely_count, layer - 1,
                   found_count, found);
    group_barrier();
    if (member == 0) *likely_count = 0;
  }
  group_barrier();
  const bits32 count = *found_count < SEARCH_CAPACITY ? *found_count : SEARCH_CAPACITY;
  if (member == 0 && count > 0) *first_slot = global_atomic_add(&counts->found, count);
  if (member == 0 && *found_count > SEARCH_CAPACITY) counts->overflow = TILE_OVERFLOW;
  group_barrier();
  for (bits32 i = (bits32)member; i < count; i += GROUP_SIZE) {
    const bits32 slot = *first_slot + i;
    if (slot >= (bits32)capacity) continue;
    const bits32 what = found[i], pixel = what & 0xffffu;
    global_ptr candidate* c = candidates + slot;
    c->image = (bits32)picture;
    c->where = where_of((bits32)octave, what >> 16);
    c->x = (bits32)x0 + pixel % SEARCH_WIDTH;
    c->y = (bits32)y0 + pixel / SEARCH_WIDTH;
  }
}

// Computes the 27 differences of levels around a sample of layer `layer`: [layer][y][x].
group_fn void differences_at(const level_view levels, offset plane, index x, index y, index layer,
                             real* D) {
  global_const float* at =
      levels.pyramid + (levels.first + layer * plane + (offset)y * levels.stride + x);
  for (index k = 0; k < 27; ++k) {
    global_const float* pixel =
        at + (k / 9 - 1) * plane + (k / 3 % 3 - 1) * levels.stride + (k % 3 - 1);
    D[k] = pixel[plane] - pixel[0];
  }
}

// Returns the number of samples by which a refinement moves.
group_fn index refinement_step(real away) {
  return away > sift_max_offset() ? 1 : away < -sift_max_offset() ? -1 : 0;
}

// Locates a candidate to fractions of a sample. levels: lowest level of its octave; levels are
// `plane` floats apart.
group_fn void refined(const level_view levels, offset plane, global_const candidate* c,
                      index layers, real contrast, real edge, global_ptr extremum* out) {
  index x = (index)c->x, y = (index)c->y, layer = where_layer(c->where);
  out->response = lane(-1);
  for (index move = 0; move <= SIFT_MOVES; ++move) {
    real D[27];
    differences_at(levels, plane, x, y, layer, D);
    const stationary_point p = sift_stationary_point(D);
    const real max_offset = sift_max_offset(), far = lane(1e6);
    if (!(fabs(p.x) < far && fabs(p.y) < far && fabs(p.layer) < far)) return;
    if (fabs(p.x) <= max_offset && fabs(p.y) <= max_offset && fabs(p.layer) <= max_offset) {
      if (fabs(p.value) * lane(layers) < contrast || sift_on_edge(p.plane, edge)) return;
      out->x = lane(x) + p.x;
      out->y = lane(y) + p.y;
      out->layer = lane(layer) + p.layer;
      out->response = fabs(p.value);
      return;
    }
    x += refinement_step(p.x);
    y += refinement_step(p.y);
    layer += refinement_step(p.layer);
    if (x < SIFT_BORDER || x >= levels.width - SIFT_BORDER || y < SIFT_BORDER ||
        y >= levels.height - SIFT_BORDER || layer < 1 || layer > layers)
      return;
  }
}

// Returns the strength of an extremum and of all its points: keypoint_strength, by the same
// products. The points of weak extrema are therefore weaker than the points of strong extrema.
group_fn real extremum_strength(global_const extremum* e, bits32 octave, index layers, real sigma,
                                real scale) {
  const real own_sigma = sigma * exp2(e->layer / (real)layers);
  return e->response * (own_sigma * (scale * (real)(1u << octave)));
}

// Returns the bin of a strength, with 32 bins per factor of two, starting at 2^-20. The bits of
// floats that are not negative have the same order as the floats.
group_fn index strength_bin(real strength) {
  const index bin = (index)(float_bits(strength) >> 18) - (127 - 20) * 32;
  return bin < 0 ? 0 : bin < STRENGTH_BINS ? bin : STRENGTH_BINS - 1;
}

thread_kernel(sift_refine, thread, threads, capacity, SIFT_REFINE) {
  const bits32 count = listed_candidates(counts, capacity);
  for (bits32 i = thread; i < count; i += threads) {
    global_const candidate* c = candidates + i;
    global_const octave_layout* o = octaves + where_octave(c->where);
    const level_view levels = level_of(pyramid, pitch, o, (index)c->image, 0);
    refined(levels, o->plane, c, layers, contrast, edge, extrema + i);
    global_const extremum* e = extrema + i;
    if (is_counted && e->response >= lane(0)) {
      const real strength = extremum_strength(e, where_octave(c->where), layers, sigma, scale);
      (void)global_atomic_add(histogram + (offset)c->image * STRENGTH_BINS + strength_bin(strength),
                              1u);
    }
  }
}

// Determines which extrema a cap can keep, before their orientations are computed.
group_kernel(sift_cut, picture, SIFT_CUT) {
  global_ptr bits32* bins = histogram + (offset)picture * STRENGTH_BINS;
  const index member = (index)group_member();
  const index each = (STRENGTH_BINS + GROUP_SIZE - 1) / GROUP_SIZE;
  // Counts from the strongest bin on.
  const index first = member * each < STRENGTH_BINS ? member * each : STRENGTH_BINS;
  const index end = first + each < STRENGTH_BINS ? first + each : STRENGTH_BINS;
  bits32 sum = 0;
  for (index k = first; k < end; ++k) sum += bins[STRENGTH_BINS - 1 - k];
  sums[member] = sum;
  for (index o = 1; o < GROUP_SIZE; o *= 2) {
    group_barrier();
    const bits32 before = member >= o ? sums[member - o] : 0;
    group_barrier();
    sums[member] += before;
  }
  bits32 above = sums[member] - sum;
  for (index k = first; k < end; ++k) {
    const index bin = STRENGTH_BINS - 1 - k;
    const bits32 with = above + bins[bin];
    if (above < (bits32)most && with >= (bits32)most) cut[picture] = (bits32)bin;
    if (bin == 0 && with < (bits32)most) cut[picture] = 0;
    above = with;
    bins[bin] = 0;  // for the next batch
  }
  for (index round = member; round < 2 && picture == 0; round += GROUP_SIZE)
    selected_counts[round] = 0;
}

thread_kernel(sift_select, thread, threads, capacity, SIFT_SELECT) {
  const bits32 count = listed_candidates(counts, capacity);
  for (bits32 i = thread; i < count; i += threads) {
    global_const candidate* c = candidates + i;
    global_const extremum* e = extrema + i;
    if (e->response < lane(0)) continue;
    const bits32 picture = c->image;
    const real strength = extremum_strength(e, where_octave(c->where), layers, sigma, scale);
    const index is_taken =
        round == 0 ? strength_bin(strength) >= (index)cut[picture] : again[picture] != 0;
    if (is_taken) selected[global_atomic_add(selected_counts + round, 1u)] = i;
  }
}

group_kernel(sift_again, picture, SIFT_AGAIN) {
  const index member = (index)group_member();
  const index is_short = kept[picture] < (bits32)most && cut[picture] > 0;
  global_ptr bits32* own = rows + (offset)picture * (height + 1);
  group_barrier();
  if (member == 0) {
    again[picture] = is_short ? 1u : 0u;
    if (is_short) found[picture] = kept[picture] = 0;
  }
  for (index y = member; y <= height && is_short; y += GROUP_SIZE) own[y] = 0;
}
