// SPDX-License-Identifier: BSD-3-Clause
// Prepares the weights and qualities of a pair's points. A lane is a thread, or a group of one on a
// CPU.

// The weights and qualities that a call gives for a pair, and what is made of them (pair_state.h).
struct prior_arrays {
  index has_weights, has_qualities;
  global_const scalar *given_weights, *given_qualities;  // one a point
  global_ptr scalar *weights, *ranks, *cumulative_weights;
  global_ptr float* fast_weights;
  global_ptr int* ranking;
};

// Is a pair's point before another in the order of falling quality?
group_fn index ranks_before(bits32 key, index point, bits32 other_key, index other) {
  return key > other_key || (key == other_key && point < other);
}

// Sorts keys [size], a power of two, and the points behind them in the order of falling keys.
//   K. Batcher, Sorting networks and their applications, AFIPS 1968.
group_fn void sort_points(GROUP_PARAM global_ptr bits32* keys, index size) {
  global_ptr bits32* points = keys + size;
  for (index length = 2; length <= size; length *= 2) {
    for (index step = length / 2; step > 0; step /= 2) {
      group_for_range(t, 0, size / 2) {
        const index i = t / step * step * 2 + t % step, j = i + step;
        const bits32 a_key = keys[i], b_key = keys[j], a_point = points[i], b_point = points[j];
        const index falling = (i & length) == 0;
        if (ranks_before(a_key, (index)a_point, b_key, (index)b_point) == falling) continue;
        keys[i] = b_key;
        keys[j] = a_key;
        points[i] = b_point;
        points[j] = a_point;
      }
      group_barrier();
    }
  }
}

// The same for any size and a group of one, byte by byte. There is room for as much behind them.
group_fn void sort_points_alone(global_ptr bits32* keys, index size) {
  global_ptr bits32 *from = keys, *to = keys + 2 * size;
  for (index shift = 0; shift < 32; shift += 8) {
    index places[257];
    for (index d = 0; d <= 256; ++d) places[d] = 0;
    for (index i = 0; i < size; ++i) ++places[256 - (index)(from[i] >> shift & 255u)];
    for (index d = 1; d <= 256; ++d) places[d] += places[d - 1];
    for (index i = 0; i < size; ++i) {
      const index place = places[255 - (index)(from[i] >> shift & 255u)]++;
      to[place] = from[i];
      to[size + place] = from[size + i];
    }
    global_ptr bits32* sorted = to;
    to = from;
    from = sorted;
  }
}

// ranking [n]: the points in the order of falling quality; ranks [stride]. keys: room for 4 stride
// numbers.
group_fn void rank_points(GROUP_PARAM const struct prior_arrays* a, global_const int* order,
                          index n, index stride, global_ptr bits32* keys) {
  index size = n;
  if_constant(group_width > 1) {
    for (size = 2; size < n;) size *= 2;
  }
  global_ptr bits32* points = keys + size;
  group_for_range(i, 0, size) {
    keys[i] = i < n ? quality_key(a->given_qualities[order[i]]) : 0;
    points[i] = (bits32)i;  // those beyond the last are behind all
  }
  group_barrier();
  if_constant(group_width > 1) sort_points(GROUP_ARG keys, size);
  if_constant(group_width == 1) sort_points_alone(keys, size);
  group_for_range(i, n, stride) a->ranks[i] = lane_nan();
  group_for_range(r, 0, n) {
    a->ranking[r] = (index)points[r];
    a->ranks[points[r]] = (scalar)r;
  }
  group_barrier();
}

// cumulative_weights [n]: running sums of the weights in steps of 2^-24, in the order of quality if
// qualities are given.
group_fn void accumulate_weights(GROUP_PARAM const struct prior_arrays* a, index n,
                                 local_ptr scalar* shared) {
  const index part = (n + group_width - 1) / group_width, member = group_member();
  const index begin = member * part, end = begin + part < n ? begin + part : n;
  scalar own = 0, before = 0;
  for (index r = begin; r < end; ++r) {
    own += 16777216 * a->weights[a->has_qualities ? a->ranking[r] : r];
    a->cumulative_weights[r] = own;
  }
  shared[member] = own;
  group_barrier();
  for (index m = 0; m < member; ++m) before += shared[m];
  for (index r = begin; r < end; ++r) a->cumulative_weights[r] += before;
  group_barrier();
}

// Sets what info, all zeros before, says of weights and qualities, and the arrays. order [n]: the
// given point that each point of the pair is; shared [group_width].
group_fn void prepare_priors(GROUP_PARAM const struct prior_arrays* a, global_const int* order,
                             index n, index stride, global_ptr bits32* keys, pair_info* info,
                             local_ptr scalar* shared) {
  enum { ALL = 4, SQUARES, WEIGHT_SUMS };  // behind those of the first 128, 256, 512 and 1024
  info->ranked = a->has_qualities;
  if (a->has_qualities) rank_points(GROUP_ARG a, order, n, stride, keys);
  if (!a->has_weights) return;
  scalar most = 0, least = (scalar)1e308;
  group_for_range(i, 0, n) {
    const scalar w = a->given_weights[order[i]];
    most = w > most ? w : most;
    least = w < least ? w : least;
  }
  most = group_max(most);
  least = -group_max(-least);
  if (!(least < most)) return;  // equal weights are as none
  scalar sums[WEIGHT_SUMS], totals[WEIGHT_SUMS];
  for (index k = 0; k < WEIGHT_SUMS; ++k) sums[k] = 0;
  group_for_range(i, 0, stride) {
    scalar weight = 0;
    if (i < n) weight = weight_steps(a->given_weights[order[i]], most) * (scalar)(1.0 / 16777216.0);
    a->weights[i] = weight;
    sums[ALL] += weight;
    sums[SQUARES] += weight * weight;
    for (index k = 0; k < ALL; ++k) sums[k] += i < (128 << k) ? weight : 0;
  }
  group_sums(sums, WEIGHT_SUMS, totals);
  group_barrier();
  accumulate_weights(GROUP_ARG a, n, shared);
  const scalar scale = totals[ALL] / totals[SQUARES];
  group_for_range(i, 0, stride) {
    a->weights[i] *= scale;
    a->fast_weights[i] = (float)a->weights[i];
  }
  group_barrier();
  info->weighted = 1;
  info->effective = totals[ALL] * scale;
  info->largest = scale;
  for (index k = 0; k < ALL; ++k) info->seen[k] = totals[k] * scale;
}
