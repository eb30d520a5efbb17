// SPDX-License-Identifier: BSD-3-Clause
#include "stereo/maps.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "stereo/row_blocks.hpp"
#include "stereo/rules.hpp"

namespace bifocal::stereo {
namespace {

constexpr std::uint16_t kUnknown = Rules::UNKNOWN_DISPARITY;

}  // namespace

int subpixels_of(double px) {
  if (px < 0) return -1;
  const double rounded = std::floor(px * double{Rules::SUBPIXELS} + 0.5);
  return rounded < 65534 ? static_cast<int>(rounded) : 65534;
}

MapPointers pointers_of(DisparityMap& map, int width, int height, bool has_confidence) {
  fit(map.raw, width, height);
  fit(map.filled, width, height);
  if (has_confidence) {
    fit(map.confidence, width, height);
  } else {
    map.confidence = {};
  }
  return {map.raw.pixels.data(), map.filled.pixels.data(),
          has_confidence ? map.confidence.pixels.data() : nullptr};
}

double to_maps(ImageView<const std::uint16_t> raw, ImageView<const std::uint16_t> filled,
               const std::uint8_t* confidence, int min_disparity, const MapPointers& out) {
  const int width = raw.width, height = raw.height;
  const auto write_px = [&](const std::uint16_t* in, float* to) {
    for (int x = 0; x < width; ++x) to[x] = Rules::disparity_px(in[x], min_disparity);
  };
  std::atomic<std::int64_t> total{0};
  for_rows(height, [&](int y) {
    const auto at = static_cast<std::ptrdiff_t>(y) * width;
    const std::uint16_t* row = raw.row(y);
    if (out.raw) write_px(row, out.raw + at);
    if (out.filled) write_px(filled.row(y), out.filled + at);
    if (out.confidence) {
      // Local copies of the pointers and the width: otherwise the compiler must assume that the
      // written bytes alias `out` or `width`.
      std::uint8_t* const to = out.confidence + at;
      const std::uint8_t* const from = confidence + at;
      for (int x = 0, n = width; x < n; ++x) to[x] = row[x] == kUnknown ? std::uint8_t{0} : from[x];
    }
    total += width - std::count(row, row + width, kUnknown);
  });
  return 100.0 * static_cast<double>(total) / (static_cast<double>(width) * height);
}

}  // namespace bifocal::stereo
