// SPDX-License-Identifier: BSD-3-Clause
// Canvas of two images on a common plane.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "rectify/sampling_map.hpp"

namespace bifocal::rectification {

// Bounding box of an image on the plane.
struct Extent {
  double u0 = std::numeric_limits<double>::infinity(), u1 = -u0, v0 = u0, v1 = -u0;

  void add(double u, double v) {
    u0 = std::min(u0, u);
    u1 = std::max(u1, u);
    v0 = std::min(v0, v);
    v1 = std::max(v1, v);
  }
};

// Rows that both images cover, and columns of each image from its own left end, which keeps
// disparities small. scale: px per unit of the plane, reduced until the area is at most `limit` and
// no side is longer than kMaxSide.
struct Canvas {
  double scale, top;
  int width, height;
};
[[nodiscard]] inline Canvas canvas_of(const Extent& left, const Extent& right, double scale,
                                      double limit) {
  const double top = std::max(left.v0, right.v0), tall = std::min(left.v1, right.v1) - top;
  const double wide = std::max(left.u1 - left.u0, right.u1 - right.u0);
  scale = std::min(scale, (kMaxSide - 1) / std::max(wide, tall));
  double area = 0;
  do {
    if (area > 0) scale *= 0.9999 * std::sqrt(limit / area);
    area = (std::floor(scale * wide) + 1) * (std::floor(scale * tall) + 1);
  } while (area > limit && area > 1);
  return {scale, top, static_cast<int>(scale * wide) + 1, static_cast<int>(scale * tall) + 1};
}

}  // namespace bifocal::rectification
