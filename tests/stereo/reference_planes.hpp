// SPDX-License-Identifier: BSD-3-Clause
// Plain reference of Fill::planes: planes for the unknown pixels of flat regions. Disparities are
// in 1/32 px.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include <bifocal/stereo.hpp>

namespace bifocal::test {

inline constexpr std::uint16_t kUnknownDisparity = 0xffff;

struct PlaneSample {
  int x = 0, y = 0, d = -1;  // -1: the place is empty
  std::uint32_t key = 0xffffffff;
};

inline std::uint32_t scrambled(std::uint32_t n) {
  n *= 2654435761U;
  n ^= n >> 15;
  n *= 2246822519U;
  return n ^ (n >> 13);
}

// A pixel is flat if Sobel's differences are at most 12.
inline bool is_flat_at(const ImageU8& picture, int x, int y) {
  const auto at = [&](int i, int j) {
    return int{picture.at(std::clamp(x + i, 0, picture.width - 1),
                          std::clamp(y + j, 0, picture.height - 1))};
  };
  int across = 0, down = 0;
  for (int k = -1; k <= 1; ++k) {
    across += (2 - std::abs(k)) * (at(1, k) - at(-1, k));
    down += (2 - std::abs(k)) * (at(k, 1) - at(k, -1));
  }
  return std::abs(across) <= 12 && std::abs(down) <= 12;
}

// Numbers the regions of flat 4-neighbours and counts their pixels. Returns the region of each
// pixel, -1 for a pixel in no region.
inline std::vector<int> flat_regions(const ImageU8& picture, std::vector<int>& sizes) {
  const int width = picture.width, height = picture.height;
  std::vector<int> region(picture.pixels.size(), -1);
  const auto place = [&](int x, int y) {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
           static_cast<std::size_t>(x);
  };
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      if (region[place(x, y)] >= 0 || !is_flat_at(picture, x, y)) continue;
      const int id = static_cast<int>(sizes.size());
      std::vector<std::pair<int, int>> pixels{{x, y}};
      region[place(x, y)] = id;
      for (std::size_t k = 0; k < pixels.size(); ++k) {
        const auto [u, v] = pixels[k];
        constexpr std::array<std::pair<int, int>, 4> sides{{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}};
        for (const auto& [dx, dy] : sides) {
          const int i = u + dx, j = v + dy;
          if (i < 0 || j < 0 || i >= width || j >= height || region[place(i, j)] >= 0) continue;
          if (!is_flat_at(picture, i, j)) continue;
          region[place(i, j)] = id;
          pixels.emplace_back(i, j);
        }
      }
      sizes.push_back(static_cast<int>(pixels.size()));
    }
  }
  return region;
}

// Disparity of a plane through a pixel: d + (slopes in 1/1024), rounded.
struct PlainPlane {
  int x = 0, y = 0, d = 0, along = 0, down = 0;
  [[nodiscard]] int value(int u, int v) const {
    const int slope = along * (u - x) + down * (v - y);
    return d + static_cast<int>(std::floor((slope + 512) / 1024.0));
  }
};

// Tries 128 planes through three samples each; every fourth plane has a constant disparity. Returns
// the plane with the most votes: samples within 1 px count +1, samples below the plane -1.
inline PlainPlane best_of_planes(const std::vector<PlaneSample>& samples) {
  PlainPlane best;
  int most = -100000;
  for (std::uint32_t trial = 0; trial < 128; ++trial) {
    std::array<PlaneSample, 3> s;
    for (std::uint32_t j = 0; j < 3; ++j) {
      std::size_t place = (scrambled(3 * trial + j + 15839) >> 8) % 1024;
      while (samples[place].d < 0) place = (place + 1) % 1024;
      s[j] = samples[place];
    }
    PlainPlane plane{s[0].x, s[0].y, s[0].d, 0, 0};
    if (trial % 4 != 0) {
      const std::int64_t x1 = s[1].x - s[0].x, y1 = s[1].y - s[0].y, d1 = s[1].d - s[0].d,
                         x2 = s[2].x - s[0].x, y2 = s[2].y - s[0].y, d2 = s[2].d - s[0].d;
      const std::int64_t area = x1 * y2 - x2 * y1;
      if (std::abs(area) < 200) continue;
      const std::int64_t along = (d1 * y2 - d2 * y1) * 1024 / area,
                         down = (x1 * d2 - x2 * d1) * 1024 / area;
      if (std::abs(along) > 9830 || std::abs(down) > 9830) continue;
      plane.along = static_cast<int>(along);
      plane.down = static_cast<int>(down);
    }
    int votes = 0;
    for (const PlaneSample& p : samples) {
      if (p.d < 0) continue;
      const int apart = p.d - plane.value(p.x, p.y);
      votes += apart < -32 ? -1 : apart <= 32 ? 1 : 0;
    }
    if (votes > most) {
      most = votes;
      best = plane;
    }
  }
  return best;
}

// Samples are every `step`-th pixel of every `step`-th row, at most 65,536 pixels. A region with at
// least 48 known samples gets a plane if 4 in 11 of the samples in its 1,024 places lie on the
// plane, and no smaller fraction than the fraction of known pixels in the region. Unknown pixels
// take the plane's value, clamped to the range of the samples on the plane.
inline ImageU16 reference_planes(const ImageU16& disparity, const ImageU8& picture) {
  const int width = disparity.width, height = disparity.height;
  int step = 1;
  while (((width + step - 1) / step) * ((height + step - 1) / step) > 65536) ++step;
  const int across = (width + step - 1) / step;
  std::vector<int> sizes;
  const std::vector<int> region = flat_regions(picture, sizes);
  std::vector<int> known(sizes.size(), 0);
  std::vector<std::vector<PlaneSample>> samples(sizes.size(), std::vector<PlaneSample>(1024));
  ImageU16 out = disparity;
  for (int y = 0; y < height; y += step) {
    for (int x = 0; x < width; x += step) {
      const int id = region[static_cast<std::size_t>(y * width + x)];
      if (id < 0 || disparity.at(x, y) == kUnknownDisparity) continue;
      ++known[static_cast<std::size_t>(id)];
      const auto point = static_cast<std::uint32_t>(y / step * across + x / step);
      const std::uint32_t hash = scrambled(point + 131073);
      const std::uint32_t key = ((hash >> 12) % 65536) * 65536 + point;
      PlaneSample& s = samples[static_cast<std::size_t>(id)][hash % 1024];
      if (key < s.key) s = {x, y, disparity.at(x, y), key};
    }
  }
  for (std::size_t id = 0; id < sizes.size(); ++id) {
    if (known[id] < 48) continue;
    const PlainPlane plane = best_of_planes(samples[id]);
    int count = 0, near = 0, lowest = 65535, highest = 0;
    for (const PlaneSample& s : samples[id]) {
      if (s.d < 0) continue;
      ++count;
      if (std::abs(s.d - plane.value(s.x, s.y)) > 32) continue;
      ++near;
      lowest = std::min(lowest, s.d);
      highest = std::max(highest, s.d);
    }
    if (11 * near < 4 * count) continue;
    if (std::int64_t{near} * sizes[id] < std::int64_t{count} * known[id] * step * step) continue;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        if (region[static_cast<std::size_t>(y * width + x)] != static_cast<int>(id)) continue;
        if (disparity.at(x, y) == kUnknownDisparity)
          out.at(x, y) = static_cast<std::uint16_t>(std::clamp(plane.value(x, y), lowest, highest));
      }
    }
  }
  return out;
}

}  // namespace bifocal::test
