// SPDX-License-Identifier: BSD-3-Clause
// Distance tables on any GPU: 64 x 64 distances at a time, from tiles in local memory.

// Eight members read a descriptor, so that neighbouring members read neighbouring words.
group_kernel(match_squares, group, MATCH_SQUARES) {
  global_const image_layout* image = images + (images_begin + group / chunks);
  const index first = group % chunks * MATCH_THREADS, member = (index)block_member();
  const index count = counts[image->image], capacity = (index)image->capacity;
  const index end = count < capacity ? count : capacity;
  lane_unroll for (index step = 0; step < 8; ++step) {
    const index i = step * (MATCH_THREADS / 8) + member / 8;
    bits32 sum = 0;
    if (first + i < end) {
      lane_unroll for (index k = 0; k < MATCH_WORDS / 8; ++k) {
        const bits32 word =
            descriptors[(image->begin + first + i) * MATCH_WORDS + 8 * k + member % 8];
        sum = bytes_dot(word, word, sum);
      }
    }
    parts[SQUARE_PARTS * i + member % 8] = sum;
  }
  group_barrier();
  bits32 sum = 0;
  for (index k = 0; k < 8; ++k) sum += parts[SQUARE_PARTS * member + k];
  if (first + member < end) squares[image->squares + first + member] = (index)sum;
}

// Loads descriptors [at, at + MATCH_TILE). Word k of descriptor i goes to [k MATCH_PITCH + i].
group_fn void match_load_tile(global_const bits32* descriptors, index at, index count,
                              local_ptr bits32* tile) {
  for (index e = (index)block_member(); e < MATCH_TILE * MATCH_WORDS; e += MATCH_THREADS) {
    const index i = e / MATCH_WORDS, k = e % MATCH_WORDS;
    tile[k * MATCH_PITCH + i] =
        at + i < count ? descriptors[(offset)(at + i) * MATCH_WORDS + k] : 0;
  }
}

// Best and second best over `MATCH_SIDE` threads, as distance << 6 | position in the tile.
typedef struct {
  int best, other;
} match_two;
group_fn match_two match_two_of(local_ptr const int* bests, local_ptr const int* others) {
  match_two two;
  two.best = MATCH_NO_BEST, two.other = MATCH_NO_BEST;
  for (index s = 0; s < MATCH_SIDE; ++s) {
    const int best = bests[s], other = others[s];
    const int loser = best < two.best ? two.best : best;
    two.best = best < two.best ? best : two.best;
    two.other = loser < two.other ? loser : two.other;
    two.other = other < two.other ? other : two.other;
  }
  return two;
}

// Computes the products of rows y, y + 16, ... with columns x, x + 16, ...
group_fn void match_products(local_ptr const bits32* tile1, local_ptr const bits32* tile2, index x,
                             index y, bits32* dot) {
  lane_unroll for (index e = 0; e < 16; ++e) dot[e] = 0;
  for (index k = 0; k < MATCH_WORDS; ++k) {
    bits32 a[4], b[4];
    lane_unroll for (index e = 0; e < 4; ++e) {
      a[e] = tile1[k * MATCH_PITCH + y + MATCH_SIDE * e];
      b[e] = tile2[k * MATCH_PITCH + x + MATCH_SIDE * e];
    }
    lane_unroll for (index e = 0; e < 16; ++e) dot[e] = bytes_dot(a[e / 4], b[e % 4], dot[e]);
  }
}

// Returns which of the thread's 16 cells fit the guide: bit 4 r + c for row y + 16 r and column x +
// 16 c.
group_fn bits32 match_fits(global_const guide_model* guide, global_const keypoint* points1,
                           index rows, global_const keypoint* points2, index columns, index x,
                           index y) {
  real model[9];
  lane_unroll for (index e = 0; e < 9; ++e) model[e] = guide->model[e];
  const real limit = guide->limit;
  const bool is_epipolar = guide->is_homography == 0;
  bits32 fits = 0;
  lane_keep_loop for (index cell = 0; cell < 16; ++cell) {
    const index i = y + MATCH_SIDE * (cell / 4), j = x + MATCH_SIDE * (cell % 4);
    if (i < rows && j < columns) {
      global_const keypoint* a = points1 + i;
      global_const keypoint* b = points2 + j;
      const bool is_within = is_epipolar ? sampson_within(model, a->x, a->y, b->x, b->y, limit)
                                         : transfer_within(model, a->x, a->y, b->x, b->y, limit);
      fits |= (is_within ? 1u : 0u) << cell;
    }
  }
  return fits;
}

// Squared norms of the `count` descriptors along one side of a tile.
typedef struct {
  global_const int* squares;
  index count;
} match_side;
group_fn match_side match_side_of(global_const int* squares, index count) {
  match_side side;
  side.squares = squares;
  side.count = count;
  return side;
}
// Best and second best of every thread for its part of each row and column of a tile.
typedef struct {
  local_ptr int *row_bests, *row_others, *column_bests, *column_others;
} match_parts;

