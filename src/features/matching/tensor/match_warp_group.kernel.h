// SPDX-License-Identifier: BSD-3-Clause
// Distance tables by products of warp groups. A block keeps a tile of columns in shared memory,
// 128 for each of its four warp groups, and streams tiles of 64 rows past them. The products of a
// tile stay in the registers of the warp group. While it selects from them, the next warp groups
// multiply in turn. Keys are as in match_tensor.kernel.h: for a row (|b_j|^2 - 2 a b_j) << 8 |
// column of the warp group, for a column (|a_i|^2 - 2 a_i b) << 8 | 2 tile + half. A thread has
// row 16 w + g of a tile in half 0, row 16 w + g + 8 in half 1, so its keys ascend with the rows.
// A feature that does not exist has products of 0 and a larger square than any other.
//
// When a warp group begins to multiply tile k, all warp groups have begun tile k - 1 and hence have
// read tile k - 2, whose stage is free for tile k + 2.

// Share of a block: rows [row_begin, row_end) in a window, columns from column_begin on.
typedef struct {
  const words4 *descriptors1, *descriptors2;
  const int *squares1, *squares2;
  index row_begin, row_end, column_begin, column_end;
  index tiles;
  bits32 tile, stages, barriers;  // addresses of shared memory
  int2* results;                  // [WARP_GROUPS][WARP_GROUP_KEPT]: best and second key of a row
  int *column_squares, *row_squares;
  offset* row_keys;  // results of the first row of the window, and of column_begin
  int* row_seconds;
  offset* column_keys;
  int* column_seconds;
  bool is_first_tile, is_first_window;  // there are no earlier results for the rows, the columns
} warp_group_share;

// Keys of the columns of which a thread holds a part: columns 8 j + 2 t and 8 j + 2 t + 1 of the
// warp group are at [2 j] and [2 j + 1].
typedef struct {
  int best[WARP_GROUP_HELD], second[COLUMNS == 2 ? WARP_GROUP_HELD : 1];
} warp_group_columns;

// Keys of rows g and g + 8 of the warp in a tile.
typedef struct {
  int best[2], second[2];
} warp_group_rows;

enum { WARP_GROUP_NO_KEY = WARP_GROUP_NOTHING << 8 | 255 };

group_fn index warp_group_lane() { return static_cast<index>(block_member()) % 32; }
group_fn index warp_group_warp() { return static_cast<index>(block_member()) / 32 % 4; }

group_fn int warp_group_key(int square, int product) {
  return static_cast<int>(static_cast<bits32>(square) - (static_cast<bits32>(product) << 9));
}

// Position of the square of column `line` of the block: a thread reads four squares at once, and
// the four threads of a row read from different banks.
group_fn index warp_group_column_at(index line) {
  const index column = line % WARP_GROUP_WIDTH;
  return (line / WARP_GROUP_WIDTH * 4 + column % 8 / 2) * WARP_GROUP_PITCH + column / 8 * 2 +
         column % 2;
}
// Position of the square of a row: rows g and g + 8 of a warp are neighbours.
group_fn index warp_group_row_at(index row) {
  return (row & ~15) | (row & 7) << 1 | (row >> 3 & 1);
}

// Loads the block's columns and their squares. Ends with copies under way.
group_fn void warp_group_load_columns(const warp_group_share& own) {
  const index member = static_cast<index>(block_member()), word = member % 8;
  for (index line = member / 8; line < WARP_GROUP_COLUMNS; line += WARP_GROUP_THREADS / 8) {
    const index j = own.column_begin + line;
    const bool exists = j < own.column_end;
    warp_group_copy(own.tile + static_cast<bits32>(line * 128 + (word ^ line % 8) * 16),
                    own.descriptors2 + (exists ? offset(j) * 8 + word : 0), exists);
  }
  const index j = own.column_begin + member;
  own.column_squares[warp_group_column_at(member)] =
      (j < own.column_end ? own.squares2[j] : WARP_GROUP_NOTHING) << 8 | member % WARP_GROUP_WIDTH;
}

