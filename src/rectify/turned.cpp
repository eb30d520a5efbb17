// SPDX-License-Identifier: BSD-3-Clause
#include "rectify/turned.hpp"

#include <algorithm>
#include <utility>

#include <bifocal/geometry.hpp>

namespace bifocal::rectification {

void turn(PolarRectification& r) {
  for (PolarSide& side : r.sides) {
    std::reverse(side.rows.begin(), side.rows.end());
    side.to_epipole = !side.to_epipole;
    for (PolarRow& row : side.rows)
      row = {row.x + (r.width - 1) * row.dx, row.y + (r.width - 1) * row.dy, -row.dx, -row.dy};
  }
}

void keep_order(Rectification& r) {
  if (!r.swapped) return;
  r.swapped = false;
  std::swap(r.H1, r.H2);
  std::swap(r.R1, r.R2);
  std::swap(r.camera1, r.camera2);
  std::swap(r.input1, r.input2);
  std::swap(r.lens1, r.lens2);
  const Mat3 turned = {-1, 0, r.width - 1.0, 0, -1, r.height - 1.0, 0, 0, 1};
  for (Mat3* H : {&r.H1, &r.H2}) *H = times(turned, *H);
  for (Mat3* R : {&r.R1, &r.R2}) *R = times(Mat3{-1, 0, 0, 0, -1, 0, 0, 0, 1}, *R);
  for (Intrinsics* k : {&r.camera1, &r.camera2}) {
    k->cx = r.width - 1 - k->cx;
    k->cy = r.height - 1 - k->cy;
  }
}

void shift_left(PolarRectification& r, int px) {
  for (PolarRow& row : r.sides[0].rows) {
    row.x -= px * row.dx;
    row.y -= px * row.dy;
  }
  r.width += px;
}

void shift_left(Rectification& r, int px) {
  for (std::size_t column = 0; column < 3; ++column) r.H1[column] += px * r.H1[6 + column];
  r.camera1.cx += px;
  r.width += px;
}

}  // namespace bifocal::rectification
