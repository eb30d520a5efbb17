// SPDX-License-Identifier: BSD-3-Clause
// Extrema of differences of Gaussians on GPUs; sift.kernels describes the arguments.

// Whether v is above all of the values before it and not below those after it (is_high), or the
// reverse, among the nine around a place of a layer, of which k = `own` is v itself.
group_fn index is_extremum_of(local_ptr const float* layer, real v, index is_high, index own) {
  index beats = 1;
  lane_unroll for (index k = 0; k < 9; ++k) {
    const real d = layer[(k / 3 - 1) * SEARCH_PITCH + (k % 3 - 1)];
    const index strictly = is_high ? v > d : v < d, weakly = is_high ? v >= d : v <= d;
    beats = beats & (k < own ? strictly : k > own ? weakly : 1);
  }
  return beats;
}

// What a member loads of each level.
enum { SEARCH_SHARE = (SEARCH_HALO + GROUP_SIZE - 1) / GROUP_SIZE };
#if defined(__OPENCL_VERSION__) && GROUP_SIZE == 1
#define search_unroll
#else
#define search_unroll lane_unroll
#endif

// Returns the octave that a tile of a picture is in.
group_fn index search_octave(global_const offset* octaves, index octave_count, index tile) {
  index octave = 0;
  while (octave + 1 < octave_count && octaves[(octave + 1) * OCTAVE_OFFSETS + 5] <= (offset)tile)
    ++octave;
  return octave;
}

// Lists the samples of a tile's layer in shared memory that pass six comparisons and the threshold:
// the place in the tile, and the highest bit for a maximum.
group_fn void search_likely(GROUP_PARAM local_ptr const float* oldest,
                            local_ptr const float* middle, local_ptr const float* newest, index x0,
                            index y0, index width, index height, real threshold,
                            local_ptr bits32* count, local_ptr bits16* likely) {
  for (index i = (index)group_member(); i < SEARCH_WIDTH * SEARCH_HEIGHT; i += GROUP_SIZE) {
    const index x = x0 + i % SEARCH_WIDTH, y = y0 + i / SEARCH_WIDTH;
    const index at = (i / SEARCH_WIDTH + 1) * SEARCH_PITCH + i % SEARCH_WIDTH + 1;
    const real v = middle[at], before = oldest[at], after = newest[at];
    const real left = middle[at - 1], up = middle[at - SEARCH_PITCH];
    const real right = middle[at + 1], down = middle[at + SEARCH_PITCH];
    const index is_high =
        (v > before) & (v >= after) & (v > left) & (v > up) & (v >= right) & (v >= down);
    const index is_low =
        (v < before) & (v <= after) & (v < left) & (v < up) & (v <= right) & (v <= down);
    const index is_inside = (x >= SIFT_BORDER) & (x < width - SIFT_BORDER) & (y >= SIFT_BORDER) &
                            (y < height - SIFT_BORDER);
    if ((is_high | is_low) & is_inside & (fabs(v) > threshold))
      likely[local_atomic_add(count, 1u)] = (bits16)(is_high << 15 | i);
  }
}

// Lists those of the likely samples that are extrema among all 26 neighbours: the layer, and the
// place in the tile.
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
      if (slot < SEARCH_ROOM) found[slot] = (bits32)(layer << 16 | i);
    }
  }
}

