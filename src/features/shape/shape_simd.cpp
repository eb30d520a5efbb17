// SPDX-License-Identifier: BSD-3-Clause
// Affine shapes on CPUs, and orientations in their frames; the twin of shape.kernel.h. Compiled for
// every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/shape/shape_simd.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "features/shape/grid-inl.h"
#include "features/sift/orient.hpp"

HWY_BEFORE_NAMESPACE();
namespace bifocal::features::HWY_NAMESPACE {

// Returns the second moments of the gradients in the frame of a shape.
HWY_INLINE SiftRules::symmetric_2x2 moments_of(const Level& level, float x, float y, float sigma,
                                               const KeypointShape& shape) {
  const Tag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  alignas(64) float values[kPadded], inside[kPadded] = {};
  sample(level, x, y, steps_of(SiftRules::shape_step() * sigma, 0, shape), values, inside);
  Vec xx = hn::Zero(d), xy = xx, yy = xx;
  for (int i = kSide; i < kSamples - kSide; i += lanes) {
    const Vec gx = across_grid(values, i), gy = down_grid(values, i);
    const Vec weight = hn::Mul(hn::LoadU(d, kGrid.moment_weight + i), hn::LoadU(d, inside + i));
    const Vec wx = hn::Mul(weight, gx);
    xx = hn::MulAdd(wx, gx, xx);
    xy = hn::MulAdd(wx, gy, xy);
    yy = hn::MulAdd(hn::Mul(weight, gy), gy, yy);
  }
  return {hn::GetLane(hn::SumOfLanes(d, xx)), hn::GetLane(hn::SumOfLanes(d, xy)),
          hn::GetLane(hn::SumOfLanes(d, yy))};
}

KeypointShape affine_shape(const Level& level, float x, float y, float sigma) {
  auto A = SiftRules::shape_circle();
  for (int round = 0; round < SiftRules::SHAPE_ROUNDS; ++round) {
    const auto moments = moments_of(level, x, y, sigma, {A.xx, A.xy, A.yy});
    const float state = SiftRules::shape_round(moments, &A);
    if (state < 0) break;
    if (state > 0) return {A.xx, A.xy, A.yy};
  }
  return {};
}

OrientationHistogram orientation_histogram(const Level& level, float x, float y, float sigma,
                                           const KeypointShape& shape) {
  const Tag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  alignas(64) float values[kPadded], inside[kPadded] = {}, low[kPadded], high[kPadded];
  alignas(64) std::int32_t bins[kPadded];
  sample(level, x, y, steps_of(SiftRules::shape_step() * sigma, 0, shape), values, inside);
  for (int i = kSide; i < kSamples - kSide; i += lanes) {
    const Vec gx = across_grid(values, i), gy = down_grid(values, i);
    const Vec weight =
        hn::Mul(hn::LoadU(d, kGrid.orientation_weight + i), hn::LoadU(d, inside + i));
    split_gradients(gx, gy, weight, low + i, high + i, bins + i);
  }
  OrientationShares shares;
  shares.add(low + kSide, high + kSide, bins + kSide, kSamples - 2 * kSide);
  return shares.histogram();
}

}  // namespace bifocal::features::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal::features {

HWY_EXPORT(affine_shape);
HWY_EXPORT(orientation_histogram);

KeypointShape affine_shape(const Level& level, float x, float y, float sigma) {
  return HWY_DYNAMIC_DISPATCH(affine_shape)(level, x, y, sigma);
}
OrientationHistogram orientation_histogram(const Level& level, float x, float y, float sigma,
                                           const KeypointShape& shape) {
  return HWY_DYNAMIC_DISPATCH(orientation_histogram)(level, x, y, sigma, shape);
}

}  // namespace bifocal::features
#endif
