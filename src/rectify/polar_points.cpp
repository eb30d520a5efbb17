// SPDX-License-Identifier: BSD-3-Clause
#include "rectify/polar_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "rectify/pair_input.hpp"

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

Vec2 at(const PolarRow& row, double column) {
  return {row.x + column * row.dx, row.y + column * row.dy};
}

// Returns whether a point lies on the half of a row's line that the epipole separates from it.
bool is_beyond_epipole(const RectifiedSide& s, const PolarRow& row, const Vec2& p) {
  const double away =
      (s.is_inward ? -1 : 1) * (row.dx * (p[0] - s.epipole[0]) + row.dy * (p[1] - s.epipole[1]));
  return away < 0;
}

}  // namespace

PolarPoints::PolarPoints(const Rectification& r, const RectifiedSide& side)
    : side_(side),
      centre_(centre_of(side.input.width, side.input.height)),
      view_(side.input.width, side.input.height,
            {side.epipole[0] - centre_[0], side.epipole[1] - centre_[1], 1}),
      is_cyclic_(r.is_cyclic) {
  // The first column beyond the rectified image on the side away from the epipole.
  const double outer = side.is_inward ? -1 : r.width;
  double rotation = 0;
  for (const PolarRow& row : side.rows) {
    double of_row = angle(at(row, outer));
    if (!angles_.empty()) {
      of_row = angles_.back() + std::remainder(of_row - angles_.back(), kFullCircle);
      rotation += of_row - angles_.back();
    }
    angles_.push_back(of_row);
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

double PolarPoints::angle(const Vec2& px) const {
  return view_.angle({px[0] - centre_[0], px[1] - centre_[1]});
}

Vec2 PolarPoints::between(std::size_t row, const Vec2& px) const {
  const auto& rows = side_.rows;
  const PolarRow &a = rows[row], &b = rows[std::min(row + 1, rows.size() - 1)];
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
  // Between the rows, or up to half a row beyond the first or the last.
  if (!(f >= -0.5 && f <= 1.5) || is_beyond_epipole(side_, line, px)) return {kNaN, kNaN};
  return {((px[0] - line.x) * line.dx + (px[1] - line.y) * line.dy) /
              (line.dx * line.dx + line.dy * line.dy),
          static_cast<double>(row) + f};
}

Vec2 PolarPoints::operator()(const Vec2& px) const {
  if (angles_.empty() || !std::isfinite(px[0]) || !std::isfinite(px[1])) return {kNaN, kNaN};
  const double middle =
      is_cyclic_ ? first_angle_ + kFullCircle / 2 : (angles_.front() + angles_.back()) / 2;
  const double from_middle = (is_descending_ ? -1 : 1) * angle(px) - middle;
  const auto above = std::upper_bound(angles_.begin(), angles_.end(),
                                      middle + std::remainder(from_middle, kFullCircle));
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
  const Vec2 p = at(row, rectified[0]);
  return is_beyond_epipole(s, row, p) ? Vec2{kNaN, kNaN} : p;
}

}  // namespace bifocal::rectification
