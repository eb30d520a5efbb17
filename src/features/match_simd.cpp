// SPDX-License-Identifier: BSD-3-Clause
// The matrix product of descriptors, 16-bit pairs into exact 32-bit sums, and what is kept of it.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/match_simd.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>

#include "features/match_kernel.hpp"

HWY_BEFORE_NAMESPACE();
namespace bifocal::features::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<std::int32_t>;
using Vec = hn::Vec<Tag>;

// The two smallest values seen and the index of the smallest; a later equal value is not smaller.
struct Best {
  Vec distance, second, index;
  HWY_INLINE void add(Vec d, Vec i) {
    const auto less = hn::Lt(d, distance);
    second = hn::Min(second, hn::Max(distance, d));
    distance = hn::Min(distance, d);
    index = hn::IfThenElse(less, i, index);
  }
};

HWY_INLINE Best load(const std::int32_t* distance, const std::int32_t* second,
                     const std::int32_t* index) {
  const Tag d;
  return {hn::LoadU(d, distance), hn::LoadU(d, second), hn::LoadU(d, index)};
}
HWY_INLINE void store(const Best& best, std::int32_t* distance, std::int32_t* second,
                      std::int32_t* index) {
  const Tag d;
  hn::StoreU(best.distance, d, distance);
  hn::StoreU(best.second, d, second);
  hn::StoreU(best.index, d, index);
}

#if HWY_TARGET == HWY_SCALAR
// One column at a time: no register holds a pair there.
struct Pairs {
  std::int32_t first, second;
};
HWY_INLINE Pairs load_pairs(const std::int16_t* p) { return {p[0], p[1]}; }
HWY_INLINE Pairs pair_everywhere(const std::int16_t* p) { return {p[0], p[1]}; }

struct Sum {
  std::int32_t total = 0;
  HWY_INLINE void add(Pairs a, Pairs b) { total += a.first * b.first + a.second * b.second; }
  [[nodiscard]] HWY_INLINE Vec product() const { return hn::Set(Tag(), total); }
};
#else
// A pair of elements in each 32-bit lane.
using PairTag = hn::Repartition<std::int16_t, Tag>;
using Pairs = hn::Vec<PairTag>;
HWY_INLINE Pairs load_pairs(const std::int16_t* p) { return hn::LoadU(PairTag(), p); }
HWY_INLINE Pairs pair_everywhere(const std::int16_t* p) {
  std::int32_t both;
  hwy::CopyBytes<4>(p, &both);
  return hn::BitCast(PairTag(), hn::Set(Tag(), both));
}

// Products (at most 255^2) are summed exactly in 32 bits. On machines whose instructions keep odd
// and even products apart a sum takes two registers.
struct Sum {
  Vec first, other;
  HWY_INLINE Sum() : first(hn::Zero(Tag())), other(hn::Zero(Tag())) {}
  HWY_INLINE void add(Pairs a, Pairs b) {
    first = hn::ReorderWidenMulAccumulate(Tag(), a, b, first, other);
  }
  [[nodiscard]] HWY_INLINE Vec product() const { return hn::RearrangeToOddPlusEven(first, other); }
};
#endif

// |a|^2 + |b|^2 - 2 a b
HWY_INLINE Vec distance(Vec squares_a, Vec squares_b, const Sum& sum) {
  return hn::Sub(hn::Add(squares_a, squares_b), hn::ShiftLeft<1>(sum.product()));
}

// The best of four rows so far, a lane for every column modulo the register's width.
struct RowBests {
  std::int32_t* begin;  // [4][distance, second, index][lanes]
  HWY_INLINE void add(int row, Vec d0, Vec i0, Vec d1, Vec i1) const {
    const int lanes = static_cast<int>(hn::Lanes(Tag()));
    std::int32_t* at = begin + row * 3 * lanes;
    Best best = load(at, at + lanes, at + 2 * lanes);
    best.add(d0, i0);
    best.add(d1, i1);
    store(best, at, at + lanes, at + 2 * lanes);
  }
};

