// SPDX-License-Identifier: BSD-3-Clause
// Marks and counts the inliers of a pair whose search has ended. A lane is a thread, or a group of
// one on a CPU.

// errors: squared errors of the points; order: their original indices.
group_fn void mark_inliers(GROUP_PARAM const struct pair_view* view, global_const int* order,
                           global_const scalar* errors, global_ptr bits8* inliers) {
  group_for_range(i, 0, view->n) inliers[order[i]] = errors[i] * view->threshold < 1;
}

// How many different points (rows of the columns [first, end)) there are among the inliers, or
// among all. table: room for `size` hashes, a power of two of at least 2 n; two points are taken
// for one with a probability of about n^2 / 2^32.
group_fn_apart index distinct_points(GROUP_PARAM const struct pair_view* view,
                                     global_const float* points, index first, index end,
                                     global_const scalar* errors, index is_all,
                                     global_ptr bits32* table, index size) {
  group_for_range(i, 0, size) table[i] = 0;
  group_barrier();
  real found = lane(0);
  group_for_range(k, 0, view->n) {
    if (!is_all && !(errors[k] * view->threshold < 1)) continue;
    const bits32 hash = point_hash(points, view->stride, first, end, k);
    bits32 place = hash & (bits32)(size - 1), there;
    while ((there = table_claim(table + place, hash)) != 0 && there != hash)
      place = (place + 1) & (bits32)(size - 1);
    found += there == 0 ? lane(1) : lane(0);
  }
  const scalar count = group_sum(found);
  group_barrier();
  return (index)count;
}

// Matches that share a point count once in the significance test: sets WORK_DISTINCT_INLIERS and
// WORK_DISTINCT_POINTS, in the image (or scene) that has fewer. tables [4 stride]: scratch memory.
group_fn void count_distinct(GROUP_PARAM const struct pair_view* view, global_const float* points,
                             global_const scalar* errors, index inliers, global_ptr bits32* tables,
                             global_ptr int* work) {
  index size = 64, counts[2] = {view->n, view->n};
  while (size < 2 * view->n) size *= 2;
  for (index all = 0; all < 2; ++all) {
    const index first = distinct_points(GROUP_ARG view, points, 0, 2, errors, all, tables, size);
    const index second =
        distinct_points(GROUP_ARG view, points, 2, COLUMNS, errors, all, tables, size);
    counts[all] = first < second ? first : second;
    if (counts[0] >= inliers) break;
  }
  if (!group_leads()) return;
  work[WORK_DISTINCT_INLIERS] = counts[0];
  work[WORK_DISTINCT_POINTS] = counts[1];
}

// Where the first points of a column lie: from *low to *high, but for the 5 % on each side.
enum { EXTENT_POINTS = 120, EXTENT_DROPPED = EXTENT_POINTS / 20 };
group_fn void column_extent(global_const float* x, index n, scalar* low, scalar* high) {
  scalar least[EXTENT_DROPPED + 1], most[EXTENT_DROPPED + 1];  // in order
  if (n > EXTENT_POINTS) n = EXTENT_POINTS;
  for (index k = 0; k <= EXTENT_DROPPED; ++k) {
    least[k] = scalar_huge();
    most[k] = -scalar_huge();
  }
  for (index i = 0; i < n; ++i) {
    scalar v = x[i], w = v;
    for (index k = 0; k <= EXTENT_DROPPED && v < least[EXTENT_DROPPED]; ++k) {
      const scalar kept = least[k];
      least[k] = v < kept ? v : kept;
      v = v < kept ? kept : v;
    }
    for (index k = 0; k <= EXTENT_DROPPED && w > most[EXTENT_DROPPED]; ++k) {
      const scalar kept = most[k];
      most[k] = w > kept ? w : kept;
      w = w > kept ? kept : w;
    }
  }
  *low = least[n / 20];
  *high = most[n / 20];
}

// Did the camera stand still? Then most matches from low to high (away from the border of the first
// image), right or wrong and no fewer than three, do not move. points: the columns; still: minus
// the motion of none.
group_fn index camera_stood_still(GROUP_PARAM const struct pair_view* view,
                                  global_const float* points, const scalar* low, const scalar* high,
                                  const scalar* still) {
  const offset stride = view->stride;
  real inside = lane(0), unmoved = lane(0);
  group_for_range(i, 0, view->n) {
    const scalar x = points[i], y = points[stride + i];
    const scalar dx = points[2 * stride + i] - x + still[0];
    const scalar dy = points[3 * stride + i] - y + still[1];
    const index is_inside = x > low[0] && x < high[0] && y > low[1] && y < high[1];
    inside += is_inside ? lane(1) : lane(0);
    unmoved += is_inside && (dx * dx + dy * dy) * view->threshold < 2 ? lane(1) : lane(0);
  }
  const scalar all = group_sum(inside), still_there = group_sum(unmoved);
  return still_there > 2 && 2 * still_there > all;
}

