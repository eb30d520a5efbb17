// SPDX-License-Identifier: BSD-3-Clause
#include "rectify/polar_lines.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace bifocal::rectification {
namespace {

constexpr double kTouch = 1e-6;  // px: a line at this distance still crosses the image

double dot(const Vec2& a, const Vec2& b) { return a[0] * b[0] + a[1] * b[1]; }
double cross(const Vec2& a, const Vec2& b) { return a[0] * b[1] - a[1] * b[0]; }
Vec2 minus(const Vec2& a, const Vec2& b) { return {a[0] - b[0], a[1] - b[1]}; }

// Returns the epipolar line F p of a point.
Vec3 line_of(const Mat3& F, const Vec2& p) {
  return {F[0] * p[0] + F[1] * p[1] + F[2], F[3] * p[0] + F[4] * p[1] + F[5],
          F[6] * p[0] + F[7] * p[1] + F[8]};
}

std::array<Vec2, 4> corners(const PolarView& v) {
  const double x = v.half_width, y = v.half_height;
  return {{{-x, -y}, {x, -y}, {x, y}, {-x, y}}};
}

// Finds the part of the line that lies in the image and on this side of the epipole.
void clip(const PolarView& v, HalfLine& line) {
  double low = -v.radius - line.offset, high = 4 * kFarthestEpipole;
  const double half[2] = {v.half_width + kTouch, v.half_height + kTouch};
  for (std::size_t k = 0; k < 2; ++k) {
    const double d = line.direction[k], a = line.anchor[k];
    if (std::abs(d) < 1e-300) {
      if (std::abs(a) > half[k]) high = low - 1;
      continue;
    }
    const double one = (-half[k] - a) / d, two = (half[k] - a) / d;
    low = std::max(low, std::min(one, two));
    high = std::min(high, std::max(one, two));
  }
  line.is_seen = low <= high;
  line.begin = low + line.offset;
  line.end = high + line.offset;
}

// Returns the largest distance between two lines inside the image, px.
double movement(const HalfLine& a, const HalfLine& b) {
  return std::max(a.is_seen ? b.distance(a.at(a.end)) : 0, b.is_seen ? a.distance(b.at(b.end)) : 0);
}
double movement(const LinePair& a, const LinePair& b) {
  return std::max(movement(a.sides[0], b.sides[0]), movement(a.sides[1], b.sides[1]));
}

}  // namespace

PolarView::PolarView(int width, int height, const Vec3& e)
    : half_width(std::max(0.5, (width - 1) / 2.0)), half_height(std::max(0.5, (height - 1) / 2.0)) {
  const double sign = e[2] < 0 ? -1 : 1, far = std::hypot(e[0], e[1]);
  const double w = std::max(sign * e[2], far / kFarthestEpipole);
  epipole = {sign * e[0] / w, sign * e[1] / w};
  radius = std::hypot(epipole[0], epipole[1]);
  towards = {1, 0};
  if (radius > 1e-9) towards = {-epipole[0] / radius, -epipole[1] / radius};
  has_epipole = std::abs(epipole[0]) < half_width && std::abs(epipole[1]) < half_height;
}

double PolarView::angle(const Vec2& p) const {
  return std::atan2(cross(towards, p), radius + dot(towards, p));
}

double HalfLine::distance(const Vec2& p) const {
  return std::abs(cross(minus(p, anchor), direction));
}

Pencil::Pencil(const Mat3& F, const PolarView& one, const PolarView& two)
    : F_(F), views_{one, two} {}

bool Pencil::orient(std::span<const PointPair> matches) {
  sign_ = 1;
  std::int64_t vote = 0;
  for (const PointPair& m : matches) {
    const double away = dot(second({m.x1, m.y1}).direction, minus({m.x2, m.y2}, views_[1].epipole));
    if (std::isfinite(away)) vote += (away > 0) - (away < 0);
  }
  sign_ = vote < 0 ? -1 : 1;
  return vote != 0;
}

HalfLine Pencil::first(double angle) const {
  const PolarView& v = views_[0];
  const double c = std::cos(angle), s = std::sin(angle), half = std::sin(angle / 2);
  const Vec2 u = v.towards, n = {-u[1], u[0]};
  // The anchor lies on the circle about the epipole through the image centre, which is the origin.
  const double along = -2 * v.radius * half * half, across = v.radius * s;
  HalfLine line;
  line.direction = {c * u[0] + s * n[0], c * u[1] + s * n[1]};
  line.anchor = {along * u[0] + across * n[0], along * u[1] + across * n[1]};
  clip(v, line);
  return line;
}