// Writes the best and second best of this thread, for match_two_of. Only cells that fit count.
group_fn void match_bests(const bits32* dot, bits32 fits, index x, index y, const match_side rows,
                          const match_side columns, const match_parts parts) {
  int best2[4], other2[4], square2[4];
  lane_unroll for (index c = 0; c < 4; ++c) {
    const index j = x + MATCH_SIDE * c;
    square2[c] = j < columns.count ? columns.squares[j] : -1;
    best2[c] = MATCH_NO_BEST, other2[c] = MATCH_NO_BEST;
  }
  lane_unroll for (index r = 0; r < 4; ++r) {
    const index i = y + MATCH_SIDE * r;
    const int square1 = i < rows.count ? rows.squares[i] : -1;
    int best1 = MATCH_NO_BEST, other1 = MATCH_NO_BEST;
    lane_unroll for (index c = 0; c < 4; ++c) {
      const bool exists = square1 >= 0 && square2[c] >= 0 && (fits >> (4 * r + c) & 1u) != 0;
      const int distance = square1 + square2[c] - 2 * (int)dot[4 * r + c];
      const int key1 = exists ? distance << 6 | (x + MATCH_SIDE * c) : MATCH_NO_BEST;
      const int key2 = exists ? distance << 6 | i : MATCH_NO_BEST;
      const int loser1 = key1 < best1 ? best1 : key1, loser2 = key2 < best2[c] ? best2[c] : key2;
      best1 = key1 < best1 ? key1 : best1;
      best2[c] = key2 < best2[c] ? key2 : best2[c];
      other1 = loser1 < other1 ? loser1 : other1;
      other2[c] = loser2 < other2[c] ? loser2 : other2[c];
    }
    parts.row_bests[i * (MATCH_SIDE + 1) + x] = best1;
    parts.row_others[i * (MATCH_SIDE + 1) + x] = other1;
  }
  lane_unroll for (index c = 0; c < 4; ++c) {
    const index at = (x + MATCH_SIDE * c) * (MATCH_SIDE + 1) + y;
    parts.column_bests[at] = best2[c], parts.column_others[at] = other2[c];
  }
}

// Converts a key within the tile that begins at `at` to a key of the table.
group_fn offset match_tile_key(int best, index at) {
  return best == MATCH_NO_BEST ? match_key(MATCH_NO_DISTANCE, 0)
                               : match_key(best >> 6, at + (best & 63));
}

// Merges the two best of a column, for rows from i0 on, with its result for earlier rows.
group_fn void match_keep_column(match_two two, index i0, bool is_first, global_ptr offset* key_at,
                                global_ptr int* second_at) {
  const offset key = match_tile_key(two.best, i0);
  const index other = two.other == MATCH_NO_BEST ? MATCH_NO_DISTANCE : two.other >> 6;
  const offset before = is_first ? match_key(MATCH_NO_DISTANCE, 0) : *key_at;
  if (second_at)
    *second_at = match_second(before, is_first ? MATCH_NO_DISTANCE : *second_at, key, other);
  *key_at = key < before ? key : before;
}

group_kernel(match_tiles, group, MATCH_TILES) {
  const index shares = row_shares * column_shares;
  global_const pair_layout* pair = pairs + group / shares;
  const match_share own = match_share_of(pair, counts, group % shares, row_shares, column_shares,
                                         MATCH_TILE, MATCH_TILE);
  global_const bits32* descriptors1 = descriptors + pair->rows.begin * MATCH_WORDS;
  global_const bits32* descriptors2 = descriptors + pair->columns.begin * MATCH_WORDS;
  global_const int* squares1 = squares + pair->rows.squares;
  global_const int* squares2 = squares + pair->columns.squares;
  const index member = (index)block_member(), line = member % MATCH_TILE;
  const index x = member % MATCH_SIDE, y = member / MATCH_SIDE;
  const match_parts best_parts = {row_bests, row_others, column_bests, column_others};
  for (index i0 = own.row_begin; i0 < own.row_end; i0 += MATCH_TILE) {
    match_load_tile(descriptors1, i0, own.row_end, tile1);
    offset row_key = match_key(MATCH_NO_DISTANCE, 0);
    index row_second = MATCH_NO_DISTANCE;
    for (index j0 = own.column_begin; j0 < own.column_end; j0 += MATCH_TILE) {
      match_load_tile(descriptors2, j0, own.column_end, tile2);
      group_barrier();
      bits32 dot[16], fits = 0xffffu;
      if_constant(GUIDED) fits =
          match_fits(guides + group / shares, keypoints + (pair->rows.begin + i0), own.row_end - i0,
                     keypoints + (pair->columns.begin + j0), own.column_end - j0, x, y);
      match_products(tile1, tile2, x, y, dot);
      match_bests(dot, fits, x, y, match_side_of(squares1 + i0, own.row_end - i0),
                  match_side_of(squares2 + j0, own.column_end - j0), best_parts);
      group_barrier();
      if (member < MATCH_TILE && i0 + line < own.row_end) {
        const match_two two =
            match_two_of(row_bests + line * (MATCH_SIDE + 1), row_others + line * (MATCH_SIDE + 1));
        const offset key = match_tile_key(two.best, j0);
        const index other = two.other == MATCH_NO_BEST ? MATCH_NO_DISTANCE : two.other >> 6;
        row_second = match_second(row_key, row_second, key, other);
        row_key = key < row_key ? key : row_key;
      } else if (member >= MATCH_TILE && member < 2 * MATCH_TILE && column_keys &&
                 j0 + line < own.column_end) {
        const match_two two = match_two_of(column_bests + line * (MATCH_SIDE + 1),
                                           column_others + line * (MATCH_SIDE + 1));
        const offset place = own.column_place + j0 + line;
        match_keep_column(two, i0, i0 == own.row_begin, column_keys + place,
                          column_seconds ? column_seconds + place : column_seconds);
      }
    }
    if (member < MATCH_TILE && i0 + line < own.row_end) {
      row_keys[own.row_place + i0 + line] = row_key;
      row_seconds[own.row_place + i0 + line] = row_second;
    }
    group_barrier();
  }
}
