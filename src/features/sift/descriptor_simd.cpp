// SPDX-License-Identifier: BSD-3-Clause
// Histograms of gradients, compiled for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/sift/descriptor_simd.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "features/sift/descriptor.hpp"
#include "features/shape/grid-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bifocal::features::HWY_NAMESPACE {

OrientationHistogram orientation_histogram(const Level& level, float x, float y, float sigma) {
  const Tag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const float spread = SiftRules::sift_orientation_spread() * sigma;
  const int reach = static_cast<int>(std::lround(3 * spread));
  const int cx = static_cast<int>(std::lround(x)), cy = static_cast<int>(std::lround(y));
  const int x0 = std::max(1, cx - reach), x1 = std::min(level.width - 2, cx + reach);
  const int y0 = std::max(1, cy - reach), y1 = std::min(level.height - 2, cy + reach);
  constexpr int kRow = 512;
  alignas(64) float across[kRow] = {}, low[kRow], high[kRow];  // shares of a bin and of the next
  alignas(64) std::int32_t bins[kRow];
  const float factor = -0.5F / (spread * spread);
  for (int i = x0; i <= x1; ++i) {
    const float dx = static_cast<float>(i) - x;
    across[i - x0] = std::exp(factor * dx * dx);
  }
  OrientationShares shares;
  for (int row = y0; row <= y1; ++row) {
    const float dy = static_cast<float>(row) - y, down = std::exp(factor * dy * dy);
    const float* above = level.row(row - 1) + x0;
    const float* here = level.row(row) + x0;
    const float* below = level.row(row + 1) + x0;
    for (int i = 0; i <= x1 - x0; i += lanes) {
      const Vec gx = hn::Sub(hn::LoadU(d, here + i + 1), hn::LoadU(d, here + i - 1));
      const Vec gy = hn::Sub(hn::LoadU(d, below + i), hn::LoadU(d, above + i));
      const Vec weight = hn::Mul(hn::Load(d, across + i), hn::Set(d, down));
      split_gradients(gx, gy, weight, low + i, high + i, bins + i);
    }
    shares.add(low, high, bins, x1 - x0 + 1);
  }
  return shares.histogram();
}

// Four samples between the centres of two neighbouring bins: their share of the left and of the
// right one.
constexpr float kShares[4] = {0.125F, 0.375F, 0.625F, 0.875F};

// The eight directions of a bin, or as many of them as a register holds.
using DirectionTag = hn::CappedTag<float, 8>;
using Directions = hn::Vec<DirectionTag>;

// Shares of a sample in the directions that begin with `first`: linear in the angle between.
HWY_INLINE Directions share_out(float weight, float at, Directions first) {
  const DirectionTag d;
  const Directions apart = hn::Abs(hn::Sub(hn::Set(d, at), first));
  const Directions turn = hn::Min(apart, hn::Sub(hn::Set(d, 8.0F), apart));
  const Directions share = hn::Max(hn::Zero(d), hn::Sub(hn::Set(d, 1.0F), turn));
  return hn::Mul(share, hn::Set(d, weight));
}

HWY_INLINE void add_to(float* sum, Directions share, float factor) {
  const DirectionTag d;
  hn::StoreU(hn::MulAdd(share, hn::Set(d, factor), hn::LoadU(d, sum)), d, sum);
}

// Adds the 20 samples of one row, which lie in the five gaps between the centres of bins, to the
// bins on both sides.
HWY_INLINE void gather_row(const float* weights, const float* directions, float (*bins)[8]) {
  const DirectionTag d;
  for (int o = 0; o < 8; o += static_cast<int>(hn::Lanes(d))) {
    const Directions first = hn::Iota(d, static_cast<float>(o));
    for (int gap = 0; gap < 5; ++gap) {
      Directions all = hn::Zero(d), right = all;
      for (int k = 0; k < 4; ++k) {
        const Directions share = share_out(weights[4 * gap + k], directions[4 * gap + k], first);
        all = hn::Add(all, share);
        right = hn::MulAdd(share, hn::Set(d, kShares[k]), right);
      }
      add_to(bins[gap] + o, hn::Sub(all, right), 1);
      add_to(bins[gap + 1] + o, right, 1);
    }
  }
}

// Shares a row's bins out to the rows of bins above and below.
HWY_INLINE void spread_row(const float (*bins)[8], float share, float (*upper)[8],
                           float (*lower)[8]) {
  const DirectionTag d;
  for (int b = 1; b < 5; ++b) {
    for (int o = 0; o < 8; o += static_cast<int>(hn::Lanes(d))) {
      const Directions sum = hn::LoadU(d, bins[b] + o);
      add_to(upper[b] + o, sum, 1 - share);
      add_to(lower[b] + o, sum, share);
    }
  }
}

Description describe(const Level& level, float x, float y, float sigma, float angle_deg,
                     const KeypointShape& shape) {
  const Tag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  alignas(64) float values[kRoom], weights[kRoom] = {}, directions[kRoom];
  const float step = 0.25F * SiftRules::sift_bin_width() * sigma;
  sample(level, x, y, steps_of(step, angle_deg, shape), values, weights);
  for (int i = kSide; i < kSamples - kSide; i += lanes) {
    const Vec gx = across_grid(values, i), gy = down_grid(values, i);
    const Vec magnitude = hn::Sqrt(hn::MulAdd(gx, gx, hn::Mul(gy, gy)));
    const Vec weight = hn::Mul(hn::LoadU(d, kGrid.weight + i), hn::LoadU(d, weights + i));
    hn::StoreU(hn::Mul(magnitude, weight), d, weights + i);
    hn::StoreU(direction(gx, gy, 8), d, directions + i);
  }
  float histogram[6][6][8] = {};  // with the bins beyond the border, which are dropped
  for (int row = 0; row < 20; ++row) {
    float bins[6][8] = {};
    const int first = (row + 1) * kSide + 1;
    gather_row(weights + first, directions + first, bins);
    spread_row(bins, kShares[row % 4], histogram[row / 4], histogram[row / 4 + 1]);
  }
  Description result;
  float* out = result.data();
  for (int by = 1; by < 5; ++by) {
    for (int bx = 1; bx < 5; ++bx, out += 8) std::copy_n(histogram[by][bx], 8, out);
  }
  return result;
}

}  // namespace bifocal::features::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal::features {

HWY_EXPORT(orientation_histogram);
HWY_EXPORT(describe);

OrientationHistogram orientation_histogram(const Level& level, float x, float y, float sigma) {
  return HWY_DYNAMIC_DISPATCH(orientation_histogram)(level, x, y, sigma);
}
Description describe(const Level& level, float x, float y, float sigma, float angle_deg,
                     const KeypointShape& shape) {
  return HWY_DYNAMIC_DISPATCH(describe)(level, x, y, sigma, angle_deg, shape);
}

}  // namespace bifocal::features
#endif
