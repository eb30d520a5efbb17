// SPDX-License-Identifier: BSD-3-Clause
// Plain reference of all processing after the winners are determined, for comparison with the fast
// filters. Disparities are in 1/32 px.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include <bifocal/stereo.hpp>

#include "stereo/reference_planes.hpp"

namespace bifocal::test {

inline int nearest_subpixels(double px) {
  return px < 0 ? -1 : static_cast<int>(std::min(65534.0, std::floor(px * 32 + 0.5)));
}

inline bool has(const ImageU16& disparity, int x, int y) {
  return x >= 0 && y >= 0 && x < disparity.width && y < disparity.height &&
         disparity.at(x, y) != kUnknownDisparity;
}

inline ImageU16 reference_median(const ImageU16& disparity, int side) {
  ImageU16 out = disparity;
  for (int y = 0; y < disparity.height; ++y) {
    for (int x = 0; x < disparity.width; ++x) {
      if (!has(disparity, x, y)) continue;
      std::vector<std::uint16_t> known;
      for (int v = y - side / 2; v <= y + side / 2; ++v) {
        for (int u = x - side / 2; u <= x + side / 2; ++u) {
          if (has(disparity, u, v)) known.push_back(disparity.at(u, v));
        }
      }
      std::sort(known.begin(), known.end());
      out.at(x, y) = known[known.size() / 2];
    }
  }
  return out;
}

inline void reference_speckles(ImageU16& disparity, int size, int range) {
  ImageU8 seen(disparity.width, disparity.height);
  const ImageU16 given = disparity;
  for (int y = 0; y < disparity.height; ++y) {
    for (int x = 0; x < disparity.width; ++x) {
      if (seen.at(x, y) != 0 || !has(given, x, y)) continue;
      std::vector<std::pair<int, int>> region{{x, y}};
      seen.at(x, y) = 1;
      for (std::size_t k = 0; k < region.size(); ++k) {
        const auto [u, v] = region[k];
        constexpr std::array<std::pair<int, int>, 4> sides{{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}};
        for (const auto& [dx, dy] : sides) {
          if (!has(given, u + dx, v + dy) || seen.at(u + dx, v + dy) != 0) continue;
          if (std::abs(int{given.at(u, v)} - int{given.at(u + dx, v + dy)}) > range) continue;
          seen.at(u + dx, v + dy) = 1;
          region.emplace_back(u + dx, v + dy);
        }
      }
      if (static_cast<int>(region.size()) >= size) continue;
      for (const auto& [u, v] : region) disparity.at(u, v) = kUnknownDisparity;
    }
  }
}

// Returns the nearest known value along (dx, dy).
inline std::uint16_t nearest_known(const ImageU16& disparity, int x, int y, int dx, int dy) {
  for (int u = x + dx, v = y + dy; u >= 0 && v >= 0 && u < disparity.width && v < disparity.height;
       u += dx, v += dy) {
    if (has(disparity, u, v)) return disparity.at(u, v);
  }
  return kUnknownDisparity;
}

inline std::uint16_t nearest_in_row(const ImageU16& disparity, int x, int y) {
  return std::min(nearest_known(disparity, x, y, -1, 0), nearest_known(disparity, x, y, 1, 0));
}

// Returns the smaller of the nearest known values to the left and right, or the second smallest in
// eight directions if that is larger (the only value if a second is missing). Pixels without a
// known value in any direction take the values then known to the left and right; rows without any
// known value repeat the nearest row.
inline ImageU16 reference_background(const ImageU16& disparity) {
  ImageU16 around = disparity;
  for (int y = 0; y < disparity.height; ++y) {
    for (int x = 0; x < disparity.width; ++x) {
      std::vector<std::uint16_t> values;
      for (int k = 0; k < 9; ++k) {
        if (k == 4) continue;
        const std::uint16_t d = nearest_known(disparity, x, y, k % 3 - 1, k / 3 - 1);
        if (d != kUnknownDisparity) values.push_back(d);
      }
      if (has(disparity, x, y) || values.empty()) continue;
      std::sort(values.begin(), values.end());
      const std::uint16_t second = values[values.size() > 1 ? 1 : 0],
                          beside = nearest_in_row(disparity, x, y);
      around.at(x, y) = beside == kUnknownDisparity ? second : std::max(beside, second);
    }
  }
  ImageU16 out = around;
  std::vector<bool> known(static_cast<std::size_t>(disparity.height), false);
  for (int y = 0; y < disparity.height; ++y) {
    for (int x = 0; x < disparity.width; ++x)
      if (!has(around, x, y)) out.at(x, y) = nearest_in_row(around, x, y);
    known[static_cast<std::size_t>(y)] = has(out, 0, y);
  }
  for (int y = 0; y < disparity.height; ++y) {
    int nearest = -1;
    for (int other = 0; other < disparity.height; ++other) {
      if (!known[static_cast<std::size_t>(other)]) continue;
      if (nearest < 0 || std::abs(other - y) < std::abs(nearest - y)) nearest = other;
    }
    for (int x = 0; nearest >= 0 && x < disparity.width; ++x) out.at(x, y) = out.at(x, nearest);
  }
  return out;
}

inline ImageU16 reference_mean(ImageU16 disparity, int window) {
  const int radius = window / 2;
  while (true) {
    ImageU16 out = disparity;
    for (int y = 0; y < disparity.height; ++y) {
      for (int x = 0; x < disparity.width; ++x) {
        if (has(disparity, x, y)) continue;
        int sum = 0, count = 0;
        for (int v = y - radius; v <= y + radius; ++v) {
          for (int u = x - radius; u <= x + radius; ++u) {
            if (!has(disparity, u, v)) continue;
            sum += disparity.at(u, v);
            ++count;
          }
        }
        if (count > 0) out.at(x, y) = static_cast<std::uint16_t>((sum + count / 2) / count);
      }
    }
    if (out.pixels == disparity.pixels) return out;
    disparity = out;
  }
}

inline ImageU16 reference_fill(const ImageU16& disparity, const ImageU8& brightness,
                               const DisparityFilter& filter) {
  switch (filter.fill) {
    case Fill::background:
      return reference_background(disparity);
    case Fill::mean:
      return reference_mean(disparity, filter.fill_window);
    case Fill::planes:
      return reference_background(reference_planes(disparity, brightness));
    case Fill::none:
      break;
  }
  return disparity;
}

inline ImageF reference_px(const ImageU16& disparity, int min_disparity) {
  ImageF out(disparity.width, disparity.height);
  for (std::size_t k = 0; k < disparity.pixels.size(); ++k) {
    out.pixels[k] =
        disparity.pixels[k] == kUnknownDisparity
            ? std::numeric_limits<float>::quiet_NaN()
            : static_cast<float>(min_disparity) + static_cast<float>(disparity.pixels[k]) / 32.0F;
  }
  return out;
}

// Applies filters, fill and conversion to checked disparities. `confidence` stays where a pixel
// stays known; it may be empty. brightness: of the left image.
inline DisparityMap reference_maps(ImageU16 disparity, ImageU8 confidence,
                                   const ImageU8& brightness, const DisparityFilter& filter,
                                   int min_disparity) {
  if (filter.median > 0) disparity = reference_median(disparity, filter.median);
  if (filter.speckle_size > 1)
    reference_speckles(disparity, filter.speckle_size, nearest_subpixels(filter.speckle_range));
  DisparityMap map;
  map.raw = reference_px(disparity, min_disparity);
  map.filled = reference_px(reference_fill(disparity, brightness, filter), min_disparity);
  std::size_t known = 0;
  for (std::size_t k = 0; k < disparity.pixels.size(); ++k) {
    known += disparity.pixels[k] != kUnknownDisparity ? 1 : 0;
    if (disparity.pixels[k] == kUnknownDisparity && !confidence.empty()) confidence.pixels[k] = 0;
  }
  map.confidence = std::move(confidence);
  map.density = 100.0 * static_cast<double>(known) / static_cast<double>(disparity.pixels.size());
  return map;
}

}  // namespace bifocal::test