HalfLine Pencil::second(const Vec2& point1) const {
  const PolarView& v = views_[1];
  const Vec3 l = line_of(F_, point1);
  const double size = std::hypot(l[0], l[1]);
  HalfLine line;
  line.direction = {sign_ * l[1] / size, -sign_ * l[0] / size};
  const double foot = l[2] / size;
  line.anchor = {-foot * l[0] / size, -foot * l[1] / size};
  // The foot of the perpendicular from the centre lies radius cos(a) from the epipole, and its
  // distance from the centre is radius |sin(a)|.
  const double cosine = dot(line.direction, v.towards);
  const double sine = std::abs(cross(line.direction, v.towards));
  line.offset = cosine > 0 ? -std::abs(foot) * sine / (1 + cosine) : v.radius * (cosine - 1);
  clip(v, line);
  return line;
}

LinePair Pencil::at(double angle) const {
  LinePair pair;
  pair.sides[0] = first(angle);
  // Any point of the half line except the epipole determines the corresponding one.
  const HalfLine& line = pair.sides[0];
  pair.sides[1] = second(line.at(line.is_seen ? line.end : std::max(0.0, 1 - views_[0].radius)));
  return pair;
}

double Pencil::angle_of(const Vec2& point2, double sign) const {
  const Vec3 l = line_of(transposed(F_), point2);
  const Vec2 d = {sign * l[1], -sign * l[0]};
  // Lines of a far epipole are nearly parallel: their distance from the centre distinguishes them.
  if (views_[0].radius > 100 * std::hypot(views_[0].half_width, views_[0].half_height)) {
    const double size = l[0] * l[0] + l[1] * l[1];
    return views_[0].angle({-l[2] * l[0] / size, -l[2] * l[1] / size});
  }
  return std::atan2(cross(views_[0].towards, d), dot(views_[0].towards, d));
}

Arc Pencil::arc_of_first() const {
  const PolarView& v = views_[0];
  if (v.has_epipole) return {};
  Arc arc{0, 0, false};
  for (const Vec2& corner : corners(v)) {
    if (std::hypot(corner[0] - v.epipole[0], corner[1] - v.epipole[1]) < 1e-9) continue;
    const double angle = v.angle(corner);
    arc.low = std::min(arc.low, angle);
    arc.high = std::max(arc.high, angle);
  }
  return arc;
}

Arc Pencil::arc_of_second() const {
  const PolarView& v = views_[1];
  if (v.has_epipole) return {};
  Vec2 low{}, high{};  // the image centre
  for (const Vec2& corner : corners(v)) {
    if (std::hypot(corner[0] - v.epipole[0], corner[1] - v.epipole[1]) < 1e-9) continue;
    if (v.angle(corner) < v.angle(low)) low = corner;
    if (v.angle(corner) > v.angle(high)) high = corner;
  }
  // A pair of corresponding half lines determines the sign.
  const HalfLine known = first(0);
  const HalfLine other = second(known.at(std::max(0.0, 1 - views_[0].radius)));
  const Vec3 l = line_of(transposed(F_), other.at(std::max(0.0, 1 - v.radius)));
  const double sign = dot(known.direction, Vec2{l[1], -l[0]}) < 0 ? -1 : 1;
  const double middle = angle_of({0, 0}, sign);
  const double a = std::remainder(angle_of(low, sign) - middle, kFullCircle);
  const double b = std::remainder(angle_of(high, sign) - middle, kFullCircle);
  return {middle + std::min(a, b), middle + std::max(a, b), false};
}

bool Pencil::common_arc(Arc& arc) const {
  const Arc one = arc_of_first();
  Arc two = arc_of_second();
  if (one.is_full_circle || two.is_full_circle) {
    arc = one.is_full_circle ? two : one;
    return arc.low <= arc.high;
  }
  const double between = (two.low + two.high - one.low - one.high) / 2;
  const double circles = between - std::remainder(between, kFullCircle);
  arc = {std::max(one.low, two.low - circles), std::min(one.high, two.high - circles), false};
  return arc.low <= arc.high;
}

std::vector<LinePair> walk(const Pencil& pencil, const Arc& arc, double step, std::size_t limit) {
  constexpr double kLargest = 0.2;  // radians
  const PolarView& v = pencil.view(0);
  std::vector<LinePair> lines;
  double angle = arc.low;
  double by = step / (v.radius + std::hypot(v.half_width, v.half_height));
  LinePair last = pencil.at(angle);
  for (;;) {
    if (last.sides[0].is_seen && last.sides[1].is_seen) lines.push_back(last);
    if (lines.size() > limit) return {};
    LinePair next;
    double moved = 0;
    for (int tries = 0; tries < 60; ++tries) {
      by = std::min(by, kLargest);
      next = pencil.at(angle + by);
      moved = movement(last, next);
      if (!(moved > step * (1 + 1e-9))) break;
      by *= std::clamp(step / moved, 0.01, 1 - 1e-10);
    }
    angle += by;
    if (arc.is_full_circle ? angle >= arc.high - 1e-12 : angle > arc.high + 1e-3 * by) return lines;
    by = moved > 0 ? by * std::clamp(step / moved, 0.5, 2.0) : 2 * by;
    last = next;
  }
}

}  // namespace bifocal::rectification