// Loads the squares of the window's rows, as keys of a product of 0.
group_fn void warp_group_load_squares(const warp_group_share& own) {
  for (index r = static_cast<index>(block_member()); r < own.tiles * WARP_GROUP_ROWS;
       r += WARP_GROUP_THREADS) {
    const index i = own.row_begin + r;
    own.row_squares[warp_group_row_at(r)] = (i < own.row_end ? own.squares1[i] : WARP_GROUP_NOTHING)
                                                << 8 |
                                            (r / WARP_GROUP_ROWS * 2 + (r >> 3 & 1));
  }
}

// Copies the thread's 16 bytes of a tile of rows to its stage.
group_fn void warp_group_load_tile(const warp_group_share& own, index k) {
  const index member = static_cast<index>(block_member()), row = member / 8, word = member % 8;
  const index i = own.row_begin + k * WARP_GROUP_ROWS + row;
  const bool exists = i < own.row_end;
  const bits32 to =
      own.stages + static_cast<bits32>(k % WARP_GROUP_STAGES) * WARP_GROUP_STAGE_BYTES;
  warp_group_copy(to + static_cast<bits32>(row * 128 + (word ^ row % 8) * 16),
                  own.descriptors1 + (exists ? offset(i) * 8 + word : 0), exists);
}
// Waits for this warp's copies of tile k and announces them to all warps.
group_fn void warp_group_publish(const warp_group_share& own, index k) {
  warp_group_copies_wait();
  warp_group_join();
  if (warp_group_lane() == 0)
    phase_arrive(own.barriers + 8 * static_cast<bits32>(k % WARP_GROUP_STAGES));
}

// Multiplies tile k by the columns of the warp group, in its turn. Ends with products under way.
group_fn void warp_group_multiply(const warp_group_share& own, index warp_group, index k,
                                  int (&products)[64]) {
  const index stage = k % WARP_GROUP_STAGES;
  const bits32 a = product_operand(own.stages) +
                   static_cast<bits32>(stage) * (WARP_GROUP_STAGE_BYTES / 16),
               b = product_operand(own.tile +
                                   static_cast<bits32>(warp_group) * (128 * WARP_GROUP_WIDTH));
  phase_wait(own.barriers + 8 * static_cast<bits32>(stage), k / WARP_GROUP_STAGES & 1);
  turn_wait(warp_group);
  product_touch(products);
  products_order();
  lane_unroll for (index s = 0; s < 4; ++s) product_begin(a + 2 * s, b + 2 * s, s, products);
  products_commit();
  turn_pass(warp_group);
}

// Updates the two best keys of a row by two further keys.
group_fn void warp_group_add(int key0, int key1, int* best, int* second) {
  const int least = min(key0, key1);
  *second = warp_group_min3(*second, max(key0, key1), max(*best, least));
  *best = min(*best, least);
}

// Updates the keys of the thread's rows and columns by the products of a tile.
group_fn void warp_group_select(const int (&products)[64], const int* column_squares,
                                const int2 row_squares, warp_group_rows& rows,
                                warp_group_columns& columns) {
  lane_unroll for (index q = 0; q < WARP_GROUP_HELD; q += 4) {
    const int4 squares = *reinterpret_cast<const int4*>(column_squares + q);
    const int square[4] = {squares.x, squares.y, squares.z, squares.w};
    lane_unroll for (index e = 0; e < 4; e += 2) {
      const int* product = products + 2 * (q + e);  // two columns of row g, then of row g + 8
      lane_unroll for (index h = 0; h < 2; ++h) {
        warp_group_add(warp_group_key(square[e], product[2 * h]),
                       warp_group_key(square[e + 1], product[2 * h + 1]), &rows.best[h],
                       &rows.second[h]);
      }
      if constexpr (COLUMNS > 0) {
        lane_unroll for (index c = 0; c < 2; ++c) {
          const int key0 = warp_group_key(row_squares.x, product[c]),
                    key1 = warp_group_key(row_squares.y, product[c + 2]);
          const index at = q + e + c;
          if constexpr (COLUMNS == 2) {
            warp_group_add(key0, key1, &columns.best[at], &columns.second[at]);
          } else {
            columns.best[at] = warp_group_min3(columns.best[at], key0, key1);
          }
        }
      }
    }
  }
}

