// SPDX-License-Identifier: BSD-3-Clause
// Histograms of gradients, compiled for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/descriptor_simd.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "features/descriptor.hpp"
#include "lane/simd-inl.h"

#ifndef BIFOCAL_FEATURES_GRID_
#define BIFOCAL_FEATURES_GRID_
namespace bifocal::features {

// The description's grid: 20 x 20 samples, a quarter of a bin apart, and a frame for the
// differences.
inline constexpr int kSide = 22;
inline constexpr int kSamples = kSide * kSide;
inline constexpr int kRoom = kSamples + 64;  // so that whole registers fit

struct Grid {
  alignas(64) float u[kRoom] = {}, v[kRoom] = {};  // steps from the centre
  alignas(64) float weight[kRoom] =
      {};  // Gaussian of half the descriptor's width (two bins); 0 on the frame
  Grid() {
    for (int i = 0; i < kSamples; ++i) {
      const int row = i / kSide, column = i % kSide;
      u[i] = static_cast<float>(column) - 10.5F;
      v[i] = static_cast<float>(row) - 10.5F;
      const bool frame = row == 0 || column == 0 || row == kSide - 1 || column == kSide - 1;
      weight[i] = frame ? 0.0F : std::exp(-(u[i] * u[i] + v[i] * v[i]) / (2 * 8 * 8));
    }
  }
};
inline const Grid kGrid;

}  // namespace bifocal::features
#endif

HWY_BEFORE_NAMESPACE();
namespace bifocal::features::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<float>;
using IntTag = hn::Rebind<std::int32_t, Tag>;
using Vec = hn::Vec<Tag>;
using IntVec = hn::Vec<IntTag>;

template <class Real>
struct register_rules {
#include "lane/cpp_begin.h"

#include "features/sift.lane.h"

#include "lane/cpp_end.h"
};

// Direction of (x, y) in units of which `turn` make a full turn, [0, turn].
HWY_INLINE Vec direction(Vec x, Vec y, float turn) {
  using Lane = bifocal::HWY_NAMESPACE::simd<float>;
  return register_rules<Lane>::sift_direction(Lane{x}, Lane{y}, Lane{hn::Set(Tag(), turn)}).v;
}

OrientationHistogram orientation_histogram(const Level& level, float x, float y, float sigma) {
  const Tag d;
  const IntTag di;
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
  // Even and odd columns apart, and the shares of a bin and of the next: an addition need not wait
  // for the one before.
  float lows[2][kOrientationBins + 1] = {}, highs[2][kOrientationBins + 1] = {};
  for (int row = y0; row <= y1; ++row) {
    const float dy = static_cast<float>(row) - y, down = std::exp(factor * dy * dy);
    const float* above = level.row(row - 1) + x0;
    const float* here = level.row(row) + x0;
    const float* below = level.row(row + 1) + x0;
    for (int i = 0; i <= x1 - x0; i += lanes) {
      const Vec gx = hn::Sub(hn::LoadU(d, here + i + 1), hn::LoadU(d, here + i - 1));
      const Vec gy = hn::Sub(hn::LoadU(d, below + i), hn::LoadU(d, above + i));
      const Vec magnitude = hn::Sqrt(hn::MulAdd(gx, gx, hn::Mul(gy, gy)));
      const Vec weight = hn::Mul(hn::Load(d, across + i), hn::Set(d, down));
      const Vec share = hn::Mul(magnitude, weight), at = direction(gx, gy, kOrientationBins);
      const IntVec bin = hn::ConvertTo(di, at);
      const Vec part = hn::Mul(hn::Sub(at, hn::ConvertTo(d, bin)), share);
      hn::Store(hn::Sub(share, part), d, low + i);
      hn::Store(part, d, high + i);
      hn::Store(bin, di, bins + i);
    }
    for (int i = 0; i <= x1 - x0; ++i) {
      lows[i % 2][bins[i]] += low[i];
      highs[i % 2][bins[i]] += high[i];
    }
  }
  OrientationHistogram result{};
  for (int i = 0; i <= kOrientationBins; ++i) {
    result[static_cast<std::size_t>(i % kOrientationBins)] += lows[0][i] + lows[1][i];
    result[static_cast<std::size_t>((i + 1) % kOrientationBins)] += highs[0][i] + highs[1][i];
  }
  return result;
}

