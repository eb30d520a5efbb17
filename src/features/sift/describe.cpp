// SPDX-License-Identifier: BSD-3-Clause
// Descriptions of points on CPUs, the twin of describe.kernel.h; compiled for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/sift/describe.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "features/shape/grid-inl.h"
#include "features/sift/describe.hpp"

HWY_BEFORE_NAMESPACE();
namespace bifocal::features::HWY_NAMESPACE {

// Register of the eight directions of a bin, or of as many directions as fit.
using DirectionTag = hn::CappedTag<float, 8>;
using Directions = hn::Vec<DirectionTag>;

// Returns the shares of a sample in the directions from `first` on. Shares are linear in the angle.
HWY_INLINE Directions share_out(float weight, float at, Directions first) {
  const DirectionTag d;
  const Directions apart = hn::Abs(hn::Sub(hn::Set(d, at), first));
  const Directions angle = hn::Min(apart, hn::Sub(hn::Set(d, 8.0F), apart));
  const Directions share = hn::Max(hn::Zero(d), hn::Sub(hn::Set(d, 1.0F), angle));
  return hn::Mul(share, hn::Set(d, weight));
}

HWY_INLINE void add_to(float* sum, Directions share, float factor) {
  const DirectionTag d;
  hn::StoreU(hn::MulAdd(share, hn::Set(d, factor), hn::LoadU(d, sum)), d, sum);
}

// Adds the 20 samples of one row to the bins on both sides. They lie in the five gaps between the
// centres of bins.
HWY_INLINE void gather_row(const float* weights, const float* directions, float (*bins)[8]) {
  const DirectionTag d;
  for (int o = 0; o < 8; o += static_cast<int>(hn::Lanes(d))) {
    const Directions first = hn::Iota(d, static_cast<float>(o));
    for (int gap = 0; gap < 5; ++gap) {
      Directions all = hn::Zero(d), right = all;
      for (int k = 0; k < 4; ++k) {
        const Directions share = share_out(weights[4 * gap + k], directions[4 * gap + k], first);
        all = hn::Add(all, share);
        right = hn::MulAdd(share, hn::Set(d, SiftRules::sift_bin_share(k)), right);
      }
      add_to(bins[gap] + o, hn::Sub(all, right), 1);
      add_to(bins[gap + 1] + o, right, 1);
    }
  }
}

// Distributes the bins of a row of samples to the rows of bins above and below.
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
  alignas(64) float values[kPadded], weights[kPadded] = {}, directions[kPadded];
  const float step = 0.25F * SiftRules::sift_bin_width() * sigma;
  sample(level, x, y, steps_of(step, angle_deg, shape), values, weights);
  for (int i = kSide; i < kSamples - kSide; i += lanes) {
    const Vec gx = across_grid(values, i), gy = down_grid(values, i);
    const Vec magnitude = hn::Sqrt(hn::MulAdd(gx, gx, hn::Mul(gy, gy)));
    const Vec weight = hn::Mul(hn::LoadU(d, kGrid.weight + i), hn::LoadU(d, weights + i));
    hn::StoreU(hn::Mul(magnitude, weight), d, weights + i);
    hn::StoreU(direction(gx, gy, 8), d, directions + i);
  }
  float histogram[6][6][8] = {};  // includes the bins beyond the border, which are dropped
  for (int row = 0; row < 20; ++row) {
    float bins[6][8] = {};
    const int first = (row + 1) * kSide + 1;
    gather_row(weights + first, directions + first, bins);
    spread_row(bins, SiftRules::sift_bin_share(row % 4), histogram[row / 4],
               histogram[row / 4 + 1]);
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
namespace {

constexpr float kTiny = 1e-20F;  // below any length except zero

}  // namespace

HWY_EXPORT(describe);

Description describe(const Level& level, float x, float y, float sigma, float angle_deg,
                     const KeypointShape& shape) {
  return HWY_DYNAMIC_DISPATCH(describe)(level, x, y, sigma, angle_deg, shape);
}

std::vector<Domain> domains_of(const SiftOptions& options) {
  if (!options.domain_size_pooling) return {{}};
  std::vector<Domain> domains;
  for (int k = 0; k < SiftRules::SIFT_DOMAINS; ++k) {
    const float size = SiftRules::sift_domain_size(k);
    const auto layers = static_cast<float>(options.octave_layers);
    domains.push_back({size, static_cast<int>(std::lround(layers * std::log2(size)))});
  }
  return domains;
}

Description describe(std::span<const Level> levels, int level, const std::vector<Domain>& domains,
                     float x, float y, float sigma, float angle_deg, const KeypointShape& shape) {
  Description sum{};
  for (const Domain& domain : domains) {
    const int at = std::clamp(level + domain.levels_up, 0, static_cast<int>(levels.size()) - 1);
    const Description own =
        describe(levels[std::size_t(at)], x, y, domain.size * sigma, angle_deg, shape);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += own[i];
  }
  return sum;
}

void quantise(const Description& description, bool root, std::uint8_t* out) {
  const float clip = SiftRules::sift_clip(), scale = SiftRules::sift_byte_scale();
  const auto unit = [](Description& v) {
    float sum = 0;
    for (float x : v) sum += x * x;
    const float factor = 1 / std::max(std::sqrt(sum), kTiny);
    for (float& x : v) x *= factor;
  };
  Description v = description;
  unit(v);
  float total = 0;
  for (float& x : v) total += x = std::min(x, clip);
  if (root) {
    for (float& x : v) x = std::sqrt(x / std::max(total, kTiny));
  } else {
    unit(v);
  }
  std::transform(v.begin(), v.end(), out, [&](float x) {
    return static_cast<std::uint8_t>(std::min(255.0F, std::floor(scale * x + 0.5F)));
  });
}

}  // namespace bifocal::features
#endif