// Merges the keys of a tile's rows over the four threads that share a row. Threads 0 and 1 of the
// four write rows g and g + 8 to [0] and [8].
group_fn void warp_group_keep_rows(const warp_group_rows& rows, int2* results) {
  const index t = warp_group_lane() % 4;
  const bool is_odd = t % 2 == 1;
  const int sent = warp_exchange(is_odd ? rows.best[0] : rows.best[1], 1),
            sent_second = warp_exchange(is_odd ? rows.second[0] : rows.second[1], 1);
  const int kept = is_odd ? rows.best[1] : rows.best[0];
  int best = min(kept, sent);
  int second =
      warp_group_min3(is_odd ? rows.second[1] : rows.second[0], sent_second, max(kept, sent));
  const int other = warp_exchange(best, 2), other_second = warp_exchange(second, 2);
  second = warp_group_min3(second, other_second, max(best, other));
  best = min(best, other);
  if (t < 2) results[8 * t] = make_int2(best, second);
}

// Writes the results of rows [first, end) of the window, merged over the warp groups and with the
// results for earlier columns.
group_fn void warp_group_write_rows(const warp_group_share& own, index first, index end) {
  for (index r = first + static_cast<index>(block_member()); r < end; r += WARP_GROUP_THREADS) {
    const int square = own.squares1[own.row_begin + r];
    offset key = match_key(MATCH_NO_DISTANCE, 0);
    index second = MATCH_NO_DISTANCE;
    if (!own.is_first_tile) key = own.row_keys[r], second = own.row_seconds[r];
    lane_unroll for (index w = 0; w < WARP_GROUPS; ++w) {
      const int2 keys = own.results[w * WARP_GROUP_KEPT + r - first];
      const bool exists = keys.x >> 8 != WARP_GROUP_NOTHING;
      const offset found = exists
                               ? match_key((keys.x >> 8) + square,
                                           own.column_begin + w * WARP_GROUP_WIDTH + (keys.x & 255))
                               : match_key(MATCH_NO_DISTANCE, 0);
      second = match_second(
          key, second, found,
          keys.y >> 8 == WARP_GROUP_NOTHING ? MATCH_NO_DISTANCE : (keys.y >> 8) + square);
      key = found < key ? found : key;
    }
    own.row_keys[r] = key, own.row_seconds[r] = second;
  }
}

// Reduces Held columns over the eight threads with the same lane % 4: thread 4 e + lane % 4 gets
// columns [e Held / 8, (e + 1) Held / 8).
template <int Held, int Bit>
group_fn void warp_group_reduce(offset* keys, int* seconds) {
  if constexpr (Bit >= 4) {
    const bool is_upper = (block_member() & Bit) != 0;
    lane_unroll for (index k = 0; k < Held / 2; ++k) {
      const offset kept = is_upper ? keys[k + Held / 2] : keys[k];
      const offset got = warp_exchange(is_upper ? keys[k] : keys[k + Held / 2], Bit);
      if constexpr (COLUMNS == 2) {
        const int sent = warp_exchange(is_upper ? seconds[k] : seconds[k + Held / 2], Bit);
        seconds[k] = warp_group_min3(is_upper ? seconds[k + Held / 2] : seconds[k], sent,
                                     match_key_distance(kept < got ? got : kept));
      }
      keys[k] = kept < got ? kept : got;
    }
    warp_group_reduce<Held / 2, Bit / 2>(keys, seconds);
  }
}

// Writes the thread's columns, merged over its warp, to memory of the block: keys [4 WARP_GROUPS]
// [WARP_GROUP_WIDTH], then seconds of the same shape. Distances are still without |b|^2.
group_fn void warp_group_keep_columns(const warp_group_columns& columns, index first_row,
                                      offset* keys_at, int* seconds_at) {
  offset keys[WARP_GROUP_HELD];
  int seconds[COLUMNS == 2 ? WARP_GROUP_HELD : 1];
  const index lane = warp_group_lane(), row = first_row + 16 * warp_group_warp() + lane / 4;
  lane_unroll for (index c = 0; c < WARP_GROUP_HELD; ++c) {
    const int best = columns.best[c];
    keys[c] = static_cast<offset>(best >> 8) << 32 |
              static_cast<offset>(row + (best & 254) * (WARP_GROUP_ROWS / 2) + (best & 1) * 8);
    if constexpr (COLUMNS == 2) seconds[c] = columns.second[c] >> 8;
  }
  warp_group_reduce<WARP_GROUP_HELD, 16>(keys, seconds);
  lane_unroll for (index c = 0; c < WARP_GROUP_HELD / 8; ++c) {
    const index held = lane / 4 * (WARP_GROUP_HELD / 8) + c;
    const index at = static_cast<index>(block_member()) / 32 * WARP_GROUP_WIDTH + held / 2 * 8 +
                     lane % 4 * 2 + held % 2;
    keys_at[at] = keys[c];
    if constexpr (COLUMNS == 2) seconds_at[at] = seconds[c];
  }
}

