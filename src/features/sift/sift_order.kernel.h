// SPDX-License-Identifier: BSD-3-Clause
// The order of features on GPUs; sift.kernels describes the arguments. Points come in any order,
// and no step depends on it: what is kept is sorted by all that they are.

// Response times sigma: the responses of large features are rarer and match better.
group_fn real feature_strength(const feature f) { return f.response * f.sigma; }

// Among equally strong ones: by y, x, sigma and angle. -1, 0, 1.
group_fn index feature_order(const feature a, const feature b) {
  if (a.y != b.y) return a.y < b.y ? -1 : 1;
  if (a.x != b.x) return a.x < b.x ? -1 : 1;
  if (a.sigma != b.sigma) return a.sigma < b.sigma ? -1 : 1;
  if (a.angle != b.angle) return a.angle < b.angle ? -1 : 1;
  return 0;
}

group_kernel(sift_rows, picture, SIFT_ROWS) {
  global_ptr bits32* counts = rows + (offset)picture * (height + 1);
  global_ptr bits32* out = begins + (offset)picture * height;
  const index member = (index)group_member();
  const index all = is_again && !again[picture] ? 0 : height;
  const index each = (all + GROUP_SIZE - 1) / GROUP_SIZE;
  const index first = member * each < all ? member * each : all;
  const index end = first + each < all ? first + each : all;
  bits32 sum = 0;
  for (index y = first; y < end; ++y) sum += counts[y];
  sums[member] = sum;
  for (index o = 1; o < GROUP_SIZE; o *= 2) {
    group_barrier();
    const bits32 before = member >= o ? sums[member - o] : 0;
    group_barrier();
    sums[member] += before;
  }
  bits32 at = sums[member] - sum;
  for (index y = first; y < end; ++y) {
    const bits32 n = counts[y];
    counts[y] = at;
    out[y] = at;
    at += n;
  }
  if (end == height && first < end) counts[height] = at;
}

map_kernel(sift_place, item, SIFT_PLACE) {
  const index picture = item / room, i = item % room;
  if ((bits32)i >= found[picture] || (is_again && !again[picture])) return;
  const feature f = feature_of(points + (offset)item * POINT_FLOATS, scale, shift);
  const bits32 slot = global_atomic_add(begins + (offset)picture * height + row_of(f, height), 1u);
  order[(offset)picture * room + slot] = (bits32)i;
}

map_kernel(sift_keep, item, SIFT_KEEP) {
  const index picture = item / room, i = item % room;
  if ((bits32)i >= found[picture] || (is_again && !again[picture])) return;
  global_const float* all = points + (offset)picture * room * POINT_FLOATS;
  global_const bits32* begin = rows + (offset)picture * (height + 1);
  global_const bits32* names = order + (offset)picture * room;
  const feature f = feature_of(all + (offset)i * POINT_FLOATS, scale, shift);
  const real strength = feature_strength(f), reach = lane(0.1) * f.sigma;
  feature upper = f, lower = f;
  upper.y -= reach;
  lower.y += reach;
  const bits32 end = begin[row_of(lower, height) + 1];
  // Four at a time, whose loads do not wait for each other; the last one again where there are
  // less.
  for (bits32 k = begin[row_of(upper, height)]; k < end; k += 4) {
    index js[4];
    feature near[4];
    lane_unroll for (bits32 u = 0; u < 4; ++u) js[u] = (index)names[k + u < end ? k + u : end - 1];
    lane_unroll for (index u = 0; u < 4; ++u) near[u] =
        feature_of(all + (offset)js[u] * POINT_FLOATS, scale, shift);
    lane_unroll for (index u = 0; u < 4; ++u) {
      const feature g = near[u];
      if (js[u] == i) continue;
      if (!sift_same_point(f.x, f.y, f.sigma, f.angle, g.x, g.y, g.sigma, g.angle)) continue;
      const real other = feature_strength(g);
      if (other < strength) continue;
      const index order_of_equal = feature_order(g, f);
      // Of two that are equal in all the second one goes: they cannot be told apart.
      if (other > strength || order_of_equal < 0 || (order_of_equal == 0 && js[u] < i)) return;
    }
  }
  const bits32 slot = global_atomic_add(kept + picture, 1u);
  global_ptr bits32* key = keys + 2 * ((offset)picture * room + slot);
  key[0] = float_bits(strength);
  key[1] = (bits32)i;
}