// Bilinear samples of the level on the grid. Where a sample is outside of the image `inside` is 0.
HWY_INLINE void sample(const Level& level, float x, float y, float step_u, float step_v,
                       float* values, float* inside) {
  const Tag d;
  const IntTag di;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const Vec right = hn::Set(d, static_cast<float>(level.width - 1));
  const Vec bottom = hn::Set(d, static_cast<float>(level.height - 1));
  for (int i = 0; i < kSamples; i += lanes) {
    const Vec u = hn::Load(d, kGrid.u + i), v = hn::Load(d, kGrid.v + i);
    Vec px = hn::MulAdd(u, hn::Set(d, step_u), hn::NegMulAdd(v, hn::Set(d, step_v), hn::Set(d, x)));
    Vec py = hn::MulAdd(u, hn::Set(d, step_v), hn::MulAdd(v, hn::Set(d, step_u), hn::Set(d, y)));
    const auto in_x = hn::And(hn::Ge(px, hn::Zero(d)), hn::Le(px, right));
    const auto in_y = hn::And(hn::Ge(py, hn::Zero(d)), hn::Le(py, bottom));
    hn::Store(hn::IfThenElseZero(hn::And(in_x, in_y), hn::Set(d, 1.0F)), d, inside + i);
    px = hn::Min(hn::Max(px, hn::Zero(d)), right);
    py = hn::Min(hn::Max(py, hn::Zero(d)), bottom);
    const IntVec ix = hn::Min(hn::ConvertTo(di, px), hn::Set(di, level.width - 2));
    const IntVec iy = hn::Min(hn::ConvertTo(di, py), hn::Set(di, level.height - 2));
    const Vec fx = hn::Sub(px, hn::ConvertTo(d, ix)), fy = hn::Sub(py, hn::ConvertTo(d, iy));
    const IntVec mask = hn::Set(di, level.mask), stride = hn::Set(di, level.stride);
    const IntVec upper = hn::Add(hn::Mul(hn::And(iy, mask), stride), ix);
    const IntVec lower = hn::Add(hn::Mul(hn::And(hn::Add(iy, hn::Set(di, 1)), mask), stride), ix);
    const Vec a = hn::GatherIndex(d, level.data, upper),
              b = hn::GatherIndex(d, level.data + 1, upper);
    const Vec c = hn::GatherIndex(d, level.data, lower),
              e = hn::GatherIndex(d, level.data + 1, lower);
    const Vec top = hn::MulAdd(fx, hn::Sub(b, a), a), low = hn::MulAdd(fx, hn::Sub(e, c), c);
    hn::Store(hn::MulAdd(fy, hn::Sub(low, top), top), d, values + i);
  }
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

Description describe(const Level& level, float x, float y, float sigma, float angle_deg) {
  const Tag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  alignas(64) float values[kRoom], weights[kRoom] = {}, directions[kRoom];
  const float angle = angle_deg * 0.01745329252F,
              step = 0.25F * SiftRules::sift_bin_width() * sigma;
  sample(level, x, y, step * std::cos(angle), step * std::sin(angle), values, weights);
  for (int i = kSide; i < kSamples - kSide; i += lanes) {
    const Vec gx = hn::Sub(hn::LoadU(d, values + i + 1), hn::LoadU(d, values + i - 1));
    const Vec gy = hn::Sub(hn::LoadU(d, values + i + kSide), hn::LoadU(d, values + i - kSide));
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
Description describe(const Level& level, float x, float y, float sigma, float angle_deg) {
  return HWY_DYNAMIC_DISPATCH(describe)(level, x, y, sigma, angle_deg);
}

}  // namespace bifocal::features
#endif
