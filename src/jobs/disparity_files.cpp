// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/disparity_files.hpp"

#include <bifocal/io.hpp>

#include <algorithm>
#include <cmath>

namespace bifocal::jobs {
namespace {

// Returns the lowest and highest known disparity without one per cent at each end, so that a few
// outliers do not reduce the contrast of the colours.
std::pair<float, float> colour_range(const ImageF& disparity) {
  std::vector<float> known;
  std::copy_if(disparity.pixels.begin(), disparity.pixels.end(), std::back_inserter(known),
               [](float d) { return std::isfinite(d); });
  if (known.empty()) return {0.0F, 1.0F};
  const auto value = [&](std::size_t rank) {
    const auto place = known.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(known.begin(), place, known.end());
    return *place;
  };
  const float lo = value(known.size() / 100), hi = value(known.size() - 1 - known.size() / 100);
  return {lo, std::max(hi, lo + 1.0F)};
}

}  // namespace

double disparity_png_scale(const ImageF& disparity) {
  float largest = 0;
  for (const float d : disparity.pixels)
    if (std::isfinite(d)) largest = std::max(largest, d);
  double scale = 256;
  while (scale * double{largest} >= 65535.5) scale /= 2;
  return scale;
}

ImageU8 disparity_picture(const DisparityMap& disparity, bool is_reversed) {
  const auto [lo, hi] = colour_range(disparity.raw);
  return turbo_picture(disparity.raw, is_reversed ? hi : lo, is_reversed ? lo : hi);
}

std::int64_t write_disparity_png(const OutputFolder& folder, const DisparityMap& disparity) {
  const double scale = disparity_png_scale(disparity.raw);
  ImageF scaled = disparity.raw;  // by powers of two: exact
  for (float& d : scaled.pixels) {
    d *= static_cast<float>(scale / 256);
    if (d >= 0) d = std::max(d, 1.0F / 256);  // 0 means unknown
  }
  return write_disparity_png16(folder.staged("disparity.png"), scaled);
}

std::int64_t write_disparity_files(const OutputFolder& folder, const DisparityMap& disparity,
                                   const ImageU8& turbo) {
  write_disparity_pfm(folder.staged("disparity.pfm"), disparity.filled);
  write_disparity_pfm(folder.staged("disparity_raw.pfm"), disparity.raw);
  write_png(folder.staged("disparity_turbo.png"), turbo);
  return write_disparity_png(folder, disparity);
}

}  // namespace bifocal::jobs