// Does key a come before b? Strengths are not negative: their bits are in their order.
group_fn index key_before(bits32 strength_a, bits32 a, bits32 strength_b, bits32 b,
                          global_const float* all, real scale, real shift) {
  if (strength_a != strength_b) return strength_a > strength_b;
  const index order = feature_order(feature_of(all + (offset)a * POINT_FLOATS, scale, shift),
                                    feature_of(all + (offset)b * POINT_FLOATS, scale, shift));
  return order != 0 ? order < 0 : a < b;
}

// SORT_PARTS seats for each key, which count those before it in a part of the chunk.
group_kernel(sift_sort_chunk, group, SIFT_SORT_CHUNK) {
  const index parts = SORT_CHUNK / SORT_KEYS, picture = group / (chunks * parts);
  const index own_first = group % parts * SORT_KEYS, member = (index)group_member();
  const index all_count = (index)kept[picture] < room ? (index)kept[picture] : room;
  global_const float* all = points + (offset)picture * room * POINT_FLOATS;
  for (index first = group / parts % chunks * SORT_CHUNK; first + own_first < all_count;
       first += chunks * SORT_CHUNK) {
    const index left = all_count - first, count = left < SORT_CHUNK ? left : SORT_CHUNK;
    global_const bits32* in = keys + 2 * ((offset)picture * room + first);
    for (index i = member; i < count; i += GROUP_SIZE) strengths[i] = in[2 * i];
    group_barrier();
    for (index seat = member; seat < SORT_SEATS; seat += GROUP_SIZE) {
      const index own = own_first + seat % SORT_KEYS;
      index before = 0;
      for (index j = seat / SORT_KEYS; j < count && own < count; j += SORT_PARTS) {
        const bits32 strength = strengths[own], other = strengths[j];
        before += other > strength;
        if (other == strength && j != own)
          before += key_before(other, in[2 * j + 1], strength, in[2 * own + 1], all, scale, shift);
      }
      places[seat] = before;
    }
    group_barrier();
    for (index seat = member; seat < SORT_KEYS; seat += GROUP_SIZE) {
      const index own = own_first + seat;
      if (own >= count) continue;
      index before = 0;
      for (index k = 0; k < SORT_PARTS; ++k) before += places[seat + k * SORT_KEYS];
      global_ptr bits32* out = sorted + 2 * ((offset)picture * room + first + before);
      out[0] = strengths[own];
      out[1] = in[2 * own + 1];
    }
    group_barrier();  // the next chunk overwrites what is shared
  }
}

map_kernel(sift_sort_merge, item, SIFT_SORT_MERGE) {
  const index picture = item / room, i = item % room, count = (index)kept[picture];
  if (i >= count || run >= count) return;
  global_const bits32* in = keys + 2 * (offset)picture * room;
  global_const float* all = points + (offset)picture * room * POINT_FLOATS;
  const bits32 strength = in[2 * i], name = in[2 * i + 1];
  const index first = i / (MERGED_RUNS * run) * (MERGED_RUNS * run), own = i / run % MERGED_RUNS;
  // Keys of each other run that come before this one: searches whose loads do not wait for each
  // other.
  index before[MERGED_RUNS];
  lane_unroll for (index r = 0; r < MERGED_RUNS; ++r) before[r] = 0;
  for (index step = run; step > 0; step /= 2) {
    bits32 strengths[MERGED_RUNS], names[MERGED_RUNS];
    index is_there[MERGED_RUNS];
    lane_unroll for (index r = 0; r < MERGED_RUNS; ++r) {
      const index at = first + r * run + before[r] + step - 1;
      is_there[r] = r != own && before[r] + step <= run && at < count;
      strengths[r] = is_there[r] ? in[2 * at] : 0;
      names[r] = is_there[r] ? in[2 * at + 1] : 0;
    }
    lane_unroll for (index r = 0; r < MERGED_RUNS; ++r) {
      if (is_there[r] && key_before(strengths[r], names[r], strength, name, all, scale, shift))
        before[r] += step;
    }
  }
  index place = i - own * run;
  lane_unroll for (index r = 0; r < MERGED_RUNS; ++r) place += before[r];
  const offset to = 2 * ((offset)picture * room + place);
  sorted[to] = strength;
  sorted[to + 1] = name;
}
