// SPDX-License-Identifier: BSD-3-Clause
// Correspondences from Python as C++ has them: rows of x1 y1 x2 y2, or of x y X Y Z.
#pragma once

#include "options.hpp"

namespace bifocal::python {

// Given as one array of such rows, which is read where it lies when it is dense float64, or as two
// arrays with the columns of either side, which are put together.
template <class Point>
struct Points {
  Numbers left, right;
  std::vector<Point> copy;
  std::span<const Point> span;
};

template <class Point>
inline constexpr int kColumns = int(sizeof(Point) / sizeof(double));
template <class Point>
inline constexpr const char* kNames[] = {"x1", "x2", "points"};
template <>
inline constexpr const char* kNames<ScenePoint>[] = {"x", "X", "points"};

template <class Point>
Points<Point> points_of(nb::handle left, nb::handle right) {
  constexpr int columns = kColumns<Point>;
  const auto& names = kNames<Point>;
  Points<Point> p;
  if (right.is_none()) {
    p.left = numbers_of(left, names[2], {-1, columns});
    if (p.left.is_double && p.left.is_dense())
      p.span = {static_cast<const Point*>(p.left.array.data()), p.left.rows()};
    return p;
  }
  p.left = numbers_of(left, names[0], {-1, 2});
  p.right = numbers_of(right, names[1], {-1, columns - 2});
  if (p.left.rows() != p.right.rows())
    value_error(fmt::format("{}: {} points, but {} has {}", names[1], p.right.rows(), names[0],
                            p.left.rows()));
  return p;
}

// Puts the numbers together where they have to be. Needs no lock of the interpreter.
template <class Point>
void gather(Points<Point>& p) {
  if (p.span.data() != nullptr || p.left.rows() == 0) return;
  constexpr std::size_t columns = kColumns<Point>;
  const std::size_t n = p.left.rows(), own = p.right.array.is_valid() ? 2 : columns;
  p.copy.resize(n);
  auto* to = reinterpret_cast<double*>(p.copy.data());
  for (std::size_t i = 0; i < n; ++i, to += columns) {
    for (std::size_t c = 0; c < own; ++c) to[c] = p.left.at(i, c);
    for (std::size_t c = own; c < columns; ++c) to[c] = p.right.at(i, c - own);
  }
  p.span = p.copy;
}

// Moves the pixels of a camera with a lens to where its pinhole sees them; NaN where it does not.
template <class Point>
void undistort(Points<Point>& p, const AnyCamera& camera, std::size_t column, std::size_t first = 0,
               std::size_t last = SIZE_MAX) {
  if (!camera.lens) return;
  gather(p);
  if (p.copy.empty()) p.copy.assign(p.span.begin(), p.span.end());
  for (std::size_t i = first; i < std::min(last, p.copy.size()); ++i) {
    if (i % 64 == 0) check_cancelled();
    double* xy = reinterpret_cast<double*>(&p.copy[i]) + column;
    const Vec2 moved = camera.lens->undistort({xy[0], xy[1]});
    xy[0] = moved[0], xy[1] = moved[1];
  }
  p.span = p.copy;
}

}  // namespace bifocal::python
