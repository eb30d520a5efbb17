// SPDX-License-Identifier: BSD-3-Clause
// Orientations of points on CPUs, the twin of orient.kernel.h; compiled for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/sift/orient.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "features/shape/grid-inl.h"
#include "features/sift/orient.hpp"

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
  alignas(64) float across[kRow] = {}, low[kRow], high[kRow];  // shares of a bin and of the
                                                               // next bin
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

}  // namespace bifocal::features::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal::features {

HWY_EXPORT(orientation_histogram);

OrientationHistogram orientation_histogram(const Level& level, float x, float y, float sigma) {
  return HWY_DYNAMIC_DISPATCH(orientation_histogram)(level, x, y, sigma);
}

namespace {

std::size_t around(int i) {
  return static_cast<std::size_t>((i + kOrientationBins) % kOrientationBins);
}

// Convolves the circular histogram with (1 4 6 4 1) / 16.
OrientationHistogram smoothed(const OrientationHistogram& h) {
  OrientationHistogram result;
  for (int i = 0; i < kOrientationBins; ++i) {
    result[around(i)] = SiftRules::sift_smoothed(h[around(i - 2)], h[around(i - 1)], h[around(i)],
                                                 h[around(i + 1)], h[around(i + 2)]);
  }
  return result;
}

}  // namespace

std::vector<float> dominant_directions(const OrientationHistogram& histogram) {
  const OrientationHistogram h = smoothed(histogram);
  const float highest = *std::max_element(h.begin(), h.end());
  std::vector<std::pair<float, float>> peaks;  // height, direction
  for (int i = 0; i < kOrientationBins; ++i) {
    const float left = h[around(i - 1)], here = h[around(i)], right = h[around(i + 1)];
    // The first of two equal bins is the peak.
    if (!(here > left && here >= right && here >= SiftRules::sift_peak_ratio() * highest)) continue;
    peaks.emplace_back(here, SiftRules::sift_peak(static_cast<float>(i), left, here, right));
  }
  std::stable_sort(peaks.begin(), peaks.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<float> result;
  for (const auto& [height, degrees] : peaks) result.push_back(degrees);
  return result;
}

}  // namespace bifocal::features
#endif
