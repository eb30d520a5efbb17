// SPDX-License-Identifier: BSD-3-Clause
// Distance tables by tensor cores. A warp keeps 64 rows in registers and compares them with tiles
// of columns in shared memory; no product is stored. For a row the key of column j is (|b_j|^2 - 2
// a b_j) << 8 | j % 256, for a column the key of row i is (|a_i|^2 - 2 a_i b) << 8 | i % 256. The
// part of the distance that is constant along the line is added at the end, so that one
// multiply-add converts a product to a key. All sums wrap; keys fit 32 bits with a sign.
//
// The order of the 128 elements of a descriptor does not matter if it is the same on both sides:
// thread t of four holds the bytes [32 t, 32 t + 32), so that it loads 16 at once.

enum {
  TENSOR_STATES = TENSOR_LINES * TENSOR_THREADS,
  TENSOR_SQUARES = TENSOR_STAGES * TENSOR_COLUMNS,
  TENSOR_THREADS_ALL = TENSOR_WARPS * TENSOR_COLUMNS,
  TENSOR_OTHERS = COLUMNS == 2 ? TENSOR_THREADS_ALL : 1
};

// Rows of which a thread holds a part: row 16 m + 8 h + lane / 4 of the warp is at [2 m + h].
struct tensor_rows {
  bits32 words[TENSOR_LINES][8];
  int squares[TENSOR_LINES];  // |a|^2 << 8 | row in the group
  int best[TENSOR_LINES];     // best keys in the current window
  int second[TENSOR_LINES];   // second best keys in all windows
};

group_fn int tensor_key(int square, int product) {
  return static_cast<int>(static_cast<bits32>(square) - (static_cast<bits32>(product) << 9));
}

group_fn index tensor_row(index line) {
  const index lane = static_cast<index>(block_member()) % 32;
  return static_cast<index>(block_member()) / 32 * 16 * TENSOR_BLOCKS + 8 * line + lane / 4;
}

group_fn void tensor_load_rows(const bits32* descriptors, const int* squares, index count,
                               tensor_rows& rows) {
  lane_unroll for (index line = 0; line < TENSOR_LINES; ++line) {
    const index i = tensor_row(line);
    const words4* row =
        reinterpret_cast<const words4*>(descriptors) + offset(i) * 8 + 2 * (block_member() % 4);
    lane_unroll for (index half = 0; half < 2; ++half) {
      words4 w = {0, 0, 0, 0};
      if (i < count) w = row[half];
      rows.words[line][4 * half] = w.x, rows.words[line][4 * half + 1] = w.y;
      rows.words[line][4 * half + 2] = w.z, rows.words[line][4 * half + 3] = w.w;
    }
    rows.squares[line] = (i < count ? squares[i] : TENSOR_NOTHING) << 8 | i;
    rows.best[line] = TENSOR_NOTHING << 8 | 255;
    rows.second[line] = TENSOR_NOTHING << 8 | 255;
  }
}

// Loads columns [at, at + TENSOR_COLUMNS) of `count` into a stage.
group_fn void tensor_load_columns(const bits32* descriptors, index at, index count, words4* stage) {
  const words4* from = reinterpret_cast<const words4*>(descriptors) + offset(at) * 8;
  lane_unroll for (index e = 0; e < 8; ++e) {
    const index place = e * TENSOR_THREADS + static_cast<index>(block_member());
    const bool exists = at + place / 8 < count;
    tensor_copy(stage + place / 8 * TENSOR_PITCH + place % 8, exists ? from + place : from, exists);
  }
}

