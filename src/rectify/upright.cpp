// SPDX-License-Identifier: BSD-3-Clause
#include "rectify/upright.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bifocal::rectification {
namespace {

// Maps the upward direction at a grid of pixels of the input image into the rectified image.
// Returns the sum of the row components of the mapped unit vectors; a positive sum means that the
// rectified image is upside down, because rows count downwards.
double up_in_rows(const Rectification& r, int side) {
  constexpr int kSteps = 16;
  const Camera& input = r.sides[static_cast<std::size_t>(side)].input;
  const double step = std::max(1.0, input.height / 50.0);
  std::vector<Vec2> at, above;
  for (int j = 1; j < kSteps; ++j) {
    for (int i = 1; i < kSteps; ++i) {
      const double x = (input.width - 1.0) * i / kSteps, y = (input.height - 1.0) * j / kSteps;
      at.push_back({x, y + step / 2});
      above.push_back({x, y - step / 2});
    }
  }
  at = rectified_points(r, side, at);
  above = rectified_points(r, side, above);
  double sum = 0;
  for (std::size_t k = 0; k < at.size(); ++k) {
    const Vec2 up = {above[k][0] - at[k][0], above[k][1] - at[k][1]};
    const double length = std::hypot(up[0], up[1]);
    if (std::isfinite(length) && length > 0) sum += up[1] / length;
  }
  return sum;
}

}  // namespace

bool is_upside_down(const Rectification& r) {
  return r.ok() && up_in_rows(r, 0) + up_in_rows(r, 1) > 0;
}

void exchange_sides(Rectification& r) {
  std::swap(r.sides[0], r.sides[1]);
  r.is_swapped = !r.is_swapped;
  r.is_reversed = !r.is_reversed;
}

void crop_columns(Rectification& r, int px) {
  for (RectifiedSide& side : r.sides) {
    for (PolarRow& row : side.rows) {
      row.x += px * row.dx;
      row.y += px * row.dy;
    }
    for (std::size_t column = 0; column < 3; ++column) side.H[column] -= px * side.H[6 + column];
    side.camera.cx -= px;
  }
  r.width -= 2 * px;
}

}  // namespace bifocal::rectification
