// SPDX-License-Identifier: BSD-3-Clause
// Each lane is a column: sums follow the order of a descriptor's elements, whatever the width of
// a register.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/matching/match_float_simd.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "features/matching/match_float.hpp"

HWY_BEFORE_NAMESPACE();
namespace bifocal::features::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<float>;
using Indices = hn::Rebind<std::int32_t, Tag>;

// Rows at a time, against two registers of columns. Their number depends on the number
// of registers.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
constexpr int kRows = 8;
#else
constexpr int kRows = 4;
#endif
static_assert(kFloatBlock % kRows == 0);
// Unrolls loops of constant length whose arrays must stay in registers.
#undef UNROLLED
#define UNROLLED _Pragma("GCC unroll 8")

// Smallest distance in each lane, and the index of its row or column.
struct Best {
  hn::Vec<Tag> distance;
  hn::Vec<Indices> place;
  HWY_INLINE void add(hn::Vec<Tag> d, hn::Vec<Indices> at) {
    place = hn::IfThenElse(hn::RebindMask(Indices(), hn::Lt(d, distance)), at, place);
    distance = hn::Min(distance, d);
  }
};
// Smallest and second smallest distance of a row in each lane.
struct RowBest {
  Best first;
  hn::Vec<Tag> second;
};

// Compares kRows rows from row `first` on with the columns j, j + 1, ... of two registers. If the
// block has fewer rows, `rows` repeats the last row of the block.
HWY_INLINE void compare(const float* const* rows, const float* squares, int first,
                        const FloatPanels& columns, int j, RowBest* bests, Best* column_bests) {
  const Tag d;
  const Indices di;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const float* values = columns.values.data() +
                        std::ptrdiff_t{j / kFloatPanel} * kFloatPanel * columns.size +
                        j % kFloatPanel;
  hn::Vec<Tag> sums[kRows][2];
  UNROLLED for (int r = 0; r < kRows; ++r) sums[r][0] = sums[r][1] = hn::Zero(d);
  for (int k = 0; k < columns.size; ++k, values += kFloatPanel) {
    const auto c0 = hn::LoadU(d, values), c1 = hn::LoadU(d, values + lanes);
    UNROLLED for (int r = 0; r < kRows; ++r) {
      const auto own = hn::Set(d, rows[r][k]);
      sums[r][0] = hn::MulAdd(own, c0, sums[r][0]);
      sums[r][1] = hn::MulAdd(own, c1, sums[r][1]);
    }
  }
  UNROLLED for (int r = 0; r < kRows; ++r) {
    RowBest& b = bests[r];
    for (int c = 0; c < 2; ++c) {
      const int at = j + c * lanes;
      const auto both = hn::Add(hn::Set(d, squares[r]), hn::LoadU(d, columns.squares.data() + at));
      const auto distance = hn::Max(hn::Sub(both, hn::Add(sums[r][c], sums[r][c])), hn::Zero(d));
      b.second = hn::Min(b.second, hn::Max(b.first.distance, distance));
      b.first.add(distance, hn::Iota(di, at));
      column_bests[c].add(distance, hn::Set(di, first + r));
    }
  }
}

// Merges the two nearest of all lanes. The lower column wins among equal distances.
void join_lanes(const RowBest& b, int row, FloatNearest& out) {
  const Tag d;
  HWY_ALIGN float best[hn::MaxLanes(Tag())], second[hn::MaxLanes(Tag())];
  HWY_ALIGN std::int32_t place[hn::MaxLanes(Tag())];
  hn::Store(b.first.distance, d, best);
  hn::Store(b.second, d, second);
  hn::Store(b.first.place, Indices(), place);
  constexpr float kNone = std::numeric_limits<float>::infinity();
  float least = kNone, other = kNone;
  int nearest = -1;
  for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane) {
    if (place[lane] < 0) continue;
    const bool is_less =
        best[lane] < least || (best[lane] == least && (nearest < 0 || place[lane] < nearest));
    other = std::min({other, second[lane], is_less ? least : best[lane]});
    if (is_less) least = best[lane], nearest = place[lane];
  }
  const auto at = static_cast<std::size_t>(row);
  out.distances[at] = least, out.seconds[at] = other, out.nearest[at] = nearest;
}

void nearest_floats(const FloatRows& rows, int first, int end, const FloatPanels& columns,
                    FloatNearest& out, FloatNearest& of_columns) {
  const Tag d;
  const Indices di;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto none = hn::Set(d, std::numeric_limits<float>::infinity());
  RowBest bests[kFloatBlock];
  const float* own[kFloatBlock];
  float squares[kFloatBlock];
  for (int r = 0; r < kFloatBlock; ++r) {
    const int row = std::min(first + r, end - 1);
    own[r] = rows.values.data() + std::ptrdiff_t{row} * rows.size;
    squares[r] = rows.squares[static_cast<std::size_t>(row)];
    bests[r] = {{none, hn::Set(di, -1)}, none};
  }
  for (int j = 0; j < columns.padded; j += 2 * lanes) {
    float* const distances = of_columns.distances.data() + j;
    int* const places = of_columns.nearest.data() + j;
    Best best[2];
    for (int c = 0; c < 2; ++c)
      best[c] = {hn::LoadU(d, distances + c * lanes), hn::LoadU(di, places + c * lanes)};
    for (int r = 0; r < end - first; r += kRows)
      compare(own + r, squares + r, first + r, columns, j, bests + r, best);
    for (int c = 0; c < 2; ++c) {
      hn::StoreU(best[c].distance, d, distances + c * lanes);
      hn::StoreU(best[c].place, di, places + c * lanes);
    }
  }
  for (int i = first; i < end; ++i) join_lanes(bests[i - first], i, out);
}

}  // namespace bifocal::features::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal::features {

HWY_EXPORT(nearest_floats);

void nearest_floats(const FloatRows& rows, int first, int end, const FloatPanels& columns,
                    FloatNearest& out, FloatNearest& of_columns) {
  HWY_DYNAMIC_DISPATCH(nearest_floats)(rows, first, end, columns, out, of_columns);
}

}  // namespace bifocal::features
#endif
