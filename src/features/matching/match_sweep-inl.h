// SPDX-License-Identifier: BSD-3-Clause
// The nearest neighbours from the products of a form of bytes. match_simd.cpp includes this file in
// a namespace for every form, after the definitions of Sum, ColumnWord, RowWord, prepare_row,
// kRows, kRowWords, kRegisters and STEPS_UNROLLED.

constexpr int kWindow = 256;  // registers of columns that a key can distinguish
constexpr std::int32_t kNoKey = 0x7fffffff;

// Two smallest keys of each lane.
struct Two {
  Vec best, second;
  HWY_INLINE Two() : best(hn::Set(Tag(), kNoKey)), second(hn::Set(Tag(), kNoKey)) {}
  HWY_INLINE explicit Two(const std::int32_t* from)
      : best(hn::LoadU(Tag(), from)), second(hn::LoadU(Tag(), from + hn::Lanes(Tag()))) {}
  HWY_INLINE void store(std::int32_t* to) const {
    hn::StoreU(best, Tag(), to);
    hn::StoreU(second, Tag(), to + hn::Lanes(Tag()));
  }
  HWY_INLINE void add(Vec key) {
    second = hn::Min(second, hn::Max(best, key));
    best = hn::Min(best, key);
  }
};

// Rows of a block in the form that the products take, and the two best keys of each lane.
struct Block {
  int count;                              // a multiple of kRows
  std::vector<std::int32_t> words, keys;  // keys: |a|^2 << 8 | number in the block
  std::vector<std::int32_t> bests;        // [count][best, second][lanes]
#if SHORT_SUMS
  std::vector<ShortRows> short_rows;  // [count / kRows]
#endif
};

// Computes twice the products of kRows rows from `row` on with kRegisters registers of columns, at
// the distance's place in a key.
HWY_INLINE void multiply(const std::int32_t* row, const std::uint8_t* values,
                         const std::int32_t* starts, Vec (*twice)[kRegisters]) {
  const int lanes = static_cast<int>(hn::Lanes(Tag()));
  constexpr int kStride = kQuads * kRowWords;
  Sum sums[kRows][kRegisters];
  UNROLLED for (int r = 0; r < kRows; ++r) {
    UNROLLED for (int c = 0; c < kRegisters; ++c) sums[r][c].start(starts + c * lanes);
  }
  STEPS_UNROLLED for (int k = 0; k < kQuads; ++k) {
    UNROLLED for (int step = 0; step < kRowWords; ++step) {
      ColumnWord words[kRegisters];
      UNROLLED for (int c = 0; c < kRegisters; ++c) words[c].load(values + 4 * c * lanes, step);
      UNROLLED for (int r = 0; r < kRows; ++r) {
        const RowWord own(row + r * kStride + step);
        UNROLLED for (int c = 0; c < kRegisters; ++c) sums[r][c].add(own, words[c]);
      }
    }
    values += 4 * kPanel, row += kRowWords;
  }
  UNROLLED for (int r = 0; r < kRows; ++r) {
    UNROLLED for (int c = 0; c < kRegisters; ++c) twice[r][c] =
        hn::ShiftLeft<9>(sums[r][c].product());
  }
}

// Updates the best keys with the products of rows i to i + kRows - 1 of a block and kRegisters
// registers of columns.
template <ColumnsWanted kWanted>
HWY_INLINE void keep(Block& block, int i, const Vec (*twice)[kRegisters], const Vec* column_keys,
                     Two* columns) {
  const Tag d;
  UNROLLED for (int r = 0; r < kRows; ++r) {
    std::int32_t* at = block.bests.data() + (i + r) * 2 * static_cast<int>(hn::Lanes(d));
    Two two(at);
    const Vec row_key = hn::Set(d, block.keys[static_cast<std::size_t>(i + r)]);
    UNROLLED for (int c = 0; c < kRegisters; ++c) {
      two.add(hn::Sub(column_keys[c], twice[r][c]));
      if constexpr (kWanted == ColumnsWanted::two) columns[c].add(hn::Sub(row_key, twice[r][c]));
      if constexpr (kWanted == ColumnsWanted::nearest)
        columns[c].best = hn::Min(columns[c].best, hn::Sub(row_key, twice[r][c]));
    }
    two.store(at);
  }
}

// Merges the results of the columns in a register, for rows from `first` on, with their results for
// lower rows.
template <ColumnsWanted kWanted>
HWY_INLINE void merge_columns(const Two& two, const std::int32_t* squares, int first, std::size_t j,
                              Nearest& columns) {
  const Tag d;
  const Vec square = hn::LoadU(d, squares);
  const Vec distance = hn::Add(hn::ShiftRight<8>(two.best), square);
  const Vec before = hn::LoadU(d, columns.distance.data() + j);
  if constexpr (kWanted == ColumnsWanted::two) {
    const Vec value = hn::ShiftRight<8>(two.second);
    const Vec second = hn::IfThenElse(hn::Eq(value, hn::Set(d, kNoSquare)), hn::Set(d, kNoDistance),
                                      hn::Add(value, square));
    std::int32_t* at = columns.second.data() + j;
    hn::StoreU(hn::Min(hn::Min(hn::LoadU(d, at), second), hn::Max(before, distance)), d, at);
  }
  const Vec index = hn::Add(hn::And(two.best, hn::Set(d, 255)), hn::Set(d, first));
  std::int32_t* at = columns.index.data() + j;
  hn::StoreU(hn::IfThenElse(hn::Lt(distance, before), index, hn::LoadU(d, at)), d, at);
  hn::StoreU(hn::Min(distance, before), d, columns.distance.data() + j);
}

