// SPDX-License-Identifier: BSD-3-Clause
// Twin: aggregate.kernel.h (GPUs). Computes the path costs of a row on CPUs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stereo/sgm/aggregate_row.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <cstddef>

#include "stereo/sgm/aggregate_row.hpp"
#include "stereo/sgm/widths.hpp"

HWY_BEFORE_NAMESPACE();
namespace bifocal::stereo {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
// Costs are bytes, one per disparity; their sums have twice as many bits.
using D8 = hn::CappedTag<std::uint8_t, kWidestBytes>;
using D16 = hn::RepartitionToWide<D8>;
using V8 = hn::Vec<D8>;
using V16 = hn::Vec<D16>;

HWY_INLINE int lanes8() { return static_cast<int>(hn::Lanes(D8())); }
HWY_INLINE int lanes16() { return static_cast<int>(hn::Lanes(D16())); }
HWY_INLINE std::ptrdiff_t at(int x, int stride) {
  return static_cast<std::ptrdiff_t>(x) * static_cast<std::ptrdiff_t>(stride);
}

// Returns the lowest of the bytes.
HWY_INLINE int lowest(V8 v) {
#if HWY_TARGET == HWY_SCALAR
  return hn::GetLane(v);
#else
  const D16 d16;
  const V16 wide = hn::BitCast(d16, v);
  const V16 pairs =
      hn::Min(hn::And(wide, hn::Set(d16, std::uint16_t{255})), hn::ShiftRight<8>(wide));
  return hn::GetLane(hn::MinOfLanes(d16, pairs));
#endif
}

// One path at one pixel. from, to: costs of the preceding pixel and of this one. least: minimum of
// `from`. jump: penalty for a change of disparity by more than 1.
struct Path {
  const std::uint8_t* from;
  std::uint8_t* to;
  int least, jump;
};

template <int kPaths>
HWY_INLINE void path_pixel(const PathRow& p, const std::uint8_t* cost, const Path (&paths)[kPaths],
                           std::uint16_t* sums, int (&least)[kPaths]) {
  const D8 d8;
  const D16 d16;
  const V8 P1 = hn::Set(d8, static_cast<std::uint8_t>(p.P1));
  V8 lowest_so_far[kPaths], base[kPaths], jump[kPaths];
  for (int k = 0; k < kPaths; ++k) {
    lowest_so_far[k] = hn::Set(d8, std::uint8_t{255});
    base[k] = hn::Set(d8, static_cast<std::uint8_t>(paths[k].least));
    jump[k] = hn::Set(d8, static_cast<std::uint8_t>(paths[k].least + paths[k].jump));
  }
  const int step = lanes8();
  for (int i = 0; i < p.disparities; i += step) {
    const V8 c = hn::LoadU(d8, cost + i);
    V16 low = hn::Zero(d16), high = hn::Zero(d16);
    for (int k = 0; k < kPaths; ++k) {
      const std::uint8_t* from = paths[k].from + i;
      const V8 adjacent = hn::Min(hn::LoadU(d8, from - 1), hn::LoadU(d8, from + 1));
      const V8 came =
          hn::Min(hn::Min(hn::LoadU(d8, from), jump[k]), hn::SaturatedAdd(adjacent, P1));
      const V8 now = hn::SaturatedAdd(c, hn::Sub(came, base[k]));
      hn::StoreU(now, d8, paths[k].to + i);
      lowest_so_far[k] = hn::Min(lowest_so_far[k], now);
#if HWY_TARGET == HWY_SCALAR
      low = hn::Add(low, hn::PromoteTo(d16, now));
#else
      low = hn::Add(low, hn::PromoteTo(d16, hn::LowerHalf(now)));
      high = hn::Add(high, hn::PromoteTo(d16, hn::UpperHalf(hn::Half<D8>(), now)));
#endif
    }
    const int half = lanes16();
    const auto put = [&](V16 sum, int j) {
      if (j >= p.sums_stride) return;
      if (p.add) sum = hn::Add(sum, hn::LoadU(d16, sums + j));
      hn::StoreU(sum, d16, sums + j);
    };
    put(low, i);
#if HWY_TARGET != HWY_SCALAR
    put(high, i + half);
#else
    (void)half;
    (void)high;
#endif
  }
  for (int k = 0; k < kPaths; ++k) least[k] = lowest(lowest_so_far[k]);
}

template <int kPaths>
HWY_INLINE void path_row_of(const PathRow& p, int begin, int end) {
  const std::ptrdiff_t plane = at(p.width + 2, p.stride);
  const int least_plane = p.width + 2;
  const int x0 = p.step > 0 ? begin : end - 1;
  const int count = end - begin;
  for (int n = 0; n < count; ++n) {
    const int x = x0 + n * p.step, from_x[3] = {x, x - p.step, x + p.step};
    Path paths[kPaths];
    // Path along the row. Outside the image, all costs and their minimum are 0.
    const int before = x - p.step, inside = before >= 0 && before < p.width;
    const int parity = x & 1;
    const auto contrast = [&](int a, int b) { return a < b ? b - a : a - b; };
    paths[0] = {p.along + at(1 - parity, p.stride), p.along + at(parity, p.stride), *p.along_least,
                p.jump[inside ? contrast(p.brightness[x], p.brightness[before]) : 0]};
    for (int k = 1; k < kPaths; ++k) {
      const int xb = from_x[k - 1];
      const int xc = xb < 0 ? 0 : xb >= p.width ? p.width - 1 : xb;
      paths[k] = {p.before + (k - 1) * plane + at(xb + 1, p.stride),
                  p.now + (k - 1) * plane + at(x + 1, p.stride),
                  p.least_before[(k - 1) * least_plane + xb + 1],
                  p.jump[contrast(p.brightness[x], p.brightness_before[xc])]};
    }
    int least[kPaths];
    path_pixel<kPaths>(p, p.cost + at(x, p.stride), paths, p.sums + at(x, p.sums_stride), least);
    *p.along_least = least[0];
    for (int k = 1; k < kPaths; ++k)
      p.least_now[(k - 1) * least_plane + x + 1] = static_cast<std::uint8_t>(least[k]);
  }
}

void path_row(const PathRow& p, int begin, int end) {
  if (p.paths == 2) {
    path_row_of<2>(p, begin, end);
  } else {
    path_row_of<4>(p, begin, end);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace bifocal::stereo
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal::stereo {
HWY_EXPORT(path_row);

void path_row(const PathRow& p, int begin, int end) {
  HWY_DYNAMIC_DISPATCH(path_row)(p, begin, end);
}

}  // namespace bifocal::stereo
#endif
