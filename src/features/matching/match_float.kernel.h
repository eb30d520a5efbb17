// SPDX-License-Identifier: BSD-3-Clause
// Nearest neighbours of float descriptors. Sums follow the order of a descriptor's elements, as on
// a CPU.

// Loads elements [from, from + FLOAT_STEP) of descriptors [at, at + FLOAT_TILE), and zeros beyond
// their ends.
group_fn void match_float_load(global_const float* descriptors, index at, index count, index from,
                               index size, local_ptr float* tile) {
  for (index e = (index)block_member(); e < FLOAT_TILE * FLOAT_STEP; e += FLOAT_THREADS) {
    const index i = e / FLOAT_STEP, k = e % FLOAT_STEP;
    tile[k * FLOAT_PITCH + i] =
        at + i < count && from + k < size ? descriptors[(offset)(at + i) * size + from + k] : 0;
  }
}

group_kernel(match_float_rows, group, MATCH_FLOAT_ROWS) {
  const index i0 = group * FLOAT_TILE, member = (index)block_member();
  const index x = member % FLOAT_SIDE, y = member / FLOAT_SIDE;
  float best[4], other[4];
  index place[4];
  lane_unroll for (index r = 0; r < 4; ++r) {
    best[r] = INFINITY, other[r] = INFINITY, place[r] = -1;
  }
  for (index j0 = 0; j0 < column_count; j0 += FLOAT_TILE) {
    float sum[16];
    lane_unroll for (index e = 0; e < 16; ++e) sum[e] = 0;
    for (index from = 0; from < size; from += FLOAT_STEP) {
      group_barrier();
      match_float_load(rows, i0, row_count, from, size, tile1);
      match_float_load(columns, j0, column_count, from, size, tile2);
      group_barrier();
      for (index k = 0; k < FLOAT_STEP; ++k) {
        float a[4], b[4];
        lane_unroll for (index e = 0; e < 4; ++e) {
          a[e] = tile1[k * FLOAT_PITCH + y + FLOAT_SIDE * e];
          b[e] = tile2[k * FLOAT_PITCH + x + FLOAT_SIDE * e];
        }
        lane_unroll for (index e = 0; e < 16; ++e) sum[e] += a[e / 4] * b[e % 4];
      }
    }
    lane_unroll for (index e = 0; e < 16; ++e) {
      const index i = i0 + y + FLOAT_SIDE * (e / 4), j = j0 + x + FLOAT_SIDE * (e % 4);
      if (i < row_count && j < column_count) {
        const float distance = fmax(row_squares[i] + column_squares[j] - 2 * sum[e], 0.0f);
        const index r = e / 4;
        const bool is_less = distance < best[r];
        other[r] = fmin(other[r], is_less ? best[r] : distance);
        place[r] = is_less ? j : place[r];
        best[r] = is_less ? distance : best[r];
      }
    }
  }
  lane_unroll for (index r = 0; r < 4; ++r) {
    const index at = (y + FLOAT_SIDE * r) * (FLOAT_SIDE + 1) + x;
    bests[at] = best[r], others[at] = other[r], places[at] = place[r];
  }
  group_barrier();
  if (member < FLOAT_TILE && i0 + member < row_count) {
    float least = INFINITY, second = INFINITY;
    index nearest_place = -1;
    for (index s = 0; s < FLOAT_SIDE; ++s) {
      const index at = member * (FLOAT_SIDE + 1) + s, j = places[at];
      const float distance = bests[at];
      const bool is_less = distance < least || (distance == least && j >= 0 &&
                                                (nearest_place < 0 || j < nearest_place));
      second = fmin(fmin(second, others[at]), is_less ? least : distance);
      nearest_place = is_less ? j : nearest_place;
      least = is_less ? distance : least;
    }
    distances[i0 + member] = least;
    seconds[i0 + member] = second;
    nearest[i0 + member] = nearest_place;
  }
}
