// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/stereo.hpp>

#include <cmath>

namespace bifocal {

std::string disparity_doubt(const DisparityMap& disparity, int min_disparity, int disparities) {
  constexpr double kLowDensity = 10;  // per cent of the pixels
  if (disparity.density == 0)
    return "no disparity is known: the images have no texture, repeat themselves, or do not show "
           "the same scene within the search";
  const int first = min_disparity, last = first + disparities - 1;
  std::int64_t known = 0, at_ends = 0;
  for (const float d : disparity.raw.pixels) {
    if (std::isnan(d)) continue;
    ++known;
    at_ends += d < static_cast<float>(first) + 0.5F || d > static_cast<float>(last) - 0.5F ? 1 : 0;
  }
  if (2 * at_ends >= known)
    return fmt::format(
        "{:.0f} % of the known disparities are at an end of the search, {} or {} px: the same "
        "image twice, or a search that ends too early",
        100.0 * static_cast<double>(at_ends) / static_cast<double>(known), first, last);
  if (disparity.density < kLowDensity)
    return fmt::format(
        "{:.1f} % of the pixels match, too few: the images are not rectified, are exchanged, or do "
        "not show the same scene within the search of {} to {} px",
        disparity.density, first, last);
  return {};
}

}  // namespace bifocal