// The differences of three layers around a tile lie in shared memory, each in the place of the one
// that is not needed any more. A layer's samples that pass six comparisons, one in 20, are listed
// for all others.
group_kernel(sift_search, group, SIFT_SEARCH) {
  const index picture = group / tiles, member = (index)group_member();
  const index octave = search_octave(octaves, octave_count, group % tiles);
  global_const offset* o = octaves + octave * OCTAVE_OFFSETS;
  const offset plane = o[1], stride = o[2];
  const index width = (index)o[3], height = (index)o[4], tile = group % tiles - (index)o[5];
  const index across = (width + SEARCH_WIDTH - 1) / SEARCH_WIDTH;
  const index x0 = tile % across * SEARCH_WIDTH;
  const index y0 = (index)o[8] + tile / across * SEARCH_HEIGHT;
  const offset levels = picture * pitch + o[0];
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
  if (member == 0) shared[0] = shared[1] = 0;
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
      search_likely(GROUP_ARG oldest, middle, newest, x0, y0, width, height, threshold, shared + 1,
                    likely);
    group_barrier();
    search_extrema(GROUP_ARG oldest, middle, newest, likely, (index)shared[1], layer - 1, shared,
                   found);
    group_barrier();
    if (member == 0) shared[1] = 0;
  }
  group_barrier();
  const bits32 count = shared[0] < SEARCH_ROOM ? shared[0] : SEARCH_ROOM;
  if (member == 0 && count > 0) shared[1] = global_atomic_add(counts, count);
  if (member == 0 && shared[0] > SEARCH_ROOM) counts[1] = 1;
  group_barrier();
  for (bits32 i = (bits32)member; i < count; i += GROUP_SIZE) {
    const bits32 slot = shared[1] + i;
    if (slot >= (bits32)room) continue;
    const bits32 what = found[i], pixel = what & 0xffffu;
    global_ptr bits32* c = candidates + (offset)slot * CANDIDATE_WORDS;
    c[0] = (bits32)picture;
    c[1] = (bits32)octave << 8 | what >> 16;
    c[2] = (bits32)x0 + pixel % SEARCH_WIDTH;
    c[3] = (bits32)y0 + pixel / SEARCH_WIDTH;
  }
}

// Where a refinement ends: x, y, layer and response, which is negative where there is no extremum.
group_fn void refined(global_const float* pyramid, offset levels, offset plane, index stride,
                      index width, index height, index layers, real contrast, real edge, index x,
                      index y, index layer, global_ptr float* out) {
  out[3] = lane(-1);
  for (index move = 0; move <= SIFT_MOVES; ++move) {
    global_const float* at = pyramid + (levels + layer * plane + (offset)y * stride + x);
    real D[27], o[3], value, curves[3];
    for (index k = 0; k < 27; ++k) {
      global_const float* p = at + (k / 9 - 1) * plane + (k / 3 % 3 - 1) * stride + (k % 3 - 1);
      D[k] = p[plane] - p[0];
    }
    sift_quadratic(D, o, &value, curves);
    const real settled = sift_settled(), far = lane(1e6);
    if (!(fabs(o[0]) < far && fabs(o[1]) < far && fabs(o[2]) < far)) return;
    if (fabs(o[0]) <= settled && fabs(o[1]) <= settled && fabs(o[2]) <= settled) {
      if (fabs(value) * lane(layers) < contrast || sift_on_edge(curves, edge)) return;
      out[0] = lane(x) + o[0];
      out[1] = lane(y) + o[1];
      out[2] = lane(layer) + o[2];
      out[3] = fabs(value);
      return;
    }
    x += o[0] > settled ? 1 : o[0] < -settled ? -1 : 0;
    y += o[1] > settled ? 1 : o[1] < -settled ? -1 : 0;
    layer += o[2] > settled ? 1 : o[2] < -settled ? -1 : 0;
    if (x < SIFT_BORDER || x >= width - SIFT_BORDER || y < SIFT_BORDER ||
        y >= height - SIFT_BORDER || layer < 1 || layer > layers)
      return;
  }
}

thread_kernel(sift_refine, thread, threads, room, SIFT_REFINE) {
  const bits32 count = counts[0] < (bits32)room ? counts[0] : (bits32)room;
  for (bits32 i = thread; i < count; i += threads) {
    global_const bits32* c = candidates + (offset)i * CANDIDATE_WORDS;
    global_const offset* o = octaves + (c[1] >> 8) * OCTAVE_OFFSETS;
    refined(pyramid, (offset)c[0] * pitch + o[0], o[1], (index)o[2], (index)o[3], (index)o[4],
            layers, contrast, edge, (index)c[2], (index)c[3], (index)(c[1] & 255u),
            extrema + (offset)i * EXTREMUM_FLOATS);
    global_const float* e = extrema + (offset)i * EXTREMUM_FLOATS;
    if (is_counted && e[3] >= lane(0)) {
      const real strength = extremum_strength(e, (index)(c[1] >> 8), layers, sigma, scale);
      (void)global_atomic_add(histogram + (offset)c[0] * STRENGTH_BINS + strength_bin(strength),
                              1u);
    }
  }
}
