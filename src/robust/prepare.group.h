// SPDX-License-Identifier: BSD-3-Clause
// Puts a pair's points in order on a GPU: what pair_points.cpp does on a CPU, to the same numbers.
// A lane is a thread.

enum { PREPARE_SHARED = 4 * FRAME_SUBSET + 8 };

group_fn index point_is_finite(global_const scalar* p) {
  index finite = 1;
  for (index c = 0; c < 4; ++c) finite = finite && p[c] - p[c] == 0;
  return finite;
}

// Does point i take part (idle: may it not, though it is finite, because its weight is not a finite
// number above 0)?
group_fn index point_belongs(global_const scalar* given, const struct prior_arrays* priors,
                             index idle, index i) {
  if (!point_is_finite(given + 4 * (offset)i)) return 0;
  if (!priors->has_weights) return !idle;
  const scalar w = priors->weights[i];
  return (w > 0 && w - w == 0) != idle;
}

// Original indices of the points that take part (or are idle), in order, to `kept`; returns their
// number.
group_fn index keep_points(GROUP_PARAM global_const scalar* given,
                           const struct prior_arrays* priors, index idle, index count,
                           global_ptr int* kept, local_ptr scalar* shared) {
  const index share = (count + group_width - 1) / group_width, member = group_member();
  const index begin = member * share, end = begin + share < count ? begin + share : count;
  index own = 0;
  for (index i = begin; i < end; ++i) own += point_belongs(given, priors, idle, i);
  shared[member] = (scalar)own;
  group_barrier();
  index before = 0, all = 0;
  for (index m = 0; m < group_width; ++m) {
    if (m == member) before = all;
    all += (index)shared[m];
  }
  for (index i = begin; i < end; ++i) {
    if (point_belongs(given, priors, idle, i)) kept[before++] = i;
  }
  group_barrier();
  return all;
}

// The middle one of n numbers in order.
group_fn scalar middle_of(GROUP_PARAM local_ptr scalar* v, index n, local_ptr scalar* found) {
  group_for_range(i, 0, n) {
    const scalar x = v[i];
    index below = 0;
    for (index j = 0; j < n; ++j) below += v[j] < x || (v[j] == x && j < i);
    if (below == n / 2) *found = x;
  }
  group_barrier();
  const scalar middle = *found;
  group_barrier();
  return middle;
}

// Centre and length of the scoring coordinates. cameras [8]: fx fy cx cy of each, of an essential
// matrix.
group_fn void set_frame(GROUP_PARAM global_const scalar* given, index n, global_const int* order,
                        global_const scalar* cameras, scalar* centre, scalar* length,
                        local_ptr scalar* shared) {
  const index m = n < FRAME_SUBSET ? n : FRAME_SUBSET;
  for (index c = 0; c < 4; ++c) {
    local_ptr scalar* v = shared + c * m;
    group_for_range(i, 0, m) v[i] = given[4 * (offset)order[i] + c];
    group_barrier();
    if_constant(PROBLEM == ESSENTIAL) centre[c] = cameras[c < 2 ? 2 + c : 4 + c];
    if_constant(PROBLEM != ESSENTIAL) centre[c] =
        middle_of(GROUP_ARG v, m, shared + PREPARE_SHARED - 1);
    group_for_range(k, 0, m) v[k] = fabs(v[k] - centre[c]);
    group_barrier();
  }
  *length = 2 * middle_of(GROUP_ARG shared, 4 * m, shared + PREPARE_SHARED - 1);
  if (!(*length > 0)) {
    scalar sum = 0;
    for (index i = 0; i < 4 * m; ++i) sum += shared[i];
    *length = sum / (scalar)(4 * m);
  }
  if (!(*length > 0) || *length - *length != 0) *length = 1;
  group_barrier();
}

