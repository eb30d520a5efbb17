// SPDX-License-Identifier: BSD-3-Clause
// Computes the matrix product of descriptors in exact 32-bit sums, and the nearest neighbours
// from it.
//
// A key has a distance in front of an index, so that a minimum finds both. For row i the key of
// column j is (|b|^2 - 2 a b) << 8 | number of the register of columns. For column j the key of row
// i is (|a|^2 - 2 a b) << 8 | number of the row in its block. The part of the distance that is
// constant along the line is added at the end. Sums wrap; keys fit 32 bits with a sign.
#define HWY_WANT_AVX3_DL 1  // multiplies bytes (VNNI): half the time
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/matching/match_simd.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <bifocal/error.hpp>

#include <algorithm>

#include "features/matching/match_kernel.hpp"

HWY_BEFORE_NAMESPACE();
// Highway 1.0.3 has no function for the multiplication of bytes, and its target does not
// include it.
#if HWY_TARGET == HWY_AVX3_DL && !HWY_COMPILER_CLANG
#pragma GCC push_options
#pragma GCC target("avx512vnni")
#endif
namespace bifocal::features::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<std::int32_t>;
using Vec = hn::Vec<Tag>;

// A Sum adds the products of four bytes of a row with four bytes of each column in a register, in
// kRowWords steps. RowWord is the row's part, ColumnWord the columns'. Builds with -march=native
// detect VNNI by its macro.
#if HWY_TARGET == HWY_AVX3_DL || (HWY_TARGET == HWY_AVX3 && defined(__AVX512VNNI__))
// The instruction multiplies unsigned bytes by signed bytes. Rows are therefore reduced by 128, and
// a sum begins with 128 times the sum of the column.
constexpr int kRowWords = 1, kRegisters = 4;
void prepare_row(const std::uint8_t* row, std::int32_t* words) {
  std::uint32_t four;
  for (int k = 0; k < kQuads; ++k) {
    hwy::CopyBytes<4>(row + 4 * k, &four);
    words[k] = static_cast<std::int32_t>(four ^ 0x80808080U);
  }
}
struct ColumnWord {
  Vec bytes;
  HWY_INLINE void load(const std::uint8_t* p, int) {
    bytes = hn::LoadU(Tag(), reinterpret_cast<const std::int32_t*>(p));
  }
};
struct RowWord {
  Vec bytes;
  HWY_INLINE explicit RowWord(const std::int32_t* p) : bytes(hn::Set(Tag(), *p)) {}
};
struct Sum {
  Vec sum;
  HWY_INLINE void start(const std::int32_t* from) { sum = hn::LoadU(Tag(), from); }
  HWY_INLINE void add(const RowWord& r, const ColumnWord& c) {
#if HWY_COMPILER_CLANG  // Clang cannot extend the target of a function
    asm("vpdpbusd %2, %1, %0" : "+v"(sum.raw) : "v"(c.bytes.raw), "v"(r.bytes.raw));
#else
    sum.raw = _mm512_dpbusd_epi32(sum.raw, c.bytes.raw, r.bytes.raw);
#endif
  }
  [[nodiscard]] HWY_INLINE Vec product() const { return sum; }
};
#elif HWY_TARGET == HWY_SCALAR
constexpr int kRowWords = 1, kRegisters = 2;
void prepare_row(const std::uint8_t* row, std::int32_t* words) {
  std::copy_n(row, kElements, reinterpret_cast<std::uint8_t*>(words));
}
struct ColumnWord {
  const std::uint8_t* bytes = nullptr;
  void load(const std::uint8_t* p, int) { bytes = p; }
};
struct RowWord {
  const std::uint8_t* bytes;
  explicit RowWord(const std::int32_t* p) : bytes(reinterpret_cast<const std::uint8_t*>(p)) {}
};
struct Sum {
  std::int32_t total = 0;
  void start(const std::int32_t*) { total = 0; }
  void add(const RowWord& r, const ColumnWord& c) {
    for (int e = 0; e < 4; ++e) total += r.bytes[e] * c.bytes[e];
  }
  [[nodiscard]] Vec product() const { return hn::Set(Tag(), total); }
};
#else
// Factors are pairs of 16-bit numbers: elements 0 and 2, then 1 and 3.
constexpr int kRowWords = 2, kRegisters = 2;
using PairTag = hn::Repartition<std::int16_t, Tag>;
using Pairs = hn::Vec<PairTag>;
void prepare_row(const std::uint8_t* row, std::int32_t* words) {
  for (int k = 0; k < kElements; k += 4) {
    words[k / 2] = row[k] | row[k + 2] << 16;
    words[k / 2 + 1] = row[k + 1] | row[k + 3] << 16;
  }
}
struct ColumnWord {
  Pairs pairs;
  HWY_INLINE void load(const std::uint8_t* p, int step) {
    const hn::Repartition<std::uint16_t, Tag> words;
    const auto both = hn::LoadU(words, reinterpret_cast<const std::uint16_t*>(p));
    pairs = hn::BitCast(PairTag(), step == 0 ? hn::And(both, hn::Set(words, std::uint16_t{255}))
                                             : hn::ShiftRight<8>(both));
  }
};
struct RowWord {
  Pairs pairs;
  HWY_INLINE explicit RowWord(const std::int32_t* p)
      : pairs(hn::BitCast(PairTag(), hn::Set(Tag(), *p))) {}
};
// A sum takes two registers on machines whose instructions keep odd and even products apart.
struct Sum {
  Vec first, other;
  HWY_INLINE void start(const std::int32_t*) {
    first = hn::Zero(Tag());
    other = hn::Zero(Tag());
  }
  HWY_INLINE void add(const RowWord& r, const ColumnWord& c) {
    first = hn::ReorderWidenMulAccumulate(Tag(), r.pairs, c.pairs, first, other);
  }
  [[nodiscard]] HWY_INLINE Vec product() const { return hn::RearrangeToOddPlusEven(first, other); }
};
#endif

