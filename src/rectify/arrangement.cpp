// SPDX-License-Identifier: BSD-3-Clause
// Rotation, exchange and shift of rectified images.
#include <bifocal/geometry.hpp>
#include <bifocal/rectify.hpp>

#include <algorithm>

#include "rectify/upright.hpp"

namespace bifocal {
namespace {

void rotate_planar(RectifiedSide& side, int width, int height) {
  side.H = times(Mat3{-1, 0, width - 1.0, 0, -1, height - 1.0, 0, 0, 1}, side.H);
  side.R = times(Mat3{-1, 0, 0, 0, -1, 0, 0, 0, 1}, side.R);
  if (!side.camera.valid()) return;  // an uncalibrated pair
  side.camera.cx = width - 1 - side.camera.cx;
  side.camera.cy = height - 1 - side.camera.cy;
}

void rotate_polar(RectifiedSide& side, int width) {
  std::reverse(side.rows.begin(), side.rows.end());
  side.is_inward = !side.is_inward;
  for (PolarRow& row : side.rows)
    row = {row.x + (width - 1) * row.dx, row.y + (width - 1) * row.dy, -row.dx, -row.dy};
}

}  // namespace

void rotate_by_180(Rectification& r) {
  r.is_reversed = !r.is_reversed;
  for (RectifiedSide& side : r.sides) {
    if (r.kind == RectificationKind::polar)
      rotate_polar(side, r.width);
    else
      rotate_planar(side, r.width, r.height);
  }
}

void put_image1_left(Rectification& r) {
  if (!r.is_swapped) return;
  rectification::exchange_sides(r);
  rotate_by_180(r);
}

void shift_left_image(Rectification& r, int px) {
  RectifiedSide& left = r.sides[0];
  for (PolarRow& row : left.rows) {
    row.x -= px * row.dx;
    row.y -= px * row.dy;
  }
  for (std::size_t column = 0; column < 3; ++column) left.H[column] += px * left.H[6 + column];
  if (left.camera.valid()) left.camera.cx += px;
  r.width += px;
}

}  // namespace bifocal
