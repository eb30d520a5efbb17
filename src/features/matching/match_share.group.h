// SPDX-License-Identifier: BSD-3-Clause
// Functions of all matching kernels: feature counts, ranges of rows and columns, and the two
// nearest neighbours.

// Returns the number of features of an image.
group_fn index match_count(global_const image_layout* image, global_const int* counts) {
  const index count = counts[image->image], capacity = (index)image->capacity;
  return count < 0 ? 0 : (count < capacity ? count : capacity);
}

// Returns the first row of share s if `n` rows are divided into `shares` ranges of whole tiles.
group_fn index match_share_begin(index n, index tile, index shares, index s) {
  const index tiles = (n + tile - 1) / tile;
  const index begin = (index)((offset)tiles * s / shares) * tile;
  return begin < n ? begin : n;
}

group_fn bool match_share_has_tiles(index n, index tile, index shares, index s) {
  const bits32 tiles = (bits32)((n + tile - 1) / tile);
  return tiles >= (bits32)shares ||
         tiles * (bits32)s / (bits32)shares < tiles * (bits32)(s + 1) / (bits32)shares;
}

// Rows and columns of a pair that a group compares, and the positions of its results for rows
// (row_place) and for columns (column_place).
typedef struct {
  index row_begin, row_end, column_begin, column_end;
  offset row_place, column_place;
} match_share;
group_fn match_share match_share_of(global_const pair_layout* pair, global_const int* counts,
                                    index share, index row_shares, index column_shares,
                                    index row_tile, index column_tile) {
  const index rows = match_count(&pair->rows, counts);
  const index columns = match_count(&pair->columns, counts);
  const index r = share / column_shares, c = share % column_shares;
  match_share own;
  own.row_begin = match_share_begin(rows, row_tile, row_shares, r);
  own.row_end = match_share_begin(rows, row_tile, row_shares, r + 1);
  own.column_begin = match_share_begin(columns, column_tile, column_shares, c);
  own.column_end = match_share_begin(columns, column_tile, column_shares, c + 1);
  own.row_place = pair->rows.place * column_shares + pair->rows.capacity * c;
  own.column_place = pair->columns.place * row_shares + pair->columns.capacity * r;
  return own;
}

group_fn offset match_key(index distance, index place) {
  return ((offset)distance << 32) | (offset)place;
}
group_fn index match_key_distance(offset key) { return (index)(key >> 32); }
group_fn index match_key_place(offset key) { return (index)(key & 0x7fffffff); }

// Key of the nearest neighbour of a row or column, and the distance of the second nearest.
typedef struct {
  offset key;
  index second;
} match_nearest;

// Returns the second smallest distance of two merged results (best, second) and (key, other).
group_fn index match_second(offset best, index second, offset key, index other) {
  const index loser = match_key_distance(best < key ? key : best);
  const index least = second < other ? second : other;
  return loser < least ? loser : least;
}
