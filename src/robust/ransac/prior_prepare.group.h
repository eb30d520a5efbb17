// SPDX-License-Identifier: BSD-3-Clause
// Prepares the weights and qualities of a pair's points. A lane is a thread, or on a CPU a group
// of one member.

// A pair as the caller gives it.
struct given_pair {
  global_const scalar* points;  // [count][COLUMNS]
  index count;
  global_const scalar* cameras;  // [CAMERA_NUMBERS]
  index has_weights, has_qualities;
  global_const scalar *weights, *qualities;  // [count]
};

// The arrays of a pair that its preparation fills (pair_state.h). Arrays of priors are written only
// if weights or qualities are given.
struct pair_arrays {
  index stride;                     // elements of a column
  global_ptr int *kept, *order;     // [count]: scratch memory; given indices of the points in
                                    // random order, then of the points of weight 0
  global_ptr scalar* points;        // [COLUMNS][stride]
  global_ptr float* float_points;   // the same in float
  global_ptr scalar* priors;        // [PRIOR_COLUMNS][stride]
  global_ptr float* float_weights;  // [stride]
  global_ptr int* ranking;          // [stride], the points in descending order of quality
  global_ptr bits32* tables;        // [4 stride], scratch memory
  global_ptr bits8* inliers;        // [count]
  global_ptr pair_info* info;
  global_ptr pair_work* work;
  global_ptr ransac_state* state;
};

// Returns whether a point comes before another one in descending order of quality.
group_fn index ranks_before(bits32 key, index point, bits32 other_key, index other) {
  return key > other_key || (key == other_key && point < other);
}

// Sorts keys [size], a power of two, and the points stored after them in descending order of keys.
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

// Sorts keys of any size by radix sort, for groups of one member. Needs 2 size more elements after
// the points.
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

// Sets the ranking and the ranks of n points.
group_fn void rank_points(GROUP_PARAM const struct given_pair* given, const struct pair_arrays* a,
                          index n) {
  global_ptr scalar* ranks = a->priors + PRIOR_RANKS * (offset)a->stride;
  global_ptr bits32* keys = a->tables;
  index size = n;
  if_constant(group_width > 1) {
    for (size = 2; size < n;) size *= 2;
  }
  global_ptr bits32* points = keys + size;
  group_for_range(i, 0, size) {
    keys[i] = i < n ? quality_key(given->qualities[a->order[i]]) : 0;
    points[i] = (bits32)i;  // padding sorts after all points
  }
  group_barrier();
  if_constant(group_width > 1) sort_points(GROUP_ARG keys, size);
  if_constant(group_width == 1) sort_points_alone(keys, size);
  group_for_range(i, n, a->stride) ranks[i] = lane_nan();
  group_for_range(r, 0, n) {
    a->ranking[r] = (index)points[r];
    ranks[points[r]] = (scalar)r;
  }
  group_barrier();
}

// Sets the cumulative weights of n points: running sums of the weights in steps of 2^-24, in
// descending order of quality if qualities are given.
group_fn void accumulate_weights(GROUP_PARAM index has_qualities, const struct pair_arrays* a,
                                 index n, local_ptr scalar* shared) {
  global_const scalar* weights = a->priors;
  global_ptr scalar* cumulative = a->priors + PRIOR_CUMULATIVE_WEIGHTS * (offset)a->stride;
  const index part = (n + group_width - 1) / group_width, member = group_member();
  const index begin = member * part, end = begin + part < n ? begin + part : n;
  scalar own = 0, before = 0;
  for (index r = begin; r < end; ++r) {
    own += 16777216 * weights[has_qualities ? a->ranking[r] : r];
    cumulative[r] = own;
  }
  shared[member] = own;
  group_barrier();
  for (index m = 0; m < member; ++m) before += shared[m];
  for (index r = begin; r < end; ++r) cumulative[r] += before;
  group_barrier();
}

// Sets the arrays of weights and qualities of n points and their members of info, which holds zeros
// on entry. shared [group_width].
group_fn void prepare_priors(GROUP_PARAM const struct given_pair* given,
                             const struct pair_arrays* a, index n, pair_info* info,
                             local_ptr scalar* shared) {
  enum { ALL = 4, SQUARES, WEIGHT_SUMS };  // after the sums of the first 128, 256, 512 and 1024
  global_ptr scalar* weights = a->priors;
  info->ranked = given->has_qualities;
  if (given->has_qualities) rank_points(GROUP_ARG given, a, n);
  if (!given->has_weights) return;
  scalar most = 0, least = (scalar)1e308;
  group_for_range(i, 0, n) {
    const scalar w = given->weights[a->order[i]];
    most = w > most ? w : most;
    least = w < least ? w : least;
  }
  most = group_max(most);
  least = -group_max(-least);
  if (!(least < most)) return;  // equal weights are ignored
  scalar sums[WEIGHT_SUMS], totals[WEIGHT_SUMS];
  for (index k = 0; k < WEIGHT_SUMS; ++k) sums[k] = 0;
  group_for_range(i, 0, a->stride) {
    scalar weight = 0;
    if (i < n)
      weight = weight_steps(given->weights[a->order[i]], most) * (scalar)(1.0 / 16777216.0);
    weights[i] = weight;
    sums[ALL] += weight;
    sums[SQUARES] += weight * weight;
    for (index k = 0; k < ALL; ++k) sums[k] += i < (128 << k) ? weight : 0;
  }
  group_sums(sums, WEIGHT_SUMS, totals);
  group_barrier();
  accumulate_weights(GROUP_ARG given->has_qualities, a, n, shared);
  const scalar scale = totals[ALL] / totals[SQUARES];
  group_for_range(i, 0, a->stride) {
    weights[i] *= scale;
    a->float_weights[i] = (float)weights[i];
  }
  group_barrier();
  info->weighted = 1;
  info->effective = totals[ALL] * scale;
  info->largest = scale;
  for (index k = 0; k < ALL; ++k) info->seen[k] = totals[k] * scale;
}
