// SPDX-License-Identifier: BSD-3-Clause
// Homography from any number of points: their equations are added to a triangular QR factor one
// by one.
#include <array>
#include <bifocal/solvers.hpp>
#include <cmath>

#include "lane/scalar.hpp"

namespace bifocal {
namespace {

template <class Real>
struct homography_functions {
#include "lane/cpp_begin.h"

#include "math/math.lanes"

#include "linalg/linalg.lanes"

#include "solvers/shared.lanes"

#include "solvers/homography_svd.lane.h"

#include "lane/cpp_end.h"
};
using L = homography_functions<double>;

// x' = s (x - mx), y' = s (y - my): mean 0, root mean square distance sqrt(2).
struct Normal {
  std::array<double, 3> s_mx_my;
  [[nodiscard]] double x(double v) const { return s_mx_my[0] * (v - s_mx_my[1]); }
  [[nodiscard]] double y(double v) const { return s_mx_my[0] * (v - s_mx_my[2]); }
};

Normal normal_of(std::span<const PointPair> points, double PointPair::*x, double PointPair::*y) {
  const double n = static_cast<double>(points.size());
  double mx = 0, my = 0, spread = 0;
  for (const PointPair& p : points) mx += p.*x / n, my += p.*y / n;
  for (const PointPair& p : points) {
    const double dx = p.*x - mx, dy = p.*y - my;
    spread += dx * dx + dy * dy;
  }
  return {{std::sqrt(2 * n / spread), mx, my}};
}

}  // namespace

std::optional<Mat3> homography_svd(std::span<const PointPair> points) {
  if (points.size() < 4) return std::nullopt;
  const Normal first = normal_of(points, &PointPair::x1, &PointPair::y1);
  const Normal second = normal_of(points, &PointPair::x2, &PointPair::y2);
  // The columns of the triangle would grow with the square root of the number of points, so rows
  // are weighted.
  const double weight = 1 / std::sqrt(static_cast<double>(points.size()));
  double R[81] = {}, rows[18], columns[81], h[9];
  for (const PointPair& p : points) {
    L::homography_equations(first.x(p.x1), first.y(p.y1), second.x(p.x2), second.y(p.y2), rows);
    for (double& v : rows) v *= weight;
    L::triangle_append_row(R, rows);
    L::triangle_append_row(R, rows + 9);
  }
  for (int i = 0; i < 81; ++i) columns[9 * (i % 9) + i / 9] = R[i];
  const double share = L::homography_vector(columns, 9, h);
  Mat3 H;
  const bool found =
      L::homography_of_vector(h, share, first.s_mx_my.data(), second.s_mx_my.data(), H.data()) > 0;
  return found ? std::optional(H) : std::nullopt;
}

}  // namespace bifocal
