// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "features/sift/descriptor.hpp"
#include "features/sift/sift_rules.hpp"

namespace bifocal::features {
namespace {

constexpr float kTiny = 1e-20F;  // below any length that isn't zero

std::size_t around(int i) {
  return static_cast<std::size_t>((i + kOrientationBins) % kOrientationBins);
}

// Convolution with (1 4 6 4 1) / 16 on the circle.
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
    // Of two equal bins the first is the peak.
    if (!(here > left && here >= right && here >= SiftRules::sift_peak_ratio() * highest)) continue;
    peaks.emplace_back(here, SiftRules::sift_peak(static_cast<float>(i), left, here, right));
  }
  std::stable_sort(peaks.begin(), peaks.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<float> result;
  for (const auto& [height, degrees] : peaks) result.push_back(degrees);
  return result;
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