// The probability INFO_CHANCE, from the image whose points cover less.
group_fn scalar chance_of(GROUP_PARAM global_const scalar* given, index n, global_const int* order,
                          scalar threshold) {
  scalar low[4], high[4];
  for (index c = 0; c < 4; ++c) {
    scalar least = (scalar)1e308, most = (scalar)-1e308;
    group_for_range(i, 0, n) {
      const scalar v = given[4 * (offset)order[i] + c];
      least = v < least ? v : least;
      most = v > most ? v : most;
    }
    high[c] = group_max(most);
    low[c] = -group_max(-least);
  }
  const scalar w1 = high[0] - low[0], h1 = high[1] - low[1];
  const scalar w2 = high[2] - low[2], h2 = high[3] - low[3];
  const index second = w2 * h2 < w1 * h1;
  return chance_in_box(PROBLEM == HOMOGRAPHY, second ? w2 : w1, second ? h2 : h1, threshold);
}

// given: the pair's `count` points x1 y1 x2 y2, px. order [count]: of the points that take part,
// then the idle ones; points [4][stride] in double and float, info: see pair_points.hpp; inliers
// [count]: all 0; keys [4 stride]: room to sort. Returns the number of points that take part.
// shared [PREPARE_SHARED].
group_fn index pair_prepare(GROUP_PARAM global_const scalar* given, index count,
                            const struct prior_arrays* priors, global_ptr bits32* keys, index* idle,
                            global_const scalar* cameras, scalar threshold, bits32 seed0,
                            bits32 seed1, index stride, global_ptr int* kept, global_ptr int* order,
                            global_ptr scalar* points, global_ptr float* fast_points,
                            global_ptr scalar* info, global_ptr unsigned char* inliers,
                            local_ptr scalar* shared) {
  scalar centre[4], length = 1;
  const index n = keep_points(GROUP_ARG given, priors, 0, count, kept, shared);
  *idle = 0;
  if (priors->has_weights)
    *idle = keep_points(GROUP_ARG given, priors, 1, count, order + n, shared);
  group_for_range(i, 0, n) order[i] = kept[shuffled(i, n, seed0, seed1)];
  group_for_range(j, 0, count) inliers[j] = 0;
  group_barrier();
  if (n < SAMPLE_SIZE) return n;
  prepare_priors(GROUP_ARG priors, order, n, stride, keys, info, shared);
  set_frame(GROUP_ARG given, n, order, cameras, centre, &length, shared);
  const scalar chance = chance_of(GROUP_ARG given, n, order, threshold);
  for (index c = 0; c < 4; ++c) {
    group_for_range(k, 0, stride) {
      scalar v = lane_nan();
      if (k < n) v = (given[4 * (offset)order[k] + c] - centre[c]) * (1 / length);
      points[c * stride + k] = v;
      fast_points[c * stride + k] = (float)v;
    }
  }
  if (!group_leads()) return n;
  info[INFO_THRESHOLD] = length * length / (threshold * threshold);
  info[INFO_CHANCE] = chance;
  info[INFO_PARALLAX] = 0;
  for (index i = 0; i < 2; ++i) info[INFO_FOCAL + i] = 0;
  for (index i = 0; i < 4; ++i) {
    info[INFO_RAYS + i] = 0;
    info[INFO_CENTRE + i] = centre[i];
  }
  info[INFO_LENGTH] = length;
  if_constant(PROBLEM == ESSENTIAL) {
    scalar focal[4] = {cameras[0], cameras[1], cameras[4], cameras[5]};
    for (index i = 0; i < 4; ++i) info[INFO_RAYS + i] = length / focal[i];
    info[INFO_PARALLAX] = parallax_limit(focal, threshold);
  }
  return n;
}

// How many different points (rows of the columns [first, end)) there are among those with a squared
// error below the limit, or among all. table: room for `size` hashes, a power of two of at least 2
// n.
group_fn index count_distinct(GROUP_PARAM global_const float* points, index stride, index n,
                              index first, index end, global_const scalar* errors, scalar limit,
                              index is_all, global_ptr bits32* table, index size) {
  group_for_range(i, 0, size) table[i] = 0;
  group_barrier();
  real found = lane(0);
  group_for_range(k, 0, n) {
    if (!is_all && !(errors[k] < limit)) continue;
    const bits32 hash = point_hash(points, stride, first, end, k);
    bits32 place = hash & (bits32)(size - 1), there;
    while ((there = table_claim(table + place, hash)) != 0 && there != hash)
      place = (place + 1) & (bits32)(size - 1);
    found += there == 0 ? lane(1) : lane(0);
  }
  const scalar count = group_sum(found);
  group_barrier();
  return (index)count;
}
