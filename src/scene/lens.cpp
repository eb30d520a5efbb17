// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "scene/lens.hpp"

namespace bifocal::scene {
namespace {

using Polynomial = std::vector<double>;  // constant first
constexpr double kFarthest = 1000;       // 89.94 degrees off the axis

double at(const Polynomial& p, double r) {
  double v = 0;
  for (std::size_t i = p.size(); i-- > 0;) v = v * r + p[i];
  return v;
}

// Returns the sorted roots of p in [0, kFarthest], bracketed by the roots of its derivative.
Polynomial roots(const Polynomial& p) {
  if (p.size() < 2) return {};
  Polynomial slope;
  for (std::size_t i = 1; i < p.size(); ++i) slope.push_back(static_cast<double>(i) * p[i]);
  Polynomial ends = roots(slope), found;
  ends.push_back(kFarthest);
  double from = 0;
  for (const double end : ends) {
    double lo = from, hi = end;
    from = end;
    const bool positive = at(p, lo) > 0;
    if (positive == (at(p, hi) > 0)) continue;
    for (int i = 0; i < 200 && lo < hi; ++i) {
      const double middle = 0.5 * (lo + hi);
      if (middle <= lo || middle >= hi) break;
      ((at(p, middle) > 0) == positive ? lo : hi) = middle;
    }
    found.push_back(lo);
  }
  return found;
}

// Operations on polynomials in the radius r.
Polynomial product(const Polynomial& a, const Polynomial& b) {
  Polynomial c(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) c[i + j] += a[i] * b[j];
  return c;
}
Polynomial sum(Polynomial a, const Polynomial& b, double factor) {
  a.resize(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < b.size(); ++i) a[i] += factor * b[i];
  return a;
}
Polynomial slope_times_r(Polynomial p) {
  for (std::size_t i = 0; i < p.size(); ++i) p[i] *= static_cast<double>(i);
  return p;
}

// Returns the radius of the disc on which the distortion has an inverse. The Jacobian of the radial
// part has the eigenvalues s across the radius and s + r ds/dr along it; the eigenvalues of the
// decentring part are at least -6 |p| r. The sum is positive definite while both radial eigenvalues
// exceed 6 |p| r. All are multiplied by the square of the denominator.
double disc(const Distortion& d) {
  if (d.none()) return std::numeric_limits<double>::infinity();
  const Polynomial above = {1, 0, d.k1, 0, d.k2, 0, d.k3}, below = {1, 0, d.k4, 0, d.k5, 0, d.k6};
  const Polynomial decentring = product({0, 6 * std::hypot(d.p1, d.p2)}, product(below, below));
  const Polynomial across = product(above, below);
  const Polynomial along = sum(sum(across, product(slope_times_r(above), below), 1),
                               product(above, slope_times_r(below)), -1);
  double radius = kFarthest;
  for (const Polynomial& p : {below, sum(across, decentring, -1), sum(along, decentring, -1)}) {
    const Polynomial crossings = roots(p);
    if (!crossings.empty()) radius = std::min(radius, crossings.front());
  }
  return radius;
}

}  // namespace

Lens::Lens(const Distortion& d) : coefficients_{d.k1, d.k2, d.p1, d.p2, d.k3, d.k4, d.k5, d.k6} {
  for (const double k : coefficients_)
    if (!std::isfinite(k))
      throw Error(ErrorCode::usage, fmt::format("Lens: coefficient {} is not finite", k));
  radius_ = disc(d);
}

Vec2 Lens::distort(const Vec2& p) const {
  Vec2 out{};
  LensLanes::brown_distort(coefficients_.data(), radius_ * radius_, p[0], p[1], out.data());
  return out;
}

Vec2 Lens::undistort(const Vec2& p) const {
  Vec2 out{};
  LensLanes::brown_ray(coefficients_.data(), radius_ * radius_, p[0], p[1], out.data());
  return out;
}

}  // namespace bifocal::scene