// Writes the results of the thread's column of the block, merged over the warps of its warp group
// and with the results for earlier rows.
group_fn void warp_group_write_column(const warp_group_share& own, const offset* keys_at,
                                      const int* seconds_at) {
  const index line = static_cast<index>(block_member());
  if (own.column_begin + line >= own.column_end) return;
  const index at = line / WARP_GROUP_WIDTH * 4 * WARP_GROUP_WIDTH + line % WARP_GROUP_WIDTH;
  offset key = keys_at[at];
  int second = COLUMNS == 2 ? seconds_at[at] : 0;
  lane_unroll for (index w = 1; w < 4; ++w) {
    const offset other = keys_at[at + w * WARP_GROUP_WIDTH];
    if constexpr (COLUMNS == 2)
      second = match_second(key, second, other, seconds_at[at + w * WARP_GROUP_WIDTH]);
    key = other < key ? other : key;
  }
  const int square = own.column_squares[warp_group_column_at(line)] >> 8;
  key += static_cast<offset>(square) << 32;
  if constexpr (COLUMNS == 2)
    second = second == WARP_GROUP_NOTHING ? MATCH_NO_DISTANCE : second + square;
  if (!own.is_first_window) {
    const offset before = own.column_keys[line];
    if constexpr (COLUMNS == 2)
      second = match_second(before, own.column_seconds[line], key, second);
    key = before < key ? before : key;
  }
  own.column_keys[line] = key;
  if constexpr (COLUMNS == 2) own.column_seconds[line] = second;
}

// Compares the rows of a window with the block's columns.
group_fn void warp_group_window(const warp_group_share& own, warp_group_columns& columns) {
  enum { KEPT_TILES = WARP_GROUP_KEPT / WARP_GROUP_ROWS };
  const index warp_group = warp_group_index(), lane = warp_group_lane();
  const index own_row = 16 * warp_group_warp() + lane / 4;
  const int* column_squares = own.column_squares + (warp_group * 4 + lane % 4) * WARP_GROUP_PITCH;
  const int2* row_squares =
      reinterpret_cast<const int2*>(own.row_squares) + 8 * warp_group_warp() + lane / 4;
  int2* const results = own.results + warp_group * WARP_GROUP_KEPT + own_row;
  lane_unroll for (index c = 0; c < WARP_GROUP_HELD; ++c) {
    columns.best[c] = WARP_GROUP_NO_KEY;
    if constexpr (COLUMNS == 2) columns.second[c] = WARP_GROUP_NO_KEY;
  }
  warp_group_load_tile(own, 0);
  warp_group_publish(own, 0);
  warp_group_load_tile(own, 1);
  int products[64];
  lane_keep_loop for (index k = 0; k < own.tiles; ++k) {
    warp_group_multiply(own, warp_group, k, products);
    const int2 squares = row_squares[k * (WARP_GROUP_ROWS / 2)];
    warp_group_publish(own, k + 1);
    products_wait();
    product_touch(products);
    warp_group_load_tile(own, k + 2);
    warp_group_rows rows = {{WARP_GROUP_NO_KEY, WARP_GROUP_NO_KEY},
                            {WARP_GROUP_NO_KEY, WARP_GROUP_NO_KEY}};
    warp_group_select(products, column_squares, squares, rows, columns);
    warp_group_keep_rows(rows, results + k % KEPT_TILES * WARP_GROUP_ROWS);
    if ((k + 1) % KEPT_TILES != 0 && k + 1 < own.tiles) continue;
    const index first = k / KEPT_TILES * WARP_GROUP_KEPT, rest = own.row_end - own.row_begin;
    group_barrier();
    warp_group_write_rows(own, first, min(first + WARP_GROUP_KEPT, rest));
    group_barrier();
  }
  warp_group_copies_wait();  // of tiles that do not exist
  group_barrier();
  if (block_member() < WARP_GROUP_STAGES) phase_end(own.barriers + 8 * block_member());
}

