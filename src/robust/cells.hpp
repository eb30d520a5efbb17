// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace bifocal::robust {

// Returns the grid cell of each point: across x across cells over the bounding box of the points of
// image 1, or of the only image.
template <class Point>
std::vector<int> cells_of(const std::vector<Point>& points, int across) {
  const auto place = [](const Point& p) {
    if constexpr (requires { p.x1; })
      return std::array{p.x1, p.y1};
    else
      return std::array{p.x, p.y};
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::array low = {kInfinity, kInfinity}, high = {-kInfinity, -kInfinity};
  for (const Point& p : points)
    for (std::size_t k = 0; k < 2; ++k)
      if (const double v = place(p)[k]; std::isfinite(v))
        low[k] = std::min(low[k], v), high[k] = std::max(high[k], v);
  std::vector<int> cells;
  for (const Point& p : points) {
    int cell = 0;
    for (std::size_t k = 0; k < 2; ++k) {
      const double at = across * (place(p)[k] - low[k]) / (high[k] - low[k]);
      cell = across * cell + (at >= 0 ? static_cast<int>(std::min(at, across - 1.0)) : 0);
    }
    cells.push_back(cell);
  }
  return cells;
}

}  // namespace bifocal::robust
