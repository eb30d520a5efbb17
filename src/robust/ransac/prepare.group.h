// SPDX-License-Identifier: BSD-3-Clause
// Prepares a pair's points for RANSAC. A lane is a thread, or on a CPU a group of one member.

enum {
  PREPARE_SHARED = 4 * FRAME_SUBSET + 8,
  POINTS_AT_ONCE = 4  // points that a member loads together, so that a GPU waits for memory once
};

group_fn index point_is_finite(global_const scalar* p) {
  scalar zero = 0;
  for (index c = 0; c < SEEN_COLUMNS; ++c) zero += p[c] - p[c];
  return zero == 0;
}

group_fn index is_finite_above_zero(scalar v) { return v > 0 && v - v == 0; }

// Returns whether point i is finite with a finite weight and finite depths above 0. With
// zero_weight: whether it is finite but has no such weight or depth.
group_fn index point_is_used(const struct given_pair* given, index zero_weight, index i) {
  global_const scalar* p = given->points + COLUMNS * (offset)i;
  if (!point_is_finite(p)) return 0;
  index counts = 1;
  if (given->has_weights) counts = is_finite_above_zero(given->weights[i]);
  for (index c = SEEN_COLUMNS; c < COLUMNS; ++c) counts &= is_finite_above_zero(p[c]);
  return counts != zero_weight;
}

// Returns whether finite points may be excluded from the model, by weights or depths.
group_fn index can_exclude_points(const struct given_pair* given) {
  return given->has_weights || DEPTHS > 0;
}

// Writes the given indices of the points that take part, or with zero_weight of the points of
// weight 0, to `kept`. Returns their number.
group_fn index keep_points(GROUP_PARAM const struct given_pair* given, index zero_weight,
                           global_ptr int* kept, local_ptr scalar* shared) {
  const index count = given->count;
  index missing = can_exclude_points(given) ? 0 : zero_weight;
  for (index from = (index)group_member(); from < count; from += POINTS_AT_ONCE * group_width) {
    lane_unroll for (index u = 0; u < POINTS_AT_ONCE; ++u) {
      const index i = from + u * group_width;
      missing |= !point_is_finite(given->points + COLUMNS * (offset)(i < count ? i : from));
    }
  }
  if (can_exclude_points(given))
    group_for_range(i, 0, count) missing |= !point_is_used(given, zero_weight, i);
  if (!group_any(missing != 0)) {
    group_for_range(i, 0, count) kept[i] = i;
    group_barrier();
    return count;
  }
  const index part = (count + group_width - 1) / group_width, member = group_member();
  const index begin = member * part, end = begin + part < count ? begin + part : count;
  index own = 0;
  for (index i = begin; i < end; ++i) own += point_is_used(given, zero_weight, i);
  shared[member] = (scalar)own;
  group_barrier();
  index before = 0, all = 0;
  for (index m = 0; m < group_width; ++m) {
    if (m == member) before = all;
    all += (index)shared[m];
  }
  for (index i = begin; i < end; ++i) {
    if (point_is_used(given, zero_weight, i)) kept[before++] = i;
  }
  group_barrier();
  return all;
}

// The median of n numbers, for groups of one member; changes their order.
//   C. Hoare, Algorithm 65: Find, CACM 4(7), 1961.
group_fn scalar find_median(local_ptr scalar* v, index n) {
  const index middle = n / 2;
  for (index low = 0, high = n - 1; low < high;) {
    const scalar pivot = v[middle];
    index i = low, j = high;
    while (i <= j) {
      while (v[i] < pivot) ++i;
      while (pivot < v[j]) --j;
      if (i > j) break;
      const scalar moved = v[i];
      v[i++] = v[j];
      v[j--] = moved;
    }
    if (j < middle) low = i;
    if (middle < i) high = j;
  }
  return v[middle];
}

// The median of n numbers: the largest number that has at most n / 2 numbers below it. A member
// ranks `ranked` numbers at once and loads four at a time.
group_fn scalar median(GROUP_PARAM local_ptr scalar* v, index n, index ranked) {
  if_constant(group_width == 1) return find_median(v, n);
  enum { MOST_RANKED = 4 };
  scalar most = -scalar_huge();
  for (index first = (index)group_member(); first < n; first += ranked * group_width) {
    scalar x[MOST_RANKED];
    index below[MOST_RANKED];
    lane_unroll for (index u = 0; u < MOST_RANKED; ++u) {
      const index i = first + u * group_width;
      x[u] = v[u < ranked && i < n ? i : first];
      below[u] = 0;
    }
    for (index from = 0; from < n; from += 4) {
      lane_unroll for (index k = 0; k < 4; ++k) {
        const scalar other = from + k < n ? v[from + k] : scalar_huge();
        lane_unroll for (index u = 0; u < MOST_RANKED; ++u) {
          if (u < ranked) below[u] += other < x[u];
        }
      }
    }
    lane_unroll for (index u = 0; u < MOST_RANKED; ++u) {
      if (u < ranked && below[u] <= n / 2 && x[u] > most) most = x[u];
    }
  }
  return group_max(most) + 0;  // turns -0 into 0
}

