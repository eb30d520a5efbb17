// SPDX-License-Identifier: BSD-3-Clause
// Marks and counts the inliers of a pair after RANSAC. A lane is a thread, or on a CPU a group
// of one member.

// errors: squared errors of the points; order: their original indices.
group_fn void mark_inliers(GROUP_PARAM const struct pair_view* view, global_const int* order,
                           global_const scalar* errors, global_ptr bits8* inliers) {
  for (index from = (index)group_member(); from < view->n; from += POINTS_AT_ONCE * group_width) {
    index place[POINTS_AT_ONCE], is_inlier[POINTS_AT_ONCE];
    lane_unroll for (index u = 0; u < POINTS_AT_ONCE; ++u) {
      const index i = from + u * group_width, k = i < view->n ? i : from;
      place[u] = order[k];
      is_inlier[u] = errors[k] * view->threshold < 1;
    }
    lane_unroll for (index u = 0; u < POINTS_AT_ONCE; ++u) {
      if (from + u * group_width < view->n) inliers[place[u]] = (bits8)is_inlier[u];
    }
  }
}

// Counts the distinct points of each image (or of image and scene) among the inliers, or among all
// points, and writes them to counts [2]. tables [4 stride]: hash tables, scratch memory. Distinct
// points are mistaken for one with a total probability of about n^2 / 2^32.
group_fn_apart void distinct_points(GROUP_PARAM const struct pair_view* view,
                                    global_const float* points, global_const scalar* errors,
                                    index is_all, global_ptr bits32* tables, scalar* counts) {
  enum { AT_ONCE = 2 * POINTS_AT_ONCE };  // insertions in flight, of both images
  const index capacity = 2 * view->stride;
  index found[2] = {0, 0};
  group_for_range(i, 0, 2 * capacity) tables[i] = 0;
  group_barrier();
  for (index from = (index)group_member(); from < view->n; from += POINTS_AT_ONCE * group_width) {
    bits32 hash[AT_ONCE], waiting = 0;
    index place[AT_ONCE];
    lane_unroll for (index u = 0; u < POINTS_AT_ONCE; ++u) {
      const index i = from + u * group_width, k = i < view->n ? i : from;
      hash[2 * u] = point_hash(points, view->stride, 0, 2, k);
      hash[2 * u + 1] = point_hash(points, view->stride, 2, SEEN_COLUMNS, k);
      const index is_counted = (i < view->n) & (is_all | (errors[k] * view->threshold < 1));
      waiting |= (is_counted ? 3u : 0u) << 2 * u;
    }
    lane_unroll for (index e = 0; e < AT_ONCE; ++e) {
      place[e] = e % 2 * capacity + (index)(((offset)hash[e] * capacity) >> 32);
    }
    while (waiting) {
      bits32 previous[AT_ONCE];
      lane_unroll for (index e = 0; e < AT_ONCE; ++e) {
        previous[e] = waiting >> e & 1u ? table_claim(tables + place[e], hash[e]) : 0;
      }
      lane_unroll for (index e = 0; e < AT_ONCE; ++e) {
        const index is_waiting = (index)(waiting >> e & 1u);
        const index ends = previous[e] == 0 || previous[e] == hash[e];
        found[e % 2] += is_waiting && previous[e] == 0;
        waiting &= ends ? ~(1u << e) : ~0u;
        place[e] = place[e] + 1 < (e % 2 + 1) * capacity ? place[e] + 1 : e % 2 * capacity;
      }
    }
  }
  const real both[2] = {(real)found[0], (real)found[1]};
  group_sums(both, 2, counts);
  group_barrier();
}

// Counts matches that share a point once for the significance test. Sets the distinct inliers and
// points of `work` to the counts of the image (or scene) that has fewer. tables [4 stride]:
// scratch memory.
group_fn void count_distinct(GROUP_PARAM const struct pair_view* view, global_const float* points,
                             global_const scalar* errors, index inliers, global_ptr bits32* tables,
                             global_ptr pair_work* work) {
  index counts[2] = {view->n, view->n};
  for (index all = 0; all < 2; ++all) {
    scalar of_image[2];
    distinct_points(GROUP_ARG view, points, errors, all, tables, of_image);
    counts[all] = (index)(of_image[0] < of_image[1] ? of_image[0] : of_image[1]);
    if (counts[0] >= inliers) break;
  }
  if (!group_leads()) return;
  work->distinct_inliers = counts[0];
  work->distinct_points = counts[1];
}

