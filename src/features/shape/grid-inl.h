// SPDX-License-Identifier: BSD-3-Clause
// Samples from which descriptions and shapes are computed, for every SIMD target. Files that are
// compiled once per target include it.
#if !defined(BIFOCAL_FEATURES_GRID_TABLES_)
#define BIFOCAL_FEATURES_GRID_TABLES_

#include <cmath>
#include <cstdint>

#include "features/sift/orient.hpp"

namespace bifocal::features {

// The grid has 20 x 20 samples, and a frame for the differences.
inline constexpr int kSide = SiftRules::GRID_SIDE;
inline constexpr int kSamples = kSide * kSide;
inline constexpr int kPadded = kSamples + 64;  // padded to whole registers

struct SampleGrid {
  alignas(64) float u[kPadded] = {}, v[kPadded] = {};  // steps from the centre
  // Gaussian weights, 0 on the frame: for descriptions with half the descriptor's width (two bins),
  // for second moments, and for orientations.
  alignas(64) float weight[kPadded] = {}, moment_weight[kPadded] = {},
                    orientation_weight[kPadded] = {};
  SampleGrid() {
    const float moments = SiftRules::shape_window() / SiftRules::shape_step(),
                orientations = SiftRules::sift_orientation_spread() / SiftRules::shape_step();
    for (int i = 0; i < kSamples; ++i) {
      const int row = i / kSide, column = i % kSide;
      u[i] = static_cast<float>(column) - 10.5F;
      v[i] = static_cast<float>(row) - 10.5F;
      if (row == 0 || column == 0 || row == kSide - 1 || column == kSide - 1) continue;
      const float squares = u[i] * u[i] + v[i] * v[i];
      weight[i] = std::exp(-squares / (2 * 8 * 8));
      moment_weight[i] = std::exp(-squares / (2 * moments * moments));
      orientation_weight[i] = std::exp(-squares / (2 * orientations * orientations));
    }
  }
};
inline const SampleGrid kGrid;

// Step along a row of the grid (ux, uy), and step to the next row (vx, vy), in px.
struct Steps {
  float ux, uy, vx, vy;
};
// Returns steps of `step` px, rotated by an angle in the frame of a shape.
inline Steps steps_of(float step, float angle_deg, const KeypointShape& shape) {
  const float angle = angle_deg * 0.01745329252F;
  const float c = step * std::cos(angle), s = step * std::sin(angle);
  return {shape.xx * c + shape.xy * s, shape.xy * c + shape.yy * s, shape.xy * c - shape.xx * s,
          shape.yy * c - shape.xy * s};
}

}  // namespace bifocal::features
#endif

#if defined(BIFOCAL_FEATURES_GRID_INL_) == defined(HWY_TARGET_TOGGLE)
#ifdef BIFOCAL_FEATURES_GRID_INL_
#undef BIFOCAL_FEATURES_GRID_INL_
#else
#define BIFOCAL_FEATURES_GRID_INL_
#endif

#include <hwy/highway.h>

#include "lane/simd-inl.h"

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

#include "features/sift/sift.lane.h"

#include "lane/cpp_end.h"
};

// Returns the direction of (x, y) in [0, full_circle].
HWY_INLINE Vec direction(Vec x, Vec y, float full_circle) {
  using Lane = bifocal::HWY_NAMESPACE::simd<float>;
  return register_rules<Lane>::sift_direction(Lane{x}, Lane{y}, Lane{hn::Set(Tag(), full_circle)})
      .v;
}

// Samples the level bilinearly on the grid. `inside` is 0 for samples outside the image.
HWY_INLINE void sample(const Level& level, float x, float y, const Steps& steps, float* values,
                       float* inside) {
  const Tag d;
  const IntTag di;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const Vec right = hn::Set(d, static_cast<float>(level.width - 1));
  const Vec bottom = hn::Set(d, static_cast<float>(level.height - 1));
  for (int i = 0; i < kSamples; i += lanes) {
    const Vec u = hn::Load(d, kGrid.u + i), v = hn::Load(d, kGrid.v + i);
    Vec px =
        hn::MulAdd(u, hn::Set(d, steps.ux), hn::MulAdd(v, hn::Set(d, steps.vx), hn::Set(d, x)));
    Vec py =
        hn::MulAdd(u, hn::Set(d, steps.uy), hn::MulAdd(v, hn::Set(d, steps.vy), hn::Set(d, y)));
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

// Returns the differences between both neighbours of sample i, and of the samples in the
// following lanes.
HWY_INLINE Vec across_grid(const float* values, int i) {
  const Tag d;
  return hn::Sub(hn::LoadU(d, values + i + 1), hn::LoadU(d, values + i - 1));
}
HWY_INLINE Vec down_grid(const float* values, int i) {
  const Tag d;
  return hn::Sub(hn::LoadU(d, values + i + kSide), hn::LoadU(d, values + i - kSide));
}

// Splits the weighted magnitudes of gradients between bin `bins` of the histogram (low) and the
// next bin (high).
HWY_INLINE void split_gradients(Vec gx, Vec gy, Vec weight, float* low, float* high,
                                std::int32_t* bins) {
  const Tag d;
  const IntTag di;
  const Vec magnitude = hn::Sqrt(hn::MulAdd(gx, gx, hn::Mul(gy, gy)));
  const Vec share = hn::Mul(magnitude, weight), at = direction(gx, gy, kOrientationBins);
  const IntVec bin = hn::ConvertTo(di, at);
  const Vec part = hn::Mul(hn::Sub(at, hn::ConvertTo(d, bin)), share);
  hn::StoreU(hn::Sub(share, part), d, low);
  hn::StoreU(part, d, high);
  hn::StoreU(bin, di, bins);
}

// Sums of shares. Low and high shares have separate sums, and so have even and odd samples, so that
// an addition need not wait for the preceding addition.
struct OrientationShares {
  float lows[2][kOrientationBins + 1] = {}, highs[2][kOrientationBins + 1] = {};

  HWY_INLINE void add(const float* low, const float* high, const std::int32_t* bins, int count) {
    for (int i = 0; i < count; ++i) {
      lows[i % 2][bins[i]] += low[i];
      highs[i % 2][bins[i]] += high[i];
    }
  }
  [[nodiscard]] HWY_INLINE OrientationHistogram histogram() const {
    OrientationHistogram result{};
    for (int i = 0; i <= kOrientationBins; ++i) {
      result[static_cast<std::size_t>(i % kOrientationBins)] += lows[0][i] + lows[1][i];
      result[static_cast<std::size_t>((i + 1) % kOrientationBins)] += highs[0][i] + highs[1][i];
    }
    return result;
  }
};

}  // namespace bifocal::features::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
