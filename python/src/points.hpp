// SPDX-License-Identifier: BSD-3-Clause
// Converts correspondences from Python to rows of x1 y1 x2 y2 (depth1 depth2), or of x y X Y Z.
#pragma once

#include "options.hpp"

namespace bifocal::python {

// Points given as one array of rows, which is read in place if it is dense float64, or as
// separate arrays of both sides and of the depths, which gather() joins.
template <class Point>
struct Points {
  Numbers left, right, depths;
  std::vector<Point> copy;
  std::span<const Point> span;
};

template <class Point>
inline constexpr int kColumns = int(sizeof(Point) / sizeof(double));
template <class Point>
inline constexpr int kDepths = std::is_same_v<Point, DepthPair> ? 2 : 0;
template <class Point>
inline constexpr const char* kNames[] = {"x1", "x2", "points"};
template <>
inline constexpr const char* kNames<ScenePoint>[] = {"x", "X", "points"};

template <class Point>
Points<Point> points_of(nb::handle left, nb::handle right, nb::handle depths = nb::none()) {
  constexpr int columns = kColumns<Point>;
  const auto& names = kNames<Point>;
  Points<Point> p;
  if (right.is_none()) {
    if (!depths.is_none()) type_error("depths: given beside rows, which hold them");
    p.left = numbers_of(left, names[2], {-1, columns});
    if (p.left.is_double && p.left.is_dense())
      p.span = {static_cast<const Point*>(p.left.array.data()), p.left.rows()};
    return p;
  }
  p.left = numbers_of(left, names[0], {-1, 2});
  p.right = numbers_of(right, names[1], {-1, columns - 2 - kDepths<Point>});
  if (kDepths < Point >> 0) p.depths = numbers_of(depths, "depths", {-1, kDepths<Point>});
  for (const auto& [name, side] : {std::pair{names[1], &p.right}, std::pair{"depths", &p.depths}}) {
    if (side->array.is_valid() && side->rows() != p.left.rows())
      value_error(
          fmt::format("{}: {} points, but {} has {}", name, side->rows(), names[0], p.left.rows()));
  }
  return p;
}

// Joins separate arrays into rows if necessary. Does not need the interpreter's lock.
template <class Point>
void gather(Points<Point>& p) {
  if (p.span.data() != nullptr || p.left.rows() == 0) return;
  constexpr std::size_t columns = kColumns<Point>;
  const std::size_t n = p.left.rows(), own = p.right.array.is_valid() ? 2 : columns;
  constexpr std::size_t seen = columns - kDepths<Point>;
  p.copy.resize(n);
  auto* to = reinterpret_cast<double*>(p.copy.data());
  for (std::size_t i = 0; i < n; ++i, to += columns) {
    for (std::size_t c = 0; c < own; ++c) to[c] = p.left.at(i, c);
    for (std::size_t c = own; c < seen; ++c) to[c] = p.right.at(i, c - own);
    for (std::size_t c = std::max(own, seen); c < columns; ++c) to[c] = p.depths.at(i, c - seen);
  }
  p.span = p.copy;
}

// Undistorts the points of a camera with a lens to px of its pinhole; NaN if the pinhole does not
// see a point.
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