// The extent of a column from `low` to `high`, over its first points without 5 % at each end.
enum { EXTENT_POINTS = 120, EXTENT_DROPPED = EXTENT_POINTS / 20 };
// Serial version for groups of one member.
group_fn void column_extent(global_const float* x, index n, local_ptr scalar* low,
                            local_ptr scalar* high) {
  scalar least[EXTENT_DROPPED + 1], most[EXTENT_DROPPED + 1];  // in order
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
// Writes x[i] to *low or *high if it has that rank, one point per member. Members with equal
// numbers write the same value.
group_fn void column_rank(global_const float* x, index n, index i, local_ptr scalar* low,
                          local_ptr scalar* high) {
  const float v = x[i];
  const index dropped = n / 20, last = n - 1 - dropped;
  index below = 0, not_above = 0;
  for (index from = 0; from < n; from += 8) {
    lane_unroll for (index u = 0; u < 8; ++u) {
      const float other = x[from + u < n ? from + u : i];
      below += other < v;
      not_above += from + u < n && other <= v;
    }
  }
  if (below <= dropped && dropped < not_above) *low = v;
  if (below <= last && last < not_above) *high = v;
}
// Writes the extents [8] of the columns of two images, the four lower ends first.
group_fn void image_extents(GROUP_PARAM const struct pair_view* view, global_const float* points,
                            local_ptr scalar* extents) {
  const index n = view->n < EXTENT_POINTS ? view->n : EXTENT_POINTS;
  if_constant(group_width == 1) {
    for (index c = 0; c < 4; ++c)
      column_extent(points + c * view->stride, n, extents + c, extents + 4 + c);
  }
  if_constant(group_width > 1) {
    group_for_range(e, 0, 4 * n)
        column_rank(points + e / n * view->stride, n, e % n, extents + e / n, extents + 4 + e / n);
  }
  group_barrier();
}

// Returns whether the camera stood still: at least three matches between low and high, i.e. away
// from the border of image 1, do not move, and these are most of the matches there, inliers or not.
// points: the columns; still: minus the displacement of a point that does not move.
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
  const scalar inside_count = group_sum(inside), unmoved_count = group_sum(unmoved);
  return unmoved_count > 2 && 2 * unmoved_count > inside_count;
}

// Counts the places of the inliers of two images, for the significance test. Matches of one small
// object support each other with any model, and overlays of the camera (borders of undistorted
// images, watermarks, time stamps) support a model without motion. Therefore:
// - Matches within two thresholds of each other in both images count once.
// - Of matches within a twelfth of the points' extent of each other, at most three count, or a 32nd
//   of all inliers if that is more.
// - Matches that do not move count only away from the border, which is a tenth of the extent,
//   unless the camera stood still.
// Counting stops at `least` or MOST_PLACES. If fewer are found, the difference is subtracted from
// the distinct inliers and points of `work`. places [stride]: scratch memory.
enum { MOST_PLACES = 128 };
group_fn void count_places(GROUP_PARAM const struct pair_view* view, global_const float* points,
                           global_const scalar* errors, global_const pair_info* info, scalar least,
                           global_ptr bits32* places, local_ptr pair_shared* shared,
                           global_ptr pair_work* work) {
  const index all = work->distinct_inliers, crowd = all / 32 > 3 ? all / 32 : 3;
  global_const float* x[4];
  scalar low[4], high[4], still[2], size2[2];
  for (index c = 0; c < 4; ++c) x[c] = points + c * view->stride;
  image_extents(GROUP_ARG view, points, shared->extents);
  for (index c = 0; c < 4; ++c) {
    low[c] = shared->extents[c];
    high[c] = shared->extents[4 + c];
  }
  for (index c = 0; c < 2; ++c) {
    const scalar size = high[2 * c] - low[2 * c] + high[2 * c + 1] - low[2 * c + 1];
    size2[c] = size * size / (24 * 24);
    still[c] = (info->centre[2 + c] - info->centre[c]) / info->length;
    const scalar border = (scalar)0.1 * (high[c] - low[c]);
    low[c] += border;
    high[c] -= border;
  }
  const scalar near2 = 4 / view->threshold;
  index count = 0, stood_still = -1;  // -1: not tested yet
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
  work->distinct_inliers = count;
  work->distinct_points -= all - count;
}

// The points of weight 0 of a pair, and the arrays of the pair that they overwrite.
struct zero_weight_points {
  index count;
  global_const scalar* given;    // the points of the pair as the caller gave them
  global_const int* order;       // [count], their indices in `given`
  global_const scalar* cameras;  // [CAMERA_NUMBERS]
  global_const pair_info* info;
  global_ptr scalar *points, *errors;  // [COLUMNS][stride] and [stride]
};

// Sets the inlier flags of the points of weight 0.
group_fn void mark_zero_weight(GROUP_PARAM const struct pair_view* view,
                               const struct zero_weight_points* p, global_ptr ransac_result* result,
                               global_ptr bits8* inliers) {
  const index stride = view->stride;
  struct pair_view own;
  const pair_info numbers = *p->info;
  scalar camera[CAMERA_NUMBERS];
  for (index i = 0; i < CAMERA_NUMBERS; ++i) camera[i] = p->cameras[i];
  group_for_range(k, 0, stride) {
    scalar columns[COLUMNS];
    columns_of_point(p->given, p->order, k, p->count, camera, &numbers, columns);
    for (index c = 0; c < COLUMNS; ++c) p->points[c * stride + k] = columns[c];
  }
  group_barrier();
  pair_open(p->points, p->count, stride, p->info, &own);
  finish_zero_weight(GROUP_ARG & own, p->errors, result);
  group_barrier();
  group_for_range(k, 0, p->count) inliers[p->order[k]] = p->errors[k] * view->threshold < 1;
}
