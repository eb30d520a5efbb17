// SPDX-License-Identifier: BSD-3-Clause
// A lane is a column: sums go through a descriptor in its order, whatever the register's width.
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

constexpr int kRows = 4;  // at a time, against two registers of columns

// Of every lane: the two smallest distances of a row, and the column of the smallest.
struct RowBest {
  hn::Vec<Tag> best, second;
  hn::Vec<Indices> place;
};

// Rows i .. i + 3 (rows[r], perhaps one of them repeatedly) against columns j, j + 1, ... of two
// registers.
HWY_INLINE void compare(const float* const* rows, const float* squares, const FloatPanels& columns,
                        int j, RowBest* bests) {
  const Tag d;
  const Indices di;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const float* values = columns.values.data() +
                        std::ptrdiff_t{j / kFloatPanel} * kFloatPanel * columns.size +
                        j % kFloatPanel;
  auto s00 = hn::Zero(d), s01 = s00, s10 = s00, s11 = s00, s20 = s00, s21 = s00, s30 = s00,
       s31 = s00;
  for (int k = 0; k < columns.size; ++k, values += kFloatPanel) {
    const auto c0 = hn::LoadU(d, values), c1 = hn::LoadU(d, values + lanes);
    const auto r0 = hn::Set(d, rows[0][k]), r1 = hn::Set(d, rows[1][k]);
    const auto r2 = hn::Set(d, rows[2][k]), r3 = hn::Set(d, rows[3][k]);
    s00 = hn::MulAdd(r0, c0, s00), s01 = hn::MulAdd(r0, c1, s01);
    s10 = hn::MulAdd(r1, c0, s10), s11 = hn::MulAdd(r1, c1, s11);
    s20 = hn::MulAdd(r2, c0, s20), s21 = hn::MulAdd(r2, c1, s21);
    s30 = hn::MulAdd(r3, c0, s30), s31 = hn::MulAdd(r3, c1, s31);
  }
  const auto keep = [&](int r, hn::Vec<Tag> sum, int c) HWY_ATTR {
    const int at = j + c * lanes;
    const auto both = hn::Add(hn::Set(d, squares[r]), hn::LoadU(d, columns.squares.data() + at));
    const auto distance = hn::Max(hn::Sub(both, hn::Add(sum, sum)), hn::Zero(d));
    RowBest& b = bests[r];
    const auto is_less = hn::Lt(distance, b.best);
    b.second = hn::Min(b.second, hn::Max(b.best, distance));
    b.best = hn::Min(b.best, distance);
    b.place = hn::IfThenElse(hn::RebindMask(di, is_less), hn::Iota(di, at), b.place);
  };
  keep(0, s00, 0), keep(0, s01, 1), keep(1, s10, 0), keep(1, s11, 1);
  keep(2, s20, 0), keep(2, s21, 1), keep(3, s30, 0), keep(3, s31, 1);
}

// The two nearest of all lanes; of equal distances the lower column.
void join_lanes(const RowBest& b, int row, FloatNearest& out) {
  const Tag d;
  HWY_ALIGN float best[hn::MaxLanes(Tag())], second[hn::MaxLanes(Tag())];
  HWY_ALIGN std::int32_t place[hn::MaxLanes(Tag())];
  hn::Store(b.best, d, best);
  hn::Store(b.second, d, second);
  hn::Store(b.place, Indices(), place);
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
                    FloatNearest& out) {
  const Tag d;
  const int step = 2 * static_cast<int>(hn::Lanes(d));
  const auto none = hn::Set(d, std::numeric_limits<float>::infinity());
  RowBest bests[kFloatBlock];
  for (RowBest& b : bests) b = {none, none, hn::Set(Indices(), -1)};
  for (int j = 0; j < columns.padded; j += step) {
    for (int i = first; i < end; i += kRows) {
      const float* own[kRows];
      float squares[kRows];
      for (int r = 0; r < kRows; ++r) {
        const int row = std::min(i + r, end - 1);
        own[r] = rows.values.data() + std::ptrdiff_t{row} * rows.size;
        squares[r] = rows.squares[static_cast<std::size_t>(row)];
      }
      compare(own, squares, columns, j, bests + (i - first));
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
                    FloatNearest& out) {
  HWY_DYNAMIC_DISPATCH(nearest_floats)(rows, first, end, columns, out);
}

}  // namespace bifocal::features
#endif
