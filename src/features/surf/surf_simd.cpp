// SPDX-License-Identifier: BSD-3-Clause
// Determinants of box-filtered Hessians and their maxima on CPUs, the twin of surf_search.kernel.h;
// compiled for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/surf/surf_simd.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <bit>

#include "features/surf/surf.hpp"

HWY_BEFORE_NAMESPACE();
namespace bifocal::features::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Ints = hn::ScalableTag<std::int32_t>;
using Doubles = hn::ScalableTag<double>;
// Integers in the same number as the doubles of a register.
#if HWY_TARGET == HWY_SCALAR
using HalfInts = Ints;
#else
using HalfInts = hn::Half<Ints>;
#endif
using HalfSingles = hn::Rebind<float, HalfInts>;
using Singles = hn::Rebind<float, Ints>;
using Sum = hn::Vec<Ints>;

// Sums under one corner of the boxes of all samples in a row.
struct Corner {
  const std::uint32_t* at;
  HWY_INLINE Sum operator()(int k) const {
    return hn::LoadU(Ints(), reinterpret_cast<const std::int32_t*>(at) + k);
  }
};
// Box of all samples in a row, with its corners relative to a sample: columns [left, right), rows
// [top, bottom).
struct Box {
  Corner upper_left, upper_right, lower_left, lower_right;
  Box(const Integral& integral, int y, int left, int right, int top, int bottom)
      : upper_left(corner(integral, left, y + top)),
        upper_right(corner(integral, right, y + top)),
        lower_left(corner(integral, left, y + bottom)),
        lower_right(corner(integral, right, y + bottom)) {}
  static Corner corner(const Integral& integral, int column, int y) {
    const int step = integral.step, phase = column & (step - 1);
    return {integral.row(y) + std::ptrdiff_t{phase} * integral.pitch + (column - phase) / step};
  }
  HWY_INLINE Sum operator()(int k) const {
    return hn::Sub(hn::Sub(lower_right(k), lower_left(k)), hn::Sub(upper_right(k), upper_left(k)));
  }
};

// Computes determinants in double precision, which holds all numbers exactly.
HWY_INLINE hn::Vec<HalfSingles> determinant(hn::Vec<HalfInts> xx, hn::Vec<HalfInts> yy,
                                            hn::Vec<HalfInts> xy) {
  const Doubles d;
  const auto a = hn::PromoteTo(d, xx), b = hn::PromoteTo(d, yy), c = hn::PromoteTo(d, xy);
  const auto outer = hn::Set(d, static_cast<double>(SurfRules::SURF_DETERMINANT));
  const auto mixed = hn::Set(d, static_cast<double>(SurfRules::SURF_MIXED));
  return hn::DemoteTo(HalfSingles(),
                      hn::Sub(hn::Mul(outer, hn::Mul(a, b)), hn::Mul(mixed, hn::Mul(c, c))));
}

HWY_INLINE hn::Vec<Singles> determinants(Sum xx, Sum yy, Sum xy) {
#if HWY_TARGET == HWY_SCALAR
  return determinant(xx, yy, xy);
#else
  const HalfInts d;
  const auto low = determinant(hn::LowerHalf(d, xx), hn::LowerHalf(d, yy), hn::LowerHalf(d, xy));
  const auto high = determinant(hn::UpperHalf(d, xx), hn::UpperHalf(d, yy), hn::UpperHalf(d, xy));
  return hn::Combine(Singles(), high, low);
#endif
}

void determinant_row(const Integral& integral, const SurfFilter& filter, int y, int first, int end,
                     float* out) {
  const Ints di;
  const Singles df;
  const int l = filter.lobe, reach = filter.reach(), inner = (l - 1) / 2;
  const Box across(integral, y, -reach, reach + 1, -l + 1, l);
  const Box across_inner(integral, y, -inner, inner + 1, -l + 1, l);
  const Box down(integral, y, -l + 1, l, -reach, reach + 1);
  const Box down_inner(integral, y, -l + 1, l, -inner, inner + 1);
  const Box upper_left(integral, y, -l, 0, -l, 0), upper_right(integral, y, 1, l + 1, -l, 0);
  const Box lower_left(integral, y, -l, 0, 1, l + 1), lower_right(integral, y, 1, l + 1, 1, l + 1);
  const auto scale = hn::Set(df, filter.scale);
  const auto thrice = [&](Sum v) { return hn::Add(v, hn::Add(v, v)); };
  for (int k = first; k < end; k += static_cast<int>(hn::Lanes(di))) {
    const Sum xx = hn::Sub(across(k), thrice(across_inner(k)));
    const Sum yy = hn::Sub(down(k), thrice(down_inner(k)));
    const Sum xy =
        hn::Sub(hn::Add(upper_left(k), lower_right(k)), hn::Add(upper_right(k), lower_left(k)));
    hn::StoreU(hn::Mul(determinants(xx, yy, xy), scale), df, out + k);
  }
}

void find_maxima(const float* const (*rows)[3], int first, int end, float threshold,
                 std::vector<int>& columns) {
  const hn::ScalableTag<float> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const float* middle = rows[1][1];
  for (int x = first; x < end; x += lanes) {
    const auto v = hn::LoadU(d, middle + x);
    auto found =
        hn::And(hn::Gt(v, hn::Set(d, threshold)), hn::FirstN(d, static_cast<std::size_t>(end - x)));
    if (hn::AllFalse(d, found)) continue;
    auto before = hn::LoadU(d, middle + x - 1), after = hn::LoadU(d, middle + x + 1);
    for (int i = -1; i <= 1; ++i) {
      before = hn::Max(before, hn::LoadU(d, rows[1][0] + x + i));
      after = hn::Max(after, hn::LoadU(d, rows[1][2] + x + i));
    }
    found = hn::And(found, hn::And(hn::Gt(v, before), hn::Ge(v, after)));
    if (hn::AllFalse(d, found)) continue;
    for (int row = 0; row < 3; ++row) {
      for (int i = -1; i <= 1; ++i) {
        before = hn::Max(before, hn::LoadU(d, rows[0][row] + x + i));
        after = hn::Max(after, hn::LoadU(d, rows[2][row] + x + i));
      }
    }
    found = hn::And(found, hn::And(hn::Gt(v, before), hn::Ge(v, after)));
    std::uint8_t bits[HWY_MAX_BYTES / 8] = {};
    hn::StoreMaskBits(d, found, bits);
    for (int i = 0; i < lanes; i += 8) {
      for (unsigned byte = bits[i / 8]; byte != 0; byte &= byte - 1)
        columns.push_back(x + i + std::countr_zero(byte));
    }
  }
}

}  // namespace bifocal::features::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal::features {

HWY_EXPORT(determinant_row);
HWY_EXPORT(find_maxima);

void determinant_row(const Integral& integral, const SurfFilter& filter, int y, int first, int end,
                     float* out) {
  HWY_DYNAMIC_DISPATCH(determinant_row)(integral, filter, y, first, end, out);
}
void find_maxima(const float* const (*rows)[3], int first, int end, float threshold,
                 std::vector<int>& columns) {
  HWY_DYNAMIC_DISPATCH(find_maxima)(rows, first, end, threshold, columns);
}

}  // namespace bifocal::features
#endif