// Unrolls loops of constant length whose arrays must stay in registers.
#undef UNROLLED
#define UNROLLED _Pragma("GCC unroll 4")

constexpr int kRows = 4;      // rows at a time
constexpr int kWindow = 256;  // registers of columns that a key can distinguish
constexpr std::int32_t kNoKey = 0x7fffffff;

// Targets from SSSE3 on, without VNNI.
#undef SHORT_SUMS
#if HWY_ARCH_X86 &&                                                                 \
    (HWY_TARGET == HWY_SSSE3 || HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_AVX2 || \
     (HWY_TARGET == HWY_AVX3 && !defined(__AVX512VNNI__)))
#define SHORT_SUMS 1
#else
#define SHORT_SUMS 0
#endif
bool sums_are_short() { return SHORT_SUMS; }

#if SHORT_SUMS
}  // namespace bifocal::features::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#include "features/matching/match_bytes-inl.h"
HWY_BEFORE_NAMESPACE();
namespace bifocal::features::HWY_NAMESPACE {
#endif

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
  // Unrolling by two keeps GCC from moving every sum from register to register in each step.
  _Pragma("GCC unroll 2") for (int k = 0; k < kQuads; ++k) {
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

// Updates the best keys with the products of rows i to i + 3 of a block and kRegisters registers
// of columns.
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

}  // namespace bifocal::features::HWY_NAMESPACE
#if HWY_TARGET == HWY_AVX3_DL && !HWY_COMPILER_CLANG
#pragma GCC pop_options
#endif
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal::features {

HWY_EXPORT(nearest_in_block);
HWY_EXPORT(sums_are_short);

bool sums_are_short() { return HWY_DYNAMIC_DISPATCH(sums_are_short)(); }

void nearest_in_block(const PackedRows& a, int first, int end, const PackedPanels& b,
                      ColumnsWanted wanted, Nearest& rows, Nearest& columns) {
  HWY_DYNAMIC_DISPATCH(nearest_in_block)(a, first, end, b, wanted, rows, columns);
}

}  // namespace bifocal::features
#endif
