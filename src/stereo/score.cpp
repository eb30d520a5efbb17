// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/stereo.hpp>

#include <fmt/format.h>

#include <cmath>

namespace bifocal {
namespace {

struct Tally {
  std::int64_t valued = 0, bad1 = 0, bad2 = 0;
  double error = 0;

  void add(float value, float truth) {
    if (!std::isfinite(value)) return;
    const double e = std::fabs(double{value} - double{truth});
    ++valued;
    bad1 += e > 1 ? 1 : 0;
    bad2 += e > 2 ? 1 : 0;
    error += e;
  }
};

// Returns NaN if `whole` is 0.
double percent(std::int64_t part, std::int64_t whole) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

void check(const DisparityMap& d, ImageView<const float> truth,
           ImageView<const std::uint16_t> mask) {
  const auto same = [&](int width, int height, int channels, const char* name) {
    if (width != truth.width || height != truth.height || channels != 1)
      throw Error(ErrorCode::usage,
                  fmt::format("score_disparity: {} is {} x {} with {} channels, truth {} x {}",
                              name, width, height, channels, truth.width, truth.height));
  };
  same(truth.width, truth.height, truth.channels, "truth");
  same(d.raw.width, d.raw.height, d.raw.channels, "raw");
  same(d.filled.width, d.filled.height, d.filled.channels, "filled");
  if (!mask.empty()) same(mask.width, mask.height, mask.channels, "mask");
}

}  // namespace

StereoScore score_disparity(const DisparityMap& disparity, ImageView<const float> truth,
                            ImageView<const std::uint16_t> mask) {
  check(disparity, truth, mask);
  StereoScore s;
  Tally raw, filled;
  for (int y = 0; y < truth.height; ++y) {
    for (int x = 0; x < truth.width; ++x) {
      const float t = truth.at(x, y);
      if (!std::isfinite(t) || (!mask.empty() && mask.at(x, y) != 255)) continue;
      ++s.scored;
      raw.add(disparity.raw.at(x, y), t);
      filled.add(disparity.filled.at(x, y), t);
    }
  }
  const std::int64_t missing = s.scored - filled.valued;
  const auto mean = [](const Tally& t) { return t.error / static_cast<double>(t.valued); };
  s.density = percent(raw.valued, s.scored);
  s.bad1 = percent(raw.bad1, raw.valued);
  s.bad2 = percent(raw.bad2, raw.valued);
  s.avgerr = mean(raw);
  s.bad1_filled = percent(filled.bad1 + missing, s.scored);
  s.bad2_filled = percent(filled.bad2 + missing, s.scored);
  s.avgerr_filled = mean(filled);
  return s;
}

}  // namespace bifocal