// Compares the eight columns of a stage from `first` on with the thread's rows. Updates the best
// keys of the rows, and writes the best keys of columns 2 t and 2 t + 1 to `bests` and `others`.
group_fn void tensor_compare(const words4* stage, const int* square_keys, index first,
                             tensor_rows& rows, int* bests, int* others) {
  const index lane = static_cast<index>(block_member()) % 32;
  const words4* column = stage + (first + lane / 4) * TENSOR_PITCH + 2 * (lane % 4);
  const words4 low = *column, high = *(column + 1);
  const bits32 b[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
  const int square0 = square_keys[first + 2 * (lane % 4)];
  const int square1 = square_keys[first + 2 * (lane % 4) + 1];
  int keys[2][TENSOR_LINES];
  // The four blocks alternate, because a sum waits for its preceding step.
  int products[TENSOR_BLOCKS][4];
  lane_unroll for (index m = 0; m < TENSOR_BLOCKS; ++m) {
    lane_unroll for (index e = 0; e < 4; ++e) products[m][e] = 0;
  }
  lane_unroll for (index s = 0; s < 8; s += 2) {
    lane_unroll for (index m = 0; m < TENSOR_BLOCKS; ++m) {
      const bits32 *a = rows.words[2 * m], *below = rows.words[2 * m + 1];
      tensor_multiply(a[s], below[s], a[s + 1], below[s + 1], b[s], b[s + 1], products[m]);
    }
  }
  lane_unroll for (index m = 0; m < TENSOR_BLOCKS; ++m) {
    const int* product = products[m];
    lane_unroll for (index h = 0; h < 2; ++h) {
      const index line = 2 * m + h;
      const int key0 = tensor_key(square0, product[2 * h]);
      const int key1 = tensor_key(square1, product[2 * h + 1]);
      const int least = min(key0, key1);
      rows.second[line] =
          tensor_min3(rows.second[line], max(key0, key1), max(rows.best[line], least));
      rows.best[line] = min(rows.best[line], least);
      keys[0][line] = tensor_key(rows.squares[line], product[2 * h]);
      keys[1][line] = tensor_key(rows.squares[line], product[2 * h + 1]);
    }
  }
  if constexpr (COLUMNS > 0) {
    lane_unroll for (index c = 0; c < 2; ++c) {
      int best = keys[c][0], other = TENSOR_NOTHING << 8 | 255;
      if constexpr (COLUMNS == 2) {
        lane_unroll for (index line = 1; line < TENSOR_LINES; ++line) {
          other = min(other, max(best, keys[c][line]));
          best = min(best, keys[c][line]);
        }
      } else {
        lane_unroll for (index line = 1; line + 1 < TENSOR_LINES; line += 2) {
          best = tensor_min3(best, keys[c][line], keys[c][line + 1]);
        }
        best = min(best, keys[c][TENSOR_LINES - 1]);
      }
      bests[c] = best, others[c] = other;
    }
  }
}

// Reduces eight keys of each thread over the eight threads with the same lane % 4: thread 4 e +
// lane % 4 gets the minimum of element e.
group_fn void tensor_reduce(int* bests, int* others) {
  const index lane = static_cast<index>(block_member()) % 32;
  lane_unroll for (index half = 4; half > 0; half /= 2) {
    const bool is_upper = (lane & (4 * half)) != 0;
    lane_unroll for (index k = 0; k < half; ++k) {
      const int kept = is_upper ? bests[k + half] : bests[k];
      const int got = tensor_exchange(is_upper ? bests[k] : bests[k + half], 4 * half);
      bests[k] = min(kept, got);
      if constexpr (COLUMNS == 2) {
        const int other = is_upper ? others[k + half] : others[k];
        const int sent = is_upper ? others[k] : others[k + half];
        others[k] = tensor_min3(other, tensor_exchange(sent, 4 * half), max(kept, got));
      }
    }
  }
}

// Processes a tile of columns. Writes the results of its columns for the warp's rows
// to `column_bests`.
group_fn void tensor_tile(const words4* stage, const int* square_keys, tensor_rows& rows,
                          int* column_bests, int* column_others) {
  const index lane = static_cast<index>(block_member()) % 32;
  const index warp = static_cast<index>(block_member()) / 32;
  lane_keep_loop for (index first = 0; first < TENSOR_COLUMNS; first += 32) {
    int bests[8], others[8];
    lane_unroll for (index n = 0; n < 4; ++n) {
      tensor_compare(stage, square_keys, first + 8 * n, rows, bests + 2 * n, others + 2 * n);
    }
    if constexpr (COLUMNS > 0) {
      tensor_reduce(bests, others);
      const index e = lane / 4;
      const index at = warp * TENSOR_COLUMNS + first + e / 2 * 8 + 2 * (lane % 4) + e % 2;
      column_bests[at] = bests[0];
      if constexpr (COLUMNS == 2) column_others[at] = others[0];
    }
  }
}

// Merges the nearest of column `line` of the tile among the group's rows with its result for
// earlier rows.
group_fn void tensor_keep_column(index line, index i0, int square_key, const match_nearest before,
                                 const int* bests, const int* others, offset* key_at,
                                 int* second_at) {
  int best = bests[line], other = COLUMNS == 2 ? others[line] : 0;
  lane_unroll for (index w = 1; w < TENSOR_WARPS; ++w) {
    const int key = bests[w * TENSOR_COLUMNS + line];
    if constexpr (COLUMNS == 2)
      other = tensor_min3(other, others[w * TENSOR_COLUMNS + line], max(best, key));
    best = min(best, key);
  }
  const int square = square_key >> 8;
  const offset key = match_key((best >> 8) + square, i0 + (best & 255));
  if constexpr (COLUMNS == 2) {
    const index second = other >> 8 == TENSOR_NOTHING ? MATCH_NO_DISTANCE : (other >> 8) + square;
    *second_at = match_second(before.key, before.second, key, second);
  }
  *key_at = key < before.key ? key : before.key;
}

// Ends a window of columns: merges the best key of each row in this window with its result in
// earlier windows.
group_fn void tensor_end_window(index begin, tensor_rows& rows, int* keys, int* begins) {
  lane_unroll for (index line = 0; line < TENSOR_LINES; ++line) {
    const index at = line * TENSOR_THREADS + static_cast<index>(block_member());
    const int before = keys[at];
    rows.second[line] = min(rows.second[line], max(before, rows.best[line]));
    if (rows.best[line] >> 8 < before >> 8) {
      keys[at] = rows.best[line];
      begins[at] = begin;
    }
    rows.best[line] = TENSOR_NOTHING << 8 | 255;
  }
}

// Writes the nearest and second nearest of the rows, merged over the four threads that share a row.
group_fn void tensor_keep_rows(const tensor_rows& rows, index count, const int* keys,
                               const int* begins, offset* row_keys, int* row_seconds) {
  lane_unroll for (index line = 0; line < TENSOR_LINES; ++line) {
    const index at = line * TENSOR_THREADS + static_cast<index>(block_member());
    const int square = rows.squares[line] >> 8, best = keys[at], other = rows.second[line] >> 8;
    offset key = best >> 8 == TENSOR_NOTHING
                     ? match_key(MATCH_NO_DISTANCE, 0)
                     : match_key((best >> 8) + square, begins[at] + (best & 255));
    index second = other == TENSOR_NOTHING ? MATCH_NO_DISTANCE : other + square;
    lane_unroll for (index bits = 1; bits < 4; bits *= 2) {
      const offset other_key = tensor_exchange(key, bits);
      second = match_second(key, second, other_key, tensor_exchange(second, bits));
      key = other_key < key ? other_key : key;
    }
    const index i = tensor_row(line);
    if (block_member() % 4 == 0 && i < count) row_keys[i] = key, row_seconds[i] = second;
  }
}

// Returns the key of column j0 + line of a share: its square, and its position in the window.
group_fn int tensor_square_key(const int* squares, index column, index begin, index end) {
  const int square = column < end ? squares[column] : TENSOR_NOTHING;
  return square << 8 | ((column - begin) & (TENSOR_WINDOW - 1));
}

group_kernel(match_tensor_tiles, group, MATCH_TENSOR_TILES) {
  const index shares = row_shares * column_shares;
  const pair_layout* pair = pairs + group / shares;
  const match_share own = match_share_of(pair, counts, group % shares, row_shares, column_shares,
                                         TENSOR_ROWS, TENSOR_COLUMNS);
  if (own.row_begin == own.row_end || own.column_begin == own.column_end) return;
  const bits32* descriptors1 = descriptors + pair->rows.begin * MATCH_WORDS;
  const bits32* descriptors2 = descriptors + pair->columns.begin * MATCH_WORDS;
  const int* squares1 = squares + pair->rows.squares;
  const int* squares2 = squares + pair->columns.squares;
  const index line = static_cast<index>(block_member());
  tensor_rows rows;
  for (index i0 = own.row_begin; i0 < own.row_end; i0 += TENSOR_ROWS) {
    tensor_load_rows(descriptors1 + offset(i0) * MATCH_WORDS, squares1 + i0, own.row_end - i0,
                     rows);
    lane_unroll for (index k = 0; k < TENSOR_LINES; ++k) {
      window_keys[k * TENSOR_THREADS + line] = TENSOR_NOTHING << 8 | 255;
    }
    tensor_load_columns(descriptors2, own.column_begin, own.column_end, stages);
    column_squares[line] =
        tensor_square_key(squares2, own.column_begin + line, own.column_begin, own.column_end);
    index stage = 0;
    for (index j0 = own.column_begin; j0 < own.column_end; j0 += TENSOR_COLUMNS) {
      const index after = j0 + TENSOR_COLUMNS, next = stage ^ 1;
      words4* const tile = stages + stage * (TENSOR_PITCH * TENSOR_COLUMNS);
      tensor_copies_wait();
      group_barrier();
      int next_square = 0;
      if (after < own.column_end) {
        tensor_load_columns(descriptors2, after, own.column_end,
                            stages + next * (TENSOR_PITCH * TENSOR_COLUMNS));
        next_square = tensor_square_key(squares2, after + line, own.column_begin, own.column_end);
      }
      // Result of earlier rows for this thread's column.
      const offset place = own.column_place + j0 + line;
      const bool is_kept = COLUMNS > 0 && j0 + line < own.column_end;
      match_nearest before = {match_key(MATCH_NO_DISTANCE, 0), MATCH_NO_DISTANCE};
      if (is_kept && i0 != own.row_begin) {
        before.key = column_keys[place];
        if constexpr (COLUMNS == 2) before.second = column_seconds[place];
      }
      tensor_tile(tile, column_squares + stage * TENSOR_COLUMNS, rows, column_bests, column_others);
      column_squares[next * TENSOR_COLUMNS + line] = next_square;
      const index in_share = after - own.column_begin;
      if (in_share % TENSOR_WINDOW == 0 || after >= own.column_end)
        tensor_end_window(own.column_begin + (in_share - 1) / TENSOR_WINDOW * TENSOR_WINDOW, rows,
                          window_keys, window_begins);
      group_barrier();
      if (is_kept)
        tensor_keep_column(line, i0, column_squares[stage * TENSOR_COLUMNS + line], before,
                           column_bests, column_others, column_keys + place,
                           column_seconds + place);
      stage = next;
    }
    tensor_keep_rows(rows, own.row_end - i0, window_keys, window_begins,
                     row_keys + own.row_place + i0, row_seconds + own.row_place + i0);
    group_barrier();
  }
}
