// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/geometry.hpp>

#include <cmath>
#include <span>
#include <vector>

#include "robust/cells.hpp"

namespace bifocal::robust {

// The points of a pair without one cell. A fit to them minus the fit to all points, times `scale`,
// is one standard deviation of one independent quantity.
struct JackknifePart {
  std::vector<PointPair> points;
  double scale = 1;
};

// Returns the points without each of 3 x 3 cells of image 1, and then of image 2. Whole cells are
// left out, because neighbouring matches may have common errors, or a few outliers of one region
// were accepted. The scale contains Student's t, because the cells are few.
//   B. Efron, R. Tibshirani, An introduction to the bootstrap, 1993, 11.
[[nodiscard]] inline std::vector<JackknifePart> jackknife_parts(std::span<const PointPair> points) {
  constexpr int kAcross = 3;
  std::vector<JackknifePart> parts;
  for (const bool is_swapped : {false, true}) {
    std::vector<PointPair> seen(points.begin(), points.end());
    if (is_swapped)
      for (PointPair& p : seen) p = {p.x2, p.y2, p.x1, p.y1};
    const std::vector<int> cells = cells_of(seen, kAcross);
    const std::size_t first = parts.size();
    for (int cell = 0; cell < kAcross * kAcross; ++cell) {
      JackknifePart part;
      for (std::size_t i = 0; i < points.size(); ++i)
        if (cells[i] != cell) part.points.push_back(points[i]);
      if (part.points.size() < points.size()) parts.push_back(std::move(part));
    }
    // Expansion of the 97.5 % point of Student's t about the point of the normal distribution.
    constexpr double z = 1.96, a = (z * z + 1) / 4, b = (5 * z * z * z * z + 16 * z * z + 3) / 96;
    const double count = static_cast<double>(parts.size() - first), left = std::max(1.0, count - 1);
    for (std::size_t i = first; i < parts.size(); ++i)
      parts[i].scale = std::sqrt((count - 1) / count) * (1 + a / left + b / (left * left));
  }
  return parts;
}

}  // namespace bifocal::robust