// Sets the centre and the length of the scoring coordinates of two images in info, from the first
// points of the random order. With cameras, the centres are their principal points. Medians are
// used, so that a distant point costs no precision.
group_fn void set_image_frame(GROUP_PARAM global_const scalar* given, index n,
                              global_const int* order, global_const scalar* cameras,
                              pair_info* info, local_ptr scalar* shared) {
  const index m = n < FRAME_SUBSET ? n : FRAME_SUBSET;
  group_for_range(i, 0, m) {
    global_const scalar* p = given + COLUMNS * (offset)order[i];
    for (index c = 0; c < 4; ++c) shared[c * m + i] = p[c];
  }
  group_barrier();
  for (index c = 0; c < 4; ++c) {
    local_ptr scalar* v = shared + c * m;
    scalar centre;
    if_constant(CAMERAS > 0) centre = cameras[c < 2 ? 2 + c : 4 + c];
    if_constant(CAMERAS == 0) {
      centre = median(GROUP_ARG v, m, group_width >= FRAME_SUBSET ? 1 : 4);
      group_barrier();
    }
    info->centre[c] = centre;
    group_for_range(k, 0, m) v[k] = fabs(v[k] - centre);
  }
  group_barrier();
  // Images with different units (pixels and metres) use the larger length.
  scalar length = 2 * median(GROUP_ARG shared, IMAGES_HAVE_UNITS ? 2 * m : 4 * m, 4);
  group_barrier();
  if_constant(IMAGES_HAVE_UNITS) {
    const scalar second = 2 * median(GROUP_ARG shared + 2 * m, 2 * m, 4);
    group_barrier();
    length = second > length ? second : length;
  }
  if (!(length > 0)) {
    scalar sum = 0;
    for (index i = 0; i < 4 * m; ++i) sum += shared[i];
    length = sum / (scalar)(4 * m);
  }
  info->length = length;
  group_barrier();
}

// Sets the centre and the length of a scene in info: the mean of its points and their mean distance
// from it. If the focal length is unknown, the unit of the image is the mean distance of the image
// points from the principal point.
group_fn void set_scene_frame(GROUP_PARAM global_const scalar* given, index n,
                              global_const int* order, global_const scalar* cameras,
                              pair_info* info) {
  real sums[3] = {lane(0), lane(0), lane(0)}, distance = lane(0);
  scalar centre[3];
  group_for_range(i, 0, n) {
    for (index c = 0; c < 3; ++c) sums[c] += given[COLUMNS * (offset)order[i] + 2 + c] / (scalar)n;
  }
  group_sums(sums, 3, centre);
  group_for_range(i, 0, n) {
    global_const scalar* X = given + COLUMNS * (offset)order[i] + 2;
    const scalar x = X[0] - centre[0], y = X[1] - centre[1], z = X[2] - centre[2];
    distance += sqrt(x * x + y * y + z * z) / (scalar)n;
  }
  for (index c = 0; c < 3; ++c) info->centre[c] = centre[c];
  info->length = group_sum(distance);
  if_constant(UNKNOWN_FOCAL) {
    const scalar cx = cameras[2], cy = cameras[3], ratio = cameras[0] / cameras[1];
    real size = lane(0);
    group_for_range(i, 0, n) {
      global_const scalar* p = given + COLUMNS * (offset)order[i];
      const scalar x = p[0] - cx, y = ratio * (p[1] - cy);
      size += sqrt(x * x + y * y) / (scalar)n;
    }
    const scalar mean = group_sum(size);
    info->centre[3] = mean > 0 && mean - mean == 0 ? mean : 1;
  }
}

// Returns the probability that an outlier is an inlier of a wrong model, from the image in which
// the points cover the smaller area. kept [n]: the original indices of the points in ascending
// order, which is faster to read.
group_fn scalar chance_of(GROUP_PARAM global_const scalar* given, index n, global_const int* kept,
                          scalar threshold) {
  enum { ENDS = TWO_VIEWS ? 4 : 2 };
  scalar low[ENDS], high[ENDS];
  for (index c = 0; c < ENDS; ++c) {
    low[c] = (scalar)1e308;
    high[c] = (scalar)-1e308;
  }
  for (index from = (index)group_member(); from < n; from += POINTS_AT_ONCE * group_width) {
    scalar p[POINTS_AT_ONCE][ENDS];
    lane_unroll for (index u = 0; u < POINTS_AT_ONCE; ++u) {
      const index i = from + u * group_width;
      global_const scalar* point = given + COLUMNS * (offset)kept[i < n ? i : from];
      for (index c = 0; c < ENDS; ++c) p[u][c] = point[c];
    }
    lane_unroll for (index u = 0; u < POINTS_AT_ONCE; ++u) {
      for (index c = 0; c < ENDS; ++c) {
        low[c] = p[u][c] < low[c] ? p[u][c] : low[c];
        high[c] = p[u][c] > high[c] ? p[u][c] : high[c];
      }
    }
  }
  for (index c = 0; c < ENDS; ++c) {
    high[c] = group_max(high[c]);
    low[c] = -group_max(-low[c]);
  }
  scalar w = high[0] - low[0], h = high[1] - low[1];
  if_constant(TWO_VIEWS) {
    const scalar w2 = high[2] - low[2], h2 = high[3] - low[3];
    const index second = w2 * h2 < w * h;
    w = second ? w2 : w;
    h = second ? h2 : h;
  }
  return chance_in_box(w, h, threshold);
}

