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
group_fn index distinct_points(GROUP_PARAM const struct pair_view* view, global_const float* points,
                               index first, index end, global_const scalar* errors, index is_all,
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
