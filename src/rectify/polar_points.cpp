// SPDX-License-Identifier: BSD-3-Clause
#include "rectify/polar_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "rectify/polar_lines.hpp"

namespace bifocal::rectification {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

PolarRow mixed(const PolarRow& a, const PolarRow& b, double f) {
  const auto mix = [f](double u, double v) { return u + f * (v - u); };
  return {mix(a.x, b.x), mix(a.y, b.y), mix(a.dx, b.dx), mix(a.dy, b.dy)};
}

// Returns the distance of a point from a row, times the length of the row's step.
double off(const PolarRow& row, const Vec2& p) {
  return row.dx * (p[1] - row.y) - row.dy * (p[0] - row.x);
}

}  // namespace

PolarPoints::PolarPoints(const Rectification& r, const RectifiedSide& side)
    : rows_(side.rows), epipole_(side.epipole), is_cyclic_(r.is_cyclic) {
  double rotation = 0;
  for (const PolarRow& row : rows_) {
    const double away = side.is_inward ? -1 : 1;
    double angle = std::atan2(away * row.dy, away * row.dx);
    if (!angles_.empty()) {
      angle = angles_.back() + std::remainder(angle - angles_.back(), kFullCircle);
      rotation += angle - angles_.back();
    }
    angles_.push_back(angle);
  }
  is_descending_ = rotation < 0;
  if (is_descending_)
    for (double& a : angles_) a = -a;
  if (angles_.empty()) return;
  // The seam lies half way between the first row of the full circle and the row before it.
  const auto first = std::min(static_cast<std::size_t>(std::max(0, r.overlap)), angles_.size() - 1);
  first_angle_ = angles_[first];
  if (is_cyclic_ && first > 0) first_angle_ = (angles_[first] + angles_[first - 1]) / 2;
}

Vec2 PolarPoints::between(std::size_t row, const Vec2& px) const {
  const PolarRow &a = rows_[row], &b = rows_[std::min(row + 1, rows_.size() - 1)];
  const double at_a = off(a, px), at_b = off(b, px);
  double f = at_a == at_b ? 0 : at_a / (at_a - at_b);
  PolarRow line = mixed(a, b, f);
  // Newton's method solves off(mixed(a, b, f), px) = 0, which is nearly linear in f.
  for (int i = 0; i < 3; ++i) {
    const double slope = (b.dx - a.dx) * (px[1] - line.y) - line.dx * (b.y - a.y) -
                         (b.dy - a.dy) * (px[0] - line.x) + line.dy * (b.x - a.x);
    if (slope == 0 || !std::isfinite(f)) break;
    f -= off(line, px) / slope;
    line = mixed(a, b, f);
  }
  const double y = static_cast<double>(row) + f, last = static_cast<double>(rows_.size()) - 1;
  if (!(y >= -0.5 && y <= last + 0.5)) return {kNaN, kNaN};
  return {((px[0] - line.x) * line.dx + (px[1] - line.y) * line.dy) /
              (line.dx * line.dx + line.dy * line.dy),
          y};
}

Vec2 PolarPoints::operator()(const Vec2& px) const {
  if (angles_.empty() || !std::isfinite(px[0]) || !std::isfinite(px[1])) return {kNaN, kNaN};
  double angle = std::atan2(px[1] - epipole_[1], px[0] - epipole_[0]);
  if (is_descending_) angle = -angle;
  const double middle =
      is_cyclic_ ? first_angle_ + kFullCircle / 2 : (angles_.front() + angles_.back()) / 2;
  angle = middle + std::remainder(angle - middle, kFullCircle);
  const auto above = std::upper_bound(angles_.begin(), angles_.end(), angle);
  const auto count = static_cast<std::ptrdiff_t>(angles_.size());
  const auto row = std::clamp<std::ptrdiff_t>(above - angles_.begin() - 1, 0,
                                              std::max<std::ptrdiff_t>(0, count - 2));
  return between(static_cast<std::size_t>(row), px);
}

Vec2 polar_to_photograph(const RectifiedSide& s, const Vec2& rectified) {
  const double last = static_cast<double>(s.rows.size()) - 1;
  if (!(rectified[1] >= 0 && rectified[1] <= last) || !std::isfinite(rectified[0]))
    return {kNaN, kNaN};
  const auto above = static_cast<std::size_t>(rectified[1]);
  const PolarRow row = mixed(s.rows[above], s.rows[std::min(above + 1, s.rows.size() - 1)],
                             rectified[1] - static_cast<double>(above));
  const Vec2 p = {row.x + rectified[0] * row.dx, row.y + rectified[0] * row.dy};
  const double away =
      (s.is_inward ? -1 : 1) * (row.dx * (p[0] - s.epipole[0]) + row.dy * (p[1] - s.epipole[1]));
  if (away < 0) return {kNaN, kNaN};
  return p;
}

}  // namespace bifocal::rectification