// Compares all rows of a block with kRegisters registers of columns, from column j of b on.
template <ColumnsWanted kWanted>
HWY_INLINE void sweep(Block& block, int first, const PackedPanels& b, int j, int window_begin,
                      Nearest& columns) {
  const Tag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const std::uint8_t* values =
      b.values.data() + std::ptrdiff_t{j / kPanel} * kPanel * kElements + 4 * (j % kPanel);
  Vec keys[kRegisters];
  Two bests[kRegisters];
  for (int c = 0; c < kRegisters; ++c) {
    const Vec squares = hn::LoadU(d, b.squares.data() + j + c * lanes);
    keys[c] = hn::Or(hn::ShiftLeft<8>(squares), hn::Set(d, (j - window_begin) / lanes + c));
  }
#if SHORT_SUMS
  Norms norms;
  for (int c = j; c < j + kRegisters * lanes; ++c) norms.join(b.norms[static_cast<std::size_t>(c)]);
#endif
  for (int i = 0; i < block.count; i += kRows) {
    Vec twice[kRows][kRegisters];
#if SHORT_SUMS
    const ShortRows& rows = block.short_rows[static_cast<std::size_t>(i / kRows)];
    if (rows.fit(norms)) {
      multiply_short(rows, values, twice);
      keep<kWanted>(block, i, twice, keys, bests);
      continue;
    }
#endif
    multiply(block.words.data() + std::ptrdiff_t{i} * kQuads * kRowWords, values, b.sums.data() + j,
             twice);
    keep<kWanted>(block, i, twice, keys, bests);
  }
  if constexpr (kWanted != ColumnsWanted::none) {
    for (int c = 0; c < kRegisters; ++c)
      merge_columns<kWanted>(bests[c], b.squares.data() + j + c * lanes, first,
                             static_cast<std::size_t>(j + c * lanes), columns);
  }
}

// Merges the best keys of the rows in a window of columns with their results in earlier windows.
void merge_rows(const Block& block, const PackedRows& a, int first, int end, int window_begin,
                Nearest& rows) {
  const Tag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const Vec numbers = hn::Iota(d, 0);
  for (int i = first; i < end; ++i) {
    const Two two(block.bests.data() + (i - first) * 2 * lanes);
    const Vec least = hn::MinOfLanes(d, two.best);
    const std::int32_t best = hn::GetLane(least);
    if (best >> 8 == kNoSquare) continue;
    // Among equal keys the lowest lane has the nearest column.
    const auto lane = static_cast<int>(hn::FindFirstTrue(d, hn::Eq(two.best, least)));
    const auto is_best = hn::Eq(numbers, hn::Set(d, lane));
    const Vec others = hn::IfThenElse(is_best, two.second, two.best);
    const std::int32_t second = hn::GetLane(hn::MinOfLanes(d, others)) >> 8;
    const auto row = static_cast<std::size_t>(i);
    merge_nearest(rows, row, (best >> 8) + a.squares[row],
                  second == kNoSquare ? kNoDistance : second + a.squares[row],
                  window_begin + (best & 255) * lanes + lane);
  }
}

template <ColumnsWanted kWanted>
void nearest_in_block_of(const PackedRows& a, int first, int end, const PackedPanels& b,
                         Nearest& rows, Nearest& columns) {
  const int lanes = static_cast<int>(hn::Lanes(Tag()));
  Block block;
  block.count = (end - first + kRows - 1) / kRows * kRows;
  const auto count = static_cast<std::size_t>(block.count);
  block.words.resize(count * kQuads * kRowWords);
  block.keys.resize(count);
  for (int i = 0; i < block.count; ++i) {
    prepare_row(a.values.data() + std::ptrdiff_t{first + i} * kElements,
                block.words.data() + std::ptrdiff_t{i} * kQuads * kRowWords);
    block.keys[static_cast<std::size_t>(i)] =
        a.squares[static_cast<std::size_t>(first + i)] << 8 | i;
  }
#if SHORT_SUMS
  block.short_rows.reserve(count / kRows);
  for (int i = 0; i < block.count; i += kRows) block.short_rows.emplace_back(a, first + i);
#endif
  for (int begin = 0; begin < b.padded; begin += kWindow * lanes) {
    check_cancelled();
    block.bests.assign(count * 2 * static_cast<std::size_t>(lanes), kNoKey);
    const int window_end = std::min(b.padded, begin + kWindow * lanes);
    for (int j = begin; j < window_end; j += kRegisters * lanes)
      sweep<kWanted>(block, first, b, j, begin, columns);
    merge_rows(block, a, first, end, begin, rows);
  }
}

void nearest_in_block(const PackedRows& a, int first, int end, const PackedPanels& b,
                      ColumnsWanted wanted, Nearest& rows, Nearest& columns) {
  switch (wanted) {
    case ColumnsWanted::none:
      return nearest_in_block_of<ColumnsWanted::none>(a, first, end, b, rows, columns);
    case ColumnsWanted::nearest:
      return nearest_in_block_of<ColumnsWanted::nearest>(a, first, end, b, rows, columns);
    case ColumnsWanted::two:
      return nearest_in_block_of<ColumnsWanted::two>(a, first, end, b, rows, columns);
  }
}
