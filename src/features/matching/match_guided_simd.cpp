// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/matching/match_guided_simd.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "features/matching/match_kernel.hpp"
#include "features/matching/match_guided.hpp"
#include "lane/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bifocal::features::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class Real>
struct guide_lanes {
#include "lane/cpp_begin.h"
#include "math/sampson.lane.h"
#include "math/transfer.lane.h"
#include "lane/cpp_end.h"
};

int fitting_columns(const MatchGuide& guide, double x1, double y1, const double* x, const double* y,
                    int padded, int* out) {
  using real = bifocal::HWY_NAMESPACE::simd<double>;
  using lanes = guide_lanes<real>;
  const hn::ScalableTag<double> d;
  const int width = static_cast<int>(hn::Lanes(d));
  real model[9];
  for (int e = 0; e < 9; ++e) model[e] = lanes::lane(guide.model[static_cast<std::size_t>(e)]);
  const real limit = lanes::lane(guide.threshold * guide.threshold);
  const real px = lanes::lane(x1), py = lanes::lane(y1);
  int count = 0;
  for (int j = 0; j < padded; j += width) {
    const real qx{hn::LoadU(d, x + j)}, qy{hn::LoadU(d, y + j)};
    const auto fits = guide.kind == GuideKind::epipolar
                          ? lanes::sampson_within(model, px, py, qx, qy, limit)
                          : lanes::transfer_within(model, px, py, qx, qy, limit);
    if (hn::AllFalse(d, fits.m)) continue;
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, fits.m, bits);
    for (int lane = 0; lane < width; ++lane)
      if ((bits[lane / 8] >> lane % 8 & 1) != 0) out[count++] = j + lane;
  }
  return count;
}

std::int32_t squared_distance(const std::uint8_t* a, const std::uint8_t* b) {
  std::int32_t sum = 0;
  for (int k = 0; k < kElements; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}

}  // namespace bifocal::features::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal::features {

HWY_EXPORT(fitting_columns);
HWY_EXPORT(squared_distance);

int fitting_columns(const MatchGuide& guide, double x1, double y1, const double* x, const double* y,
                    int padded, int* out) {
  return HWY_DYNAMIC_DISPATCH(fitting_columns)(guide, x1, y1, x, y, padded, out);
}
std::int32_t squared_distance(const std::uint8_t* a, const std::uint8_t* b) {
  return HWY_DYNAMIC_DISPATCH(squared_distance)(a, b);
}

}  // namespace bifocal::features
#endif