// Computes the columns of the point order[k], NaN for k >= n; n > 0. camera [CAMERA_NUMBERS]; info:
// its coordinate frame.
group_fn void columns_of_point(global_const scalar* given, global_const int* order, index k,
                               index n, const scalar* camera, const pair_info* info,
                               scalar* columns) {
  scalar point[COLUMNS];
  global_const scalar* own = given + COLUMNS * (offset)order[k < n ? k : 0];
  for (index c = 0; c < COLUMNS; ++c) point[c] = own[c];
  point_columns(point, camera, info, columns);
  for (index c = 0; c < COLUMNS; ++c) columns[c] = k < n ? columns[c] : lane_nan();
}

struct prepare_options {
  scalar threshold;  // px
  bits32 seed0, seed1;
  index first_round;    // samples of the first round
  scalar log10_alarms;  // level of the significance test
};

// Writes the points [COLUMNS][stride] of a pair in double and in float, NaN from n on. camera
// [CAMERA_NUMBERS]; info: its coordinate frame.
group_fn void write_columns(GROUP_PARAM const struct given_pair* given, const struct pair_arrays* a,
                            index n, const scalar* camera, const pair_info* info) {
  const index stride = a->stride;
  for (index from = (index)group_member(); from < stride; from += POINTS_AT_ONCE * group_width) {
    scalar columns[POINTS_AT_ONCE][COLUMNS];
    lane_unroll for (index u = 0; u < POINTS_AT_ONCE; ++u) {
      columns_of_point(given->points, a->order, from + u * group_width, n, camera, info,
                       columns[u]);
    }
    lane_unroll for (index u = 0; u < POINTS_AT_ONCE; ++u) {
      const index k = from + u * group_width;
      for (index c = 0; c < COLUMNS && k < stride; ++c) {
        a->points[c * stride + k] = columns[u][c];
        a->float_points[c * stride + k] = (float)columns[u][c];
      }
    }
  }
}

// Sets info and the points of a pair; n points take part, in the order a->order.
group_fn void prepare_points(GROUP_PARAM const struct given_pair* given,
                             const struct prepare_options* options, const struct pair_arrays* a,
                             index n, local_ptr scalar* shared) {
  scalar camera[CAMERA_NUMBERS];
  pair_info own = zeros;
  prepare_priors(GROUP_ARG given, a, n, &own, shared);
  for (index i = 0; i < CAMERA_NUMBERS; ++i) camera[i] = given->cameras[i];
  if_constant(TWO_VIEWS)
      set_image_frame(GROUP_ARG given->points, n, a->order, given->cameras, &own, shared);
  if_constant(!TWO_VIEWS)
      set_scene_frame(GROUP_ARG given->points, n, a->order, given->cameras, &own);
  const scalar length = own.length, threshold = options->threshold;
  if (!(length > 0) || length - length != 0) own.length = 1;
  own.unit = camera_info(camera, own.length, threshold, &own);
  own.threshold = own.unit * own.unit / (threshold * threshold);
  own.chance = chance_of(GROUP_ARG given->points, n, a->kept, threshold);
  own.log10_alarms = options->log10_alarms;
  if (group_leads()) *a->info = own;
  group_barrier();
  write_columns(GROUP_ARG given, a, n, camera, &own);
}

// Prepares a pair: fills its arrays, sets all inlier flags to 0 and initialises its state. shared
// [PREPARE_SHARED]: scratch memory.
group_fn void pair_prepare(GROUP_PARAM const struct given_pair* given,
                           const struct prepare_options* options, const struct pair_arrays* a,
                           local_ptr scalar* shared) {
  const index n = keep_points(GROUP_ARG given, 0, a->kept, shared);
  index zero_weight = 0;
  if (can_exclude_points(given))
    zero_weight = keep_points(GROUP_ARG given, 1, a->order + n, shared);
  group_for_range(i, 0, n) a->order[i] = a->kept[shuffled(i, n, options->seed0, options->seed1)];
  group_for_range(j, 0, given->count) a->inliers[j] = 0;
  group_barrier();
  if (n >= SAMPLE_SIZE) prepare_points(GROUP_ARG given, options, a, n, shared);
  if (!group_leads()) return;
  const ransac_state nothing = zeros;
  const pair_work begun = {n, zero_weight, 0, n < SAMPLE_SIZE ? 0 : options->first_round, 0, 0};
  *a->state = nothing;
  *a->work = begun;
}
