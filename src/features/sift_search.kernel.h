// SPDX-License-Identifier: BSD-3-Clause
// Extrema of differences of Gaussians on GPUs; sift.kernels describes the arguments.

// Whether v is above all of the values before it and not below those after it (is_high), or the
// reverse, among the nine of a layer, of which k = `own` is v itself; all loads at once, for nobody
// waits for the one before. level: the lower one of the difference.
group_fn index is_extremum_of(global_const float* level, offset plane, index stride, real v,
                              index is_high, index own) {
  real d[9];
  lane_unroll for (index k = 0; k < 9; ++k) {
    const offset at = (offset)(k / 3 - 1) * stride + (k % 3 - 1);
    d[k] = level[at + plane] - level[at];
  }
  index beaten = 1;
  lane_unroll for (index k = 0; k < 9; ++k) {
    const index strictly = k < own ? (is_high ? v > d[k] : v < d[k]) : 1;
    const index weakly = k > own ? (is_high ? v >= d[k] : v <= d[k]) : 1;
    beaten = beaten & strictly & weakly;
  }
  return beaten;
}

group_kernel(sift_search, group, SIFT_SEARCH) {
  const index across = (width + SEARCH_WIDTH - 1) / SEARCH_WIDTH;
  const index tiles = across * ((height + SEARCH_HEIGHT - 1) / SEARCH_HEIGHT);
  const index picture = group / tiles, tile = group % tiles, member = (index)group_member();
  const index x0 = tile % across * SEARCH_WIDTH, y0 = tile / across * SEARCH_HEIGHT;
  if (member == 0) shared[0] = 0;
  group_barrier();
  for (index i = member; i < SEARCH_WIDTH * SEARCH_HEIGHT; i += GROUP_SIZE) {
    const index x = x0 + i % SEARCH_WIDTH, y = y0 + i / SEARCH_WIDTH;
    if (x < SIFT_BORDER || x >= width - SIFT_BORDER || y < SIFT_BORDER || y >= height - SIFT_BORDER)
      continue;
    global_const float* level = pyramid + picture * pitch + from + (offset)y * stride + x;
    real first = level[0], second = level[plane], third = level[2 * plane];
    real before = second - first, here = third - second;
    for (index layer = 1; layer <= layers; ++layer) {
      const real next = level[(layer + 2) * plane], after = next - third;
      if (fabs(here) > threshold) {
        const index is_high = here > before && here >= after;
        const index is_low = here < before && here <= after;
        global_const float* own = level + layer * plane;
        if ((is_high || is_low) && is_extremum_of(own, plane, stride, here, is_high, 4) &&
            is_extremum_of(own - plane, plane, stride, here, is_high, 9) &&
            is_extremum_of(own + plane, plane, stride, here, is_high, -1)) {
          const bits32 slot = local_atomic_add(shared, 1u);
          if (slot < SEARCH_ROOM) found[slot] = (bits32)(layer << 16 | i);
        }
      }
      before = here;
      here = after;
      third = next;
    }
  }
  group_barrier();
  const bits32 count = shared[0] < SEARCH_ROOM ? shared[0] : SEARCH_ROOM;
  if (member == 0 && shared[0] > 0) shared[1] = global_atomic_add(counts, count);
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
group_fn void refined(global_const float* levels, offset plane, index stride, index width,
                      index height, index layers, real contrast, real edge, index x, index y,
                      index layer, global_ptr float* out) {
  out[3] = lane(-1);
  for (index move = 0; move <= SIFT_MOVES; ++move) {
    global_const float* at = levels + layer * plane + (offset)y * stride + x;
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
    refined(pyramid + (offset)c[0] * pitch + o[0], o[1], (index)o[2], (index)o[3], (index)o[4],
            layers, contrast, edge, (index)c[2], (index)c[3], (index)(c[1] & 255u),
            extrema + (offset)i * EXTREMUM_FLOATS);
  }
}
