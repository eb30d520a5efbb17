// SPDX-License-Identifier: BSD-3-Clause
// Plain reference of SSD block matching, for comparison with the fast implementation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <bifocal/stereo.hpp>

#include "stereo/reference_filter.hpp"

namespace bifocal::test {

inline constexpr int kNoDisparity = std::numeric_limits<int>::min();

// The winners [height, width] of both directions; kNoDisparity if none could be searched.
struct SsdReference {
  std::vector<int> left, right;
  std::vector<bool> tied;   // a disparity that is no neighbour has the same cost
  std::vector<int> offset;  // left winner, 1/32 px
};

inline std::int64_t ssd_cost(const ImageU8& left, const ImageU8& right, int x, int y, int d,
                             int radius) {
  std::int64_t sum = 0;
  for (int j = std::max(0, y - radius); j <= std::min(left.height - 1, y + radius); ++j) {
    for (int i = -radius; i <= radius; ++i) {
      const int a = left.at(std::clamp(x + i, 0, left.width - 1), j);
      const int b = right.at(std::clamp(x - d + i, 0, left.width - 1), j);
      sum += (a - b) * (a - b);
    }
  }
  return sum;
}

// Vertex of a parabola through three costs, with the outer costs a and b above the middle: at (a -
// b) / (2 (a + b)) px, rounded to 1/32 px and limited to 15/32 px.
inline int parabola_offset(std::int64_t a, std::int64_t b) {
  if (a + b == 0) return 0;
  const auto offset = static_cast<int>((32 * std::abs(a - b) + a + b) / (2 * (a + b)));
  return a < b ? -std::min(15, offset) : std::min(15, offset);
}

inline SsdReference ssd_reference(const ImageU8& left, const ImageU8& right, const SsdOptions& o) {
  const int w = left.width, h = left.height, radius = o.window / 2,
            end = o.min_disparity + o.disparities;
  const auto n = static_cast<std::size_t>(w) * static_cast<std::size_t>(h);
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  SsdReference r{std::vector<int>(n, kNoDisparity), std::vector<int>(n, kNoDisparity),
                 std::vector<bool>(n), std::vector<int>(n)};
  std::vector<std::int64_t> left_cost(n, none), right_cost(n, none);
  for (int y = 0; y < h; ++y) {
    const std::size_t row = static_cast<std::size_t>(y) * static_cast<std::size_t>(w);
    const auto searched = [&](int x, int d) {
      return d >= o.min_disparity && d < end && x >= d && x - d < w;
    };
    for (int x = 0; x < w; ++x) {
      const std::size_t at = row + static_cast<std::size_t>(x);
      for (int d = o.min_disparity; d < end; ++d) {
        if (!searched(x, d)) continue;
        const std::int64_t cost = ssd_cost(left, right, x, y, d, radius);
        const std::size_t seen = row + static_cast<std::size_t>(x - d);
        if (cost == left_cost[at] && d - r.left[at] > 1) r.tied[at] = true;
        if (cost < left_cost[at]) left_cost[at] = cost, r.left[at] = d, r.tied[at] = false;
        if (cost < right_cost[seen] || (cost == right_cost[seen] && d < r.right[seen]))
          right_cost[seen] = cost, r.right[seen] = d;
      }
      const int d = r.left[at];
      if (d == kNoDisparity || !searched(x, d - 1) || !searched(x, d + 1)) continue;
      const std::int64_t below = ssd_cost(left, right, x, y, d - 1, radius);
      const std::int64_t above = ssd_cost(left, right, x, y, d + 1, radius);
      r.offset[at] = parabola_offset(below - left_cost[at], above - left_cost[at]);
    }
  }
  return r;
}

// Returns the right winners in the search's format: indices of disparities, 0xffff for none.
inline std::vector<std::uint16_t> right_indices(const SsdReference& r, const SsdOptions& o) {
  std::vector<std::uint16_t> out;
  for (const int d : r.right)
    out.push_back(static_cast<std::uint16_t>(d == kNoDisparity ? 0xffff : d - o.min_disparity));
  return out;
}
// Returns the left winners as fixed-point disparities.
inline std::vector<std::uint16_t> left_disparities(const SsdReference& r, const SsdOptions& o) {
  std::vector<std::uint16_t> out;
  for (std::size_t k = 0; k < r.left.size(); ++k)
    out.push_back(static_cast<std::uint16_t>(
        r.left[k] == kNoDisparity || r.tied[k] ? 0xffff
                                               : 32 * (r.left[k] - o.min_disparity) + r.offset[k]));
  return out;
}

// Discards all disparities unless at least one in 64 samples is known. A pixel of every eighth row
// and column is a sample if all its disparities lie in the right image and the border of the left
// image is 5 px away. Fewer than 64 samples decide no pair.
inline void forget_unclear(ImageU16& disparity, const SsdOptions& o) {
  int samples = 0, known = 0;
  for (int y = 0; y < disparity.height; y += 8) {
    for (int x = std::max(5, o.min_disparity + o.disparities - 1);
         x < std::min(disparity.width - 5, disparity.width + o.min_disparity); x += 8) {
      ++samples;
      known += has(disparity, x, y) ? 1 : 0;
    }
  }
  if (samples >= 64 && 64 * known < samples)
    disparity = ImageU16(disparity.width, disparity.height, 1, kUnknownDisparity);
}

// All of stereo_ssd.
inline DisparityMap ssd_maps(const ImageU8& left, const ImageU8& right, const SsdOptions& o) {
  const SsdReference r = ssd_reference(left, right, o);
  ImageU16 disparity(left.width, left.height);
  disparity.pixels = left_disparities(r, o);
  const int tolerance = nearest_subpixels(o.filter.cross_check);
  for (std::size_t k = 0; k < r.left.size(); ++k) {
    const int d = r.left[k];
    if (d == kNoDisparity || r.tied[k] || tolerance < 0) continue;
    const int seen = r.right[k - static_cast<std::size_t>(d)];
    if (seen == kNoDisparity || 32 * std::abs(d - seen) > tolerance)
      disparity.pixels[k] = kUnknownDisparity;
  }
  forget_unclear(disparity, o);
  return reference_maps(disparity, {}, left, o.filter, o.min_disparity);
}

}  // namespace bifocal::test
