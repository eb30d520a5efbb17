// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stereo/median_row.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "stereo/median_row.hpp"

HWY_BEFORE_NAMESPACE();
namespace bifocal::stereo {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<std::uint16_t, 32>;
using V = hn::Vec<D>;

HWY_INLINE void order(V& low, V& high) {
  const V least = hn::Min(low, high);
  high = hn::Max(low, high);
  low = least;
}

// One round with v [m]: the lowest and the highest are forgotten; then with the next in the free
// place, until three are left.
template <int m>
HWY_INLINE V middle_of(V* v, const V* next) {
#pragma GCC unroll 16
  for (int i = 0; i < m / 2; ++i) order(v[i], v[m - 1 - i]);
#pragma GCC unroll 16
  for (int i = 1; i <= (m - 1) / 2; ++i) order(v[0], v[i]);
#pragma GCC unroll 16
  for (int i = m / 2; i < m - 1; ++i) order(v[i], v[m - 1]);
  if constexpr (m == 3) {
    return v[1];
  } else {
    v[0] = *next;
    return middle_of<m - 1>(v, next + 1);
  }
}

// The lowest and the highest of more than half of all cannot be the median of all.
template <int kCount>
HWY_INLINE V median_of(V* v) {
  constexpr int first = kCount / 2 + 2;
  return middle_of<first>(v, v + first);
}

template <int kSide>
HWY_INLINE void median_row_of(const std::uint16_t* const* rows, int width, std::uint16_t* out) {
  const D d;
  const V unknown = hn::Set(d, std::uint16_t{0xffff});
  for (int x = 0; x < width; x += static_cast<int>(hn::Lanes(d))) {
    V v[kSide * kSide];
    V pad = unknown;  // unknown ones count as highest and lowest in turn
    for (int k = 0; k < kSide * kSide; ++k) {
      const V u = hn::LoadU(d, rows[k / kSide] + x + k % kSide - kSide / 2);
      const auto is_unknown = hn::Eq(u, unknown);
      v[k] = hn::IfThenElse(is_unknown, pad, u);
      pad = hn::Xor(pad, hn::IfThenElseZero(is_unknown, unknown));
    }
    const V centre = hn::LoadU(d, rows[kSide / 2] + x);
    const V median = median_of<kSide * kSide>(v);
    hn::StoreU(hn::IfThenElse(hn::Eq(centre, unknown), unknown, median), d, out + x);
  }
}

void median_row(const std::uint16_t* const* rows, int side, int width, std::uint16_t* out) {
  if (side == 3) {
    median_row_of<3>(rows, width, out);
  } else {
    median_row_of<5>(rows, width, out);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace bifocal::stereo
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal::stereo {
HWY_EXPORT(median_row);

void median_row(const std::uint16_t* const* rows, int side, int width, std::uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(median_row)(rows, side, width, out);
}
}  // namespace bifocal::stereo
#endif