// Four rows, from row `first` on, against two registers of columns.
HWY_INLINE void compare(const PackedRows& a, int first, const std::int16_t* columns, Vec squares0,
                        Vec squares1, Vec index0, Vec index1, RowBests rows, Best& best0,
                        Best& best1) {
  const Tag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const std::int16_t* row = a.values.data() + std::ptrdiff_t{first} * kElements;
  Sum s00, s01, s10, s11, s20, s21, s30, s31;
  for (int k = 0; k < kElements; k += 2) {
    const auto c0 = load_pairs(columns + kPanel * k);
    const auto c1 = load_pairs(columns + kPanel * k + 2 * lanes);
    const auto r0 = pair_everywhere(row + k), r1 = pair_everywhere(row + kElements + k);
    s00.add(r0, c0), s01.add(r0, c1), s10.add(r1, c0), s11.add(r1, c1);
    const auto r2 = pair_everywhere(row + 2 * kElements + k),
               r3 = pair_everywhere(row + 3 * kElements + k);
    s20.add(r2, c0), s21.add(r2, c1), s30.add(r3, c0), s31.add(r3, c1);
  }
  const auto keep = [&](int m, const Sum& s0, const Sum& s1) HWY_ATTR {
    const Vec squares = hn::Set(d, a.squares[static_cast<std::size_t>(first + m)]),
              index = hn::Set(d, first + m);
    const Vec d0 = distance(squares, squares0, s0), d1 = distance(squares, squares1, s1);
    rows.add(m, d0, index0, d1, index1);
    best0.add(d0, index);
    best1.add(d1, index);
  };
  keep(0, s00, s01);
  keep(1, s10, s11);
  keep(2, s20, s21);
  keep(3, s30, s31);
}

// Two registers of columns, from column j of b on, against rows [first, end).
HWY_INLINE void sweep(const PackedRows& a, int first, int end, const PackedPanels& b, int j,
                      std::int32_t* row_bests, Nearest& columns) {
  const Tag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const std::int16_t* values =
      b.values.data() + std::ptrdiff_t{j / kPanel} * kPanel * kElements + 2 * (j % kPanel);
  const std::int32_t* squares = b.squares.data() + j;
  const Vec squares0 = hn::LoadU(d, squares), squares1 = hn::LoadU(d, squares + lanes);
  const Vec index0 = hn::Iota(d, j), index1 = hn::Iota(d, j + lanes);
  std::int32_t* state[3] = {columns.distance.data() + j, columns.second.data() + j,
                            columns.index.data() + j};
  Best best0 = load(state[0], state[1], state[2]);
  Best best1 = load(state[0] + lanes, state[1] + lanes, state[2] + lanes);
  for (int i = first; i < end; i += 4) {
    compare(a, i, values, squares0, squares1, index0, index1, {row_bests + (i - first) * 3 * lanes},
            best0, best1);
  }
  store(best0, state[0], state[1], state[2]);
  store(best1, state[0] + lanes, state[1] + lanes, state[2] + lanes);
}

void nearest_in_block(const PackedRows& a, int first, int end, const PackedPanels& b, Nearest& rows,
                      Nearest& columns) {
  const int lanes = static_cast<int>(hn::Lanes(Tag()));
  const int padded = (end - first + 3) / 4 * 4;
  std::vector<std::int32_t> bests(static_cast<std::size_t>(padded * 3 * lanes), kNoDistance);
  for (int j = 0; j < b.padded; j += 2 * lanes) sweep(a, first, end, b, j, bests.data(), columns);
  for (int i = first; i < end; ++i) {
    const std::int32_t* at = bests.data() + (i - first) * 3 * lanes;
    const auto row = static_cast<std::size_t>(i);
    for (int lane = 0; lane < lanes; ++lane) {
      merge_nearest(rows, row, at[lane], at[lanes + lane], at[2 * lanes + lane]);
    }
  }
}

}  // namespace bifocal::features::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal::features {

HWY_EXPORT(nearest_in_block);

void nearest_in_block(const PackedRows& a, int first, int end, const PackedPanels& b, Nearest& rows,
                      Nearest& columns) {
  HWY_DYNAMIC_DISPATCH(nearest_in_block)(a, first, end, b, rows, columns);
}

}  // namespace bifocal::features
#endif