// Are the inliers of two images as many as they seem? Matches of one small thing agree with each
// other whatever the model, and marks of the camera (borders of undistorted pictures, watermarks,
// times) with no motion. So matches nearer to each other than two thresholds in both images count
// once; of those nearer than a twelfth of the points' extent no more than three count, or a 32nd of
// all where that is more; and matches that do not move count only away from the border, a tenth of
// the extent, unless the camera stood still. Counts until `least` or MOST_PLACES are found; if
// there are fewer, the others are taken from WORK_DISTINCT_INLIERS and WORK_DISTINCT_POINTS. places
// [stride], shared [SHARED_SIZE]: scratch memory.
enum { MOST_PLACES = 128 };
group_fn void count_places(GROUP_PARAM const struct pair_view* view, global_const float* points,
                           global_const scalar* errors, global_const scalar* info, scalar least,
                           global_ptr bits32* places, local_ptr scalar* shared,
                           global_ptr int* work) {
  const index all = work[WORK_DISTINCT_INLIERS], crowd = all / 32 > 3 ? all / 32 : 3;
  global_const float* x[4];
  scalar low[4], high[4], still[2], size2[2];
  for (index c = 0; c < 4; ++c) x[c] = points + c * view->stride;
  group_for_range(c, 0, 4) column_extent(x[c], view->n, &low[c], &high[c]);
  group_for_range(c, 0, 4) {
    shared[c] = low[c];
    shared[4 + c] = high[c];
  }
  group_barrier();
  for (index c = 0; c < 4; ++c) {
    low[c] = shared[c];
    high[c] = shared[4 + c];
  }
  for (index c = 0; c < 2; ++c) {
    const scalar size = high[2 * c] - low[2 * c] + high[2 * c + 1] - low[2 * c + 1];
    size2[c] = size * size / (24 * 24);
    still[c] = (info[INFO_CENTRE + 2 + c] - info[INFO_CENTRE + c]) / info[INFO_LENGTH];
    const scalar border = (scalar)0.1 * (high[c] - low[c]);
    low[c] += border;
    high[c] -= border;
  }
  const scalar near2 = 4 / view->threshold;
  index count = 0, stood_still = -1;  // not known yet
  for (index i = 0; i < view->n && count < MOST_PLACES && !((scalar)count >= least && count > 0);
       ++i) {
    if (!(errors[i] * view->threshold < 1)) continue;
    const scalar p[4] = {x[0][i], x[1][i], x[2][i], x[3][i]};
    const scalar dx = p[2] - p[0] + still[0], dy = p[3] - p[1] + still[1];
    const index inside = p[0] > low[0] && p[0] < high[0] && p[1] > low[1] && p[1] < high[1];
    if (!inside && (dx * dx + dy * dy) * view->threshold < 2) {
      if (stood_still < 0) stood_still = camera_stood_still(GROUP_ARG view, x[0], low, high, still);
      if (!stood_still) continue;
    }
    index close = 0;
    group_for_range(k, 0, count) {
      const index j = (index)places[k];
      const scalar a = p[0] - x[0][j], b = p[1] - x[1][j], c = p[2] - x[2][j], d = p[3] - x[3][j];
      const scalar first = a * a + b * b, second = c * c + d * d;
      if (first < near2 && second < near2) close = crowd;
      close += first < size2[0] && second < size2[1];
      if (close >= crowd) break;
    }
    const index is_place = group_sum((real)close) < (scalar)crowd;
    if (is_place && group_leads()) places[count] = (bits32)i;
    group_barrier();
    count += is_place;
  }
  if (count >= all || count == MOST_PLACES || ((scalar)count >= least && count > 0)) return;
  if (!group_leads()) return;
  work[WORK_DISTINCT_INLIERS] = count;
  work[WORK_DISTINCT_POINTS] -= all - count;
}

// Sets the inlier flags of the points of weight 0. Their columns overwrite those of the others.
group_fn void mark_zero_weight(GROUP_PARAM const struct pair_view* view, index zero_weight,
                               global_const scalar* given, global_const int* order,
                               global_const scalar* cameras, global_const scalar* info,
                               global_ptr scalar* points, global_ptr scalar* errors,
                               global_ptr scalar* result, global_ptr bits8* inliers) {
  const index stride = view->stride;
  struct pair_view own;
  scalar numbers[INFO_SIZE], camera[CAMERA_NUMBERS];
  for (index i = 0; i < INFO_SIZE; ++i) numbers[i] = info[i];
  for (index i = 0; i < CAMERA_NUMBERS; ++i) camera[i] = cameras[i];
  group_for_range(k, 0, stride) {
    scalar columns[COLUMNS];
    columns_of_point(given, order, k, zero_weight, camera, numbers, columns);
    for (index c = 0; c < COLUMNS; ++c) points[c * stride + k] = columns[c];
  }
  group_barrier();
  pair_open(points, zero_weight, stride, info, &own);
  finish_zero_weight(GROUP_ARG & own, errors, result);
  group_barrier();
  group_for_range(k, 0, zero_weight) inliers[order[k]] = errors[k] * view->threshold < 1;
}
