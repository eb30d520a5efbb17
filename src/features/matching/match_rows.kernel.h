// SPDX-License-Identifier: BSD-3-Clause
// Kernels that convert nearest neighbours to lists of matches: they apply the match rule, count the
// matches before each chunk, and write the lists.

// Merges the two nearest of a row or column of the table over all shares that hold one of
// its parts.
group_fn match_nearest match_join(global_const offset* keys, global_const int* seconds,
                                  offset place, index capacity, index n, index tile, index shares) {
  enum { AT_ONCE = 8 };  // shares that are read at once
  const offset nothing = match_key(MATCH_NO_DISTANCE, 0);
  match_nearest nearest;
  nearest.key = nothing, nearest.second = MATCH_NO_DISTANCE;
  lane_keep_loop for (index first = 0; first < shares; first += AT_ONCE) {
    offset key[AT_ONCE];
    index second[AT_ONCE];
    lane_unroll for (index e = 0; e < AT_ONCE; ++e) {
      const bool exists = first + e < shares && match_share_has_tiles(n, tile, shares, first + e);
      const offset at = place + (offset)capacity * (first + e);
      key[e] = exists ? keys[at] : nothing;
      second[e] = exists && seconds ? seconds[at] : MATCH_NO_DISTANCE;
    }
    lane_unroll for (index e = 0; e < AT_ONCE; ++e) {
      nearest.second = match_second(nearest.key, nearest.second, key[e], second[e]);
      nearest.key = key[e] < nearest.key ? key[e] : nearest.key;
    }
  }
  return nearest;
}

// Returns the ratio of the nearest to the second nearest distance, like distance_ratio
// of match.hpp.
group_fn float match_ratio(index nearest, index second) {
  if (second >= MATCH_NO_DISTANCE) return 0;
  return second == 0 ? 1 : (float)sqrt((double)nearest / (double)second);
}

// Returns the sum of the values of lower members. sums[MATCH_THREADS - 1] is the total until the
// next call.
group_fn index match_sum_before(GROUP_PARAM index value, local_ptr int* sums) {
  const index member = (index)block_member();
  index sum = value;
  group_barrier();
  sums[member] = sum;
  group_barrier();
  for (index step = 1; step < MATCH_THREADS; step *= 2) {
    const index before = member >= step ? sums[member - step] : 0;
    group_barrier();
    sum += before;
    sums[member] = sum;
    group_barrier();
  }
  return sum - value;
}

group_kernel(match_rows, group, MATCH_ROWS) {
  global_const pair_layout* pair = pairs + group / chunks;
  const index rows = match_count(&pair->rows, counts);
  const index columns = match_count(&pair->columns, counts);
  const index capacity1 = (index)pair->rows.capacity, capacity2 = (index)pair->columns.capacity;
  const index i = group % chunks * MATCH_CHUNK + (index)block_member();
  bool is_kept = false;
  if (i < rows) {
    const match_nearest forward =
        match_join(row_keys, row_seconds, pair->rows.place * column_shares + i, capacity1, columns,
                   column_tile, column_shares);
    const index distance = match_key_distance(forward.key), j = match_key_place(forward.key);
    const float ratio = match_ratio(distance, forward.second);
    is_kept = distance <= max_distance && ratio < least_ratio;
    if (is_kept && (is_mutual || column_seconds)) {
      const match_nearest back =
          match_join(column_keys, column_seconds, pair->columns.place * row_shares + j, capacity2,
                     rows, row_tile, row_shares);
      if (is_mutual) is_kept = match_key_place(back.key) == i;
      if (column_seconds)
        is_kept = is_kept && match_ratio(match_key_distance(back.key), back.second) < least_ratio;
    }
    global_ptr found_match* match = found + (pair->rows.place + i);
    match->index1 = i;
    match->index2 = is_kept ? j : -1;
    match->distance = distance;
    match->ratio = ratio;
  }
  (void)match_sum_before(GROUP_ARG is_kept ? 1 : 0, sums);
  if (block_member() == 0) chunk_counts[group] = sums[MATCH_THREADS - 1];
}

