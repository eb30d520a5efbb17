// SPDX-License-Identifier: BSD-3-Clause
// What happens to disparities after the winners are known, written plainly: the oracle of the fast
// filters. Disparities are steps of 1/32 px.
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

namespace bifocal::test {

inline constexpr std::uint16_t kUnknownSteps = 0xffff;

inline int nearest_steps(double px) {
  return px < 0 ? -1 : static_cast<int>(std::min(65534.0, std::floor(px * 32 + 0.5)));
}

inline bool has(const ImageU16& steps, int x, int y) {
  return x >= 0 && y >= 0 && x < steps.width && y < steps.height && steps.at(x, y) != kUnknownSteps;
}

inline ImageU16 reference_median(const ImageU16& steps, int side) {
  ImageU16 out = steps;
  for (int y = 0; y < steps.height; ++y) {
    for (int x = 0; x < steps.width; ++x) {
      if (!has(steps, x, y)) continue;
      std::vector<std::uint16_t> known;
      for (int v = y - side / 2; v <= y + side / 2; ++v) {
        for (int u = x - side / 2; u <= x + side / 2; ++u) {
          if (has(steps, u, v)) known.push_back(steps.at(u, v));
        }
      }
      std::sort(known.begin(), known.end());
      out.at(x, y) = known[known.size() / 2];
    }
  }
  return out;
}

inline void reference_speckles(ImageU16& steps, int size, int range) {
  ImageU8 seen(steps.width, steps.height);
  const ImageU16 given = steps;
  for (int y = 0; y < steps.height; ++y) {
    for (int x = 0; x < steps.width; ++x) {
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
      for (const auto& [u, v] : region) steps.at(u, v) = kUnknownSteps;
    }
  }
}

// The nearest known value along (dx, dy), and the contrast on the way: 3 a level and 1 a pixel.
inline std::pair<std::uint16_t, int> nearest_known(const ImageU16& steps, const ImageU8* brightness,
                                                   int x, int y, int dx, int dy) {
  int contrast = 0;
  for (int u = x + dx, v = y + dy; u >= 0 && v >= 0 && u < steps.width && v < steps.height;
       u += dx, v += dy) {
    if (brightness)
      contrast += 3 * std::abs(int{brightness->at(u, v)} - int{brightness->at(u - dx, v - dy)}) + 1;
    if (has(steps, u, v)) return {steps.at(u, v), contrast};
  }
  return {kUnknownSteps, 0};
}

// The smaller of the nearest known ones left and right; rows without any repeat the nearest one.
inline ImageU16 reference_background(const ImageU16& steps) {
  ImageU16 out = steps;
  std::vector<bool> known(static_cast<std::size_t>(steps.height), false);
  for (int y = 0; y < steps.height; ++y) {
    for (int x = 0; x < steps.width; ++x) {
      if (has(steps, x, y)) continue;
      out.at(x, y) = std::min(nearest_known(steps, nullptr, x, y, -1, 0).first,
                              nearest_known(steps, nullptr, x, y, 1, 0).first);
    }
    known[static_cast<std::size_t>(y)] = has(out, 0, y);
  }
  for (int y = 0; y < steps.height; ++y) {
    int nearest = -1;
    for (int other = 0; other < steps.height; ++other) {
      if (!known[static_cast<std::size_t>(other)]) continue;
      if (nearest < 0 || std::abs(other - y) < std::abs(nearest - y)) nearest = other;
    }
    for (int x = 0; nearest >= 0 && x < steps.width; ++x) out.at(x, y) = out.at(x, nearest);
  }
  return out;
}

inline ImageU16 reference_mean(ImageU16 steps, int window) {
  const int radius = window / 2;
  while (true) {
    ImageU16 out = steps;
    for (int y = 0; y < steps.height; ++y) {
      for (int x = 0; x < steps.width; ++x) {
        if (has(steps, x, y)) continue;
        int sum = 0, count = 0;
        for (int v = y - radius; v <= y + radius; ++v) {
          for (int u = x - radius; u <= x + radius; ++u) {
            if (!has(steps, u, v)) continue;
            sum += steps.at(u, v);
            ++count;
          }
        }
        if (count > 0) out.at(x, y) = static_cast<std::uint16_t>((sum + count / 2) / count);
      }
    }
    if (out.pixels == steps.pixels) return out;
    steps = out;
  }
}

inline ImageU16 reference_edge_aware(const ImageU16& steps, const ImageU8& brightness,
                                     const ImageU8& occluded) {
  ImageU16 out = steps;
  for (int y = 0; y < steps.height; ++y) {
    for (int x = 0; x < steps.width; ++x) {
      if (has(steps, x, y)) continue;
      std::vector<std::pair<int, std::uint16_t>> by_contrast;
      std::vector<std::uint16_t> by_value;
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          if (dx == 0 && dy == 0) continue;
          const auto [value, contrast] = nearest_known(steps, &brightness, x, y, dx, dy);
          if (value == kUnknownSteps) continue;
          by_contrast.emplace_back(contrast, value);
          by_value.push_back(value);
        }
      }
      if (by_value.empty()) continue;
      std::sort(by_value.begin(), by_value.end());
      out.at(x, y) = occluded.at(x, y) != 0
                         ? by_value[std::min<std::size_t>(1, by_value.size() - 1)]
                         : std::min_element(by_contrast.begin(), by_contrast.end())->second;
    }
  }
  return reference_background(out);
}

inline ImageU16 reference_fill(const ImageU16& steps, const DisparityFilter& filter,
                               const ImageU8& brightness, const ImageU8& occluded) {
  switch (filter.fill) {
    case Fill::background:
      return reference_background(steps);
    case Fill::mean:
      return reference_mean(steps, filter.fill_window);
    case Fill::edge_aware:
      return reference_edge_aware(steps, brightness, occluded);
    case Fill::none:
      break;
  }
  return steps;
}

inline ImageF reference_px(const ImageU16& steps, int min_disparity) {
  ImageF out(steps.width, steps.height);
  for (std::size_t k = 0; k < steps.pixels.size(); ++k) {
    out.pixels[k] =
        steps.pixels[k] == kUnknownSteps
            ? std::numeric_limits<float>::quiet_NaN()
            : static_cast<float>(min_disparity) + static_cast<float>(steps.pixels[k]) / 32.0F;
  }
  return out;
}

}  // namespace bifocal::test