// Sets the parts of shared memory, which begin at a multiple of WARP_GROUP_ALIGNMENT bytes, and
// returns them.
group_fn bits8* warp_group_memory(words4* memory, warp_group_share& own) {
  const bits32 excess = shared_address(memory) % WARP_GROUP_ALIGNMENT;
  bits8* const base = reinterpret_cast<bits8*>(memory) + (WARP_GROUP_ALIGNMENT - excess);
  own.tile = shared_address(base);
  own.stages = own.tile + WARP_GROUP_AT_STAGES;
  own.barriers = own.tile + WARP_GROUP_AT_BARRIERS;
  own.results = reinterpret_cast<int2*>(base + WARP_GROUP_AT_RESULTS);
  own.column_squares = reinterpret_cast<int*>(base + WARP_GROUP_AT_COLUMN_SQUARES);
  own.row_squares = reinterpret_cast<int*>(base + WARP_GROUP_AT_ROW_SQUARES);
  return base;
}

group_kernel(match_warp_group_tiles, group, MATCH_WARP_GROUP_TILES) {
  const index shares = row_shares * column_shares;
  const pair_layout* pair = pairs + group / shares;
  const match_share whole = match_share_of(pair, counts, group % shares, row_shares, column_shares,
                                           WARP_GROUP_ROWS, WARP_GROUP_COLUMNS);
  if (whole.row_begin == whole.row_end || whole.column_begin == whole.column_end) return;
  warp_group_share own;
  const words4* words = reinterpret_cast<const words4*>(descriptors);
  own.descriptors1 = words + pair->rows.begin * 8;
  own.descriptors2 = words + pair->columns.begin * 8;
  own.squares1 = squares + pair->rows.squares;
  own.squares2 = squares + pair->columns.squares;
  own.column_end = whole.column_end;
  bits8* const base = warp_group_memory(memory, own);
  offset* const keys_at = reinterpret_cast<offset*>(base + WARP_GROUP_AT_STAGES);
  int* const seconds_at = reinterpret_cast<int*>(keys_at + 4 * WARP_GROUP_COLUMNS);
  const index warp_group = warp_group_index();
  if (warp_group == WARP_GROUPS - 1) turn_pass(warp_group);
  for (index j0 = whole.column_begin; j0 < whole.column_end; j0 += WARP_GROUP_COLUMNS) {
    own.column_begin = j0, own.is_first_tile = j0 == whole.column_begin;
    own.column_keys = column_keys + (whole.column_place + j0);
    own.column_seconds = column_seconds + (whole.column_place + j0);
    for (index i0 = whole.row_begin; i0 < whole.row_end; i0 += WARP_GROUP_WINDOW) {
      own.row_begin = i0, own.row_end = min(whole.row_end, i0 + WARP_GROUP_WINDOW);
      own.is_first_window = i0 == whole.row_begin;
      own.tiles = (own.row_end - i0 + WARP_GROUP_ROWS - 1) / WARP_GROUP_ROWS;
      own.row_keys = row_keys + (whole.row_place + i0);
      own.row_seconds = row_seconds + (whole.row_place + i0);
      group_barrier();
      if (block_member() < WARP_GROUP_STAGES)
        phase_begin(own.barriers + 8 * block_member(), WARP_GROUP_THREADS / 32);
      if (own.is_first_window) warp_group_load_columns(own);
      warp_group_load_squares(own);
      warp_group_copies_wait();
      group_barrier();
      warp_group_columns columns;
      warp_group_window(own, columns);
      if constexpr (COLUMNS > 0) {
        warp_group_keep_columns(columns, i0, keys_at, seconds_at);
        group_barrier();
        warp_group_write_column(own, keys_at, seconds_at);
      }
    }
  }
  if (warp_group == 0) turn_wait(warp_group);  // every turn that is passed on is taken
}