group_kernel(match_offsets, group, MATCH_OFFSETS) {
  const index count = pair_count * chunks;
  offset sum_before = before;
  for (index at = 0; at < count; at += MATCH_SCAN_BLOCK) {
    const index first = at + (index)block_member() * MATCH_SCAN_EACH;
    index sum = 0;
    for (index c = first; c < first + MATCH_SCAN_EACH && c < count; ++c) sum += chunk_counts[c];
    offset begin = sum_before + match_sum_before(GROUP_ARG sum, sums);
    for (index c = first; c < first + MATCH_SCAN_EACH && c < count; ++c) {
      chunk_begins[c] = begin;
      begin += chunk_counts[c];
      if ((c + 1) % chunks == 0) offsets[(c + 1) / chunks] = begin;
    }
    sum_before += sums[MATCH_THREADS - 1];
  }
}

group_kernel(match_gather, group, MATCH_GATHER) {
  global_const pair_layout* pair = pairs + group / chunks;
  const index i = group % chunks * MATCH_CHUNK + (index)block_member();
  global_const found_match* match = found + (pair->rows.place + i);
  const bool is_kept = i < match_count(&pair->rows, counts) && match->index2 >= 0;
  // Two sums at once: the matches in this chunk, and the matches in the chunks before it.
  const index member = (index)block_member(), is_alone = chunk_begins == 0;
  const index others = is_alone && member < group ? chunk_counts[member] : 0;
  const index sum = match_sum_before(GROUP_ARG(is_kept ? 1 : 0) + others * (2 * MATCH_CHUNK), sums);
  const index all = sums[MATCH_THREADS - 1];
  const offset begin = is_alone ? before + all / (2 * MATCH_CHUNK) : chunk_begins[group];
  if (is_alone && member == 0 && (group + 1) % chunks == 0)
    offsets[(group + 1) / chunks] = begin + all % (2 * MATCH_CHUNK);
  if (is_kept) {
    const offset place = begin + sum % (2 * MATCH_CHUNK);
    matches[place] = *match;
    if (points) {
      global_const keypoint* point1 = keypoints + (pair->rows.begin + i);
      global_const keypoint* point2 = keypoints + (pair->columns.begin + match->index2);
      points[place].x1 = point1->x, points[place].y1 = point1->y;
      points[place].x2 = point2->x, points[place].y2 = point2->y;
    }
  }
}

group_kernel(match_places, group, MATCH_PLACES) {
  const offset begin = offsets[group / chunks], end = offsets[group / chunks + 1];
  const offset m = begin + (offset)(group % chunks) * MATCH_CHUNK + (offset)block_member();
  bool is_kept = m < end;
  if (is_kept) {
    const point_match own = points[m];
    const index distance = matches[m].distance;
    for (offset other = begin; other < end; ++other) {
      global_const point_match* at = points + other;
      if (at->x1 != own.x1 || at->y1 != own.y1 || at->x2 != own.x2 || at->y2 != own.y2) continue;
      const index other_distance = matches[other].distance;
      if (other_distance < distance || (other_distance == distance && other < m)) is_kept = false;
    }
    kept[m - *offsets] = is_kept ? 1 : 0;
  }
  (void)match_sum_before(GROUP_ARG is_kept ? 1 : 0, sums);
  if (block_member() == 0) chunk_counts[group] = sums[MATCH_THREADS - 1];
}

group_kernel(match_keep, group, MATCH_KEEP) {
  const offset m =
      offsets[group / chunks] + (offset)(group % chunks) * MATCH_CHUNK + (offset)block_member();
  const bool is_kept = m < offsets[group / chunks + 1] && kept[m - *offsets] != 0;
  const index before = match_sum_before(GROUP_ARG is_kept ? 1 : 0, sums);
  if (is_kept) {
    const offset place = chunk_begins[group] + before;
    kept_matches[place] = matches[m];
    kept_points[place] = points[m];
  }
}
