// SPDX-License-Identifier: BSD-3-Clause
// M. Pollefeys, R. Koch, L. Van Gool, A simple and efficient rectification method for general
// motion, ICCV 1999.
#include <bifocal/error.hpp>
#include <bifocal/rectify.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include <bifocal/geometry.hpp>
#include "rectify/polar_lines.hpp"
#include "rectify/rank_two.hpp"
#include "rectify/rectify_canvas.hpp"
#include "rectify/turned.hpp"

namespace bifocal {
namespace {

using namespace rectification;

constexpr double kMaxStretch = 4;  // of columns
constexpr double kMinStretch = 1.2;
constexpr double kWorthIt = 0.8;  // of the disparities' span that stretching has to leave at most
constexpr std::size_t kLeastMatches = 16;  // to tell how rows are stretched

struct Sizes {
  int width1, height1, width2, height2;
};

void check(const Mat3& F, const Sizes& s, const PolarOptions& o) {
  double largest = 0;
  for (const double v : F) {
    if (!std::isfinite(v)) throw Error(ErrorCode::usage, "rectify_polar: F is not finite");
    largest = std::max(largest, std::abs(v));
  }
  if (!(largest > 0)) throw Error(ErrorCode::usage, "rectify_polar: F is zero");
  check_sizes("rectify_polar", {s.width1, s.height1, s.width2, s.height2});
  check_options(o);
}

Vec2 middle_of(int width, int height) { return {(width - 1) / 2.0, (height - 1) / 2.0}; }

// This holds F of rank 2 and both epipoles, in px from the middles of the pictures; without rank 2
// there is nothing.
struct Epipolar {
  Mat3 F;
  Vec3 e1, e2;
};
std::optional<Epipolar> epipolar_of(const Mat3& F, const Sizes& s) {
  const double unit_px = std::max({s.width1, s.height1, s.width2, s.height2});
  const auto to_px = [&](const Vec2& middle) {
    return Mat3{unit_px, 0, middle[0], 0, unit_px, middle[1], 0, 0, 1};
  };
  double largest = 0;
  for (const double v : F) largest = std::max(largest, std::abs(v));
  const Mat3 px1 = to_px(middle_of(s.width1, s.height1)),
             px2 = to_px(middle_of(s.width2, s.height2));
  const auto f = rank_two(times(transposed(px2), times(scaled(F, 1 / largest), px1)));
  if (!f) return {};
  const auto other = rank_two(transposed(f->F));
  if (!other) return {};
  const Mat3 from_px = {1 / unit_px, 0, 0, 0, 1 / unit_px, 0, 0, 0, 1};
  const auto px = [&](const Vec3& e) { return Vec3{e[0] * unit_px, e[1] * unit_px, e[2]}; };
  return Epipolar{times(from_px, times(f->F, from_px)), px(f->e1), px(other->e1)};
}

// Columns of one picture: column c lies at t = sign (begin + c step).
struct Columns {
  double sign = 1, begin = 0, end = 0, step = 1;

  [[nodiscard]] int count() const { return static_cast<int>((end - begin) / step + 1e-6) + 1; }
};

// All rows, top to bottom, and how their columns run.
struct Layout {
  std::vector<LinePair> lines;
  std::array<Columns, 2> columns;
  int width = 0;

  void turn() {
    std::reverse(lines.begin(), lines.end());
    for (Columns& c : columns) {
      c.sign = -c.sign;
      c.begin = -std::exchange(c.end, -c.begin);
    }
  }
  void set_step(double left, double right) {
    columns[0].step = left;
    columns[1].step = right;
    width = std::max(columns[0].count(), columns[1].count());
  }
};

// A picture is not mirrored: where its half lines turn the other way as rows go down, its columns
// run towards the epipole.
Layout layout_of(std::vector<LinePair> lines, bool is_turn) {
  Layout out{std::move(lines), {}, 0};
  double across = 0;  // how far the rows of picture 1 go to the right
  for (std::size_t k = 0; k < 2; ++k) {
    Columns& c = out.columns[k];
    double turning = 0;
    for (std::size_t i = 1; i < out.lines.size(); ++i) {
      const Vec2 &a = out.lines[i - 1].sides[k].direction, &b = out.lines[i].sides[k].direction;
      turning += a[0] * b[1] - a[1] * b[0];
    }
    c.sign = k == 1 && turning < 0 ? -1 : 1;
    c.begin = std::numeric_limits<double>::infinity();
    c.end = -c.begin;
    for (const LinePair& pair : out.lines) {
      const HalfLine& line = pair.sides[k];
      c.begin = std::min({c.begin, c.sign * line.begin, c.sign * line.end});
      c.end = std::max({c.end, c.sign * line.begin, c.sign * line.end});
      if (k == 0) across += line.direction[0] * (line.end - line.begin);
    }
  }
  if (across < 0 && !is_turn) out.turn();
  return out;
}

// t of a point on its half line, counted as the columns of its side are.
double along(const PolarView& v, double sign, double x, double y) {
  // This is |p - e| - radius without the difference of two large numbers.
  const double r = std::hypot(x - v.epipole[0], y - v.epipole[1]);
  const double t = (x * x + y * y - 2 * (x * v.epipole[0] + y * v.epipole[1])) / (r + v.radius);
  return sign * t;
}

double middle_span(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t cut = values.size() / 50;
  return values[values.size() - 1 - cut] - values[cut];
}

// The slope b of left = a + b right that most of the matches have: least absolute errors by
// reweighted least squares. 1 where stretching does not shorten the disparities.
double slope_of(const Pencil& pencil, const Layout& layout, std::span<const PointPair> matches) {
  std::vector<Vec2> places;  // left, right
  for (const PointPair& m : matches) {
    const Vec2 p = {along(pencil.view(0), layout.columns[0].sign, m.x1, m.y1),
                    along(pencil.view(1), layout.columns[1].sign, m.x2, m.y2)};
    if (std::isfinite(p[0]) && std::isfinite(p[1])) places.push_back(p);
  }
  if (places.size() < kLeastMatches) return 1;
  double a = 0, b = 1;
  for (int i = 0; i < 50; ++i) {
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (const auto& [left, right] : places) {
      const double w = 1 / std::max(1.0, std::abs(left - a - b * right));
      n += w, x += w * right, y += w * left, xx += w * right * right, xy += w * right * left;
    }
    const double spread = n * xx - x * x;
    if (!(spread > 1e-9 * n * xx)) return 1;
    b = (n * xy - x * y) / spread;
    a = (y - b * x) / n;
  }
  b = std::clamp(b, 1 / kMaxStretch, kMaxStretch);
  if (b < kMinStretch && b > 1 / kMinStretch) return 1;
  std::vector<double> before, after;
  for (const auto& [left, right] : places) {
    before.push_back(left - right);
    after.push_back(std::max(1.0, 1 / b) * (left - b * right));
  }
  return middle_span(after) < kWorthIt * middle_span(before) ? b : 1;
}

PolarRow row_of(const HalfLine& line, const Columns& c, const Vec2& middle) {
  const Vec2 start = line.at(c.sign * c.begin);
  return {start[0] + middle[0], start[1] + middle[1], c.sign * c.step * line.direction[0],
          c.sign * c.step * line.direction[1]};
}

void set_rows(const Pencil& pencil, const Layout& layout, const Sizes& s, int overlap,
              PolarRectification& out) {
  const std::array<std::pair<int, int>, 2> sizes = {{{s.width1, s.height1}, {s.width2, s.height2}}};
  const auto count = layout.lines.size();
  for (std::size_t k = 0; k < 2; ++k) {
    PolarSide& side = out.sides[k];
    const Vec2 middle = middle_of(sizes[k].first, sizes[k].second), e = pencil.view(k).epipole;
    side.photograph_width = sizes[k].first;
    side.photograph_height = sizes[k].second;
    side.epipole = {e[0] + middle[0], e[1] + middle[1]};
    side.to_epipole = layout.columns[k].sign < 0;
    const auto before = static_cast<std::size_t>(overlap);
    for (std::size_t i = 0; i < count + 2 * before; ++i)
      side.rows.push_back(
          row_of(layout.lines[(i + count - before) % count].sides[k], layout.columns[k], middle));
  }
  out.overlap = overlap;
  out.width = layout.width;
  out.height = static_cast<int>(out.sides[0].rows.size());
}

// Rows and columns as fine as the largest area allows.
Layout fitted_layout(const Pencil& pencil, const Arc& arc, const Sizes& s,
                     const PolarOptions& options, std::span<const PointPair> matches,
                     double& scale) {
  const double most = std::min(
      double(kMaxMapPixels),
      options.max_scale * std::max(double(s.width1) * s.height1, double(s.width2) * s.height2));
  const double around = 2.0 * (double(s.width1) + s.height1 + double(s.width2) + s.height2);
  scale = 1;
  for (;;) {
    // Rows are at most as many as pixels lie around both pictures.
    const auto limit = static_cast<std::size_t>(4 * scale * around) + 1000;
    Layout layout = layout_of(walk(pencil, arc, 1 / scale, limit), arc.is_turn);
    if (layout.lines.empty()) return layout;
    const double b = slope_of(pencil, layout, matches);
    layout.set_step(std::min(1.0, b) / scale, std::min(1.0, 1 / b) / scale);
    const double area = double(layout.width) * double(layout.lines.size());
    if (area <= most || scale < 1e-4) return layout;
    scale *= 0.999 * std::sqrt(most / area);
  }
}

PolarRectification rectify_polar(const Mat3& F, std::span<const PointPair> signs,
                                 std::span<const PointPair> matches, const Sizes& s,
                                 const PolarOptions& options) {
  check(F, s, options);
  PolarRectification out;
  const auto refused = [&](RectifyOutcome why) {
    out.outcome = why;
    return out;
  };
  const auto epipolar = epipolar_of(F, s);
  if (!epipolar) return refused(RectifyOutcome::no_geometry);
  const auto centred = [&](std::span<const PointPair> points) {
    const Vec2 one = middle_of(s.width1, s.height1), two = middle_of(s.width2, s.height2);
    std::vector<PointPair> all;
    for (const PointPair& p : points)
      all.push_back({p.x1 - one[0], p.y1 - one[1], p.x2 - two[0], p.y2 - two[1]});
    return all;
  };
  Pencil pencil(epipolar->F, {s.width1, s.height1, epipolar->e1},
                {s.width2, s.height2, epipolar->e2});
  if (!pencil.orient(centred(signs))) return refused(RectifyOutcome::no_orientation);
  Arc arc;
  if (!pencil.common_arc(arc)) return refused(RectifyOutcome::no_common_rows);
  const Layout layout = fitted_layout(pencil, arc, s, options, centred(matches), out.scale);
  if (layout.lines.empty()) return refused(RectifyOutcome::no_common_rows);
  out.is_cyclic = arc.is_turn;
  const int overlap = arc.is_turn ? options.overlap : 0;
  set_rows(pencil, layout, s, std::min(overlap, static_cast<int>(layout.lines.size())), out);
  return out;
}

// Pixels of picture 1 and where picture 2 sees them if they are `depth` baselines away.
std::vector<PointPair> seen_at(double depth, const Intrinsics& k1, const Intrinsics& k2,
                               const Pose& pose, const Sizes& s) {
  constexpr int kSteps = 16;
  std::vector<PointPair> all;
  for (int j = 0; j <= kSteps; ++j) {
    for (int i = 0; i <= kSteps; ++i) {
      const double x = (s.width1 - 1.0) * i / kSteps, y = (s.height1 - 1.0) * j / kSteps;
      const Vec3 ray = times(pose.R, unit({(x - k1.cx) / k1.fx, (y - k1.cy) / k1.fy, 1}));
      const double near = 1 / (depth * norm(pose.t));
      const Vec3 p = {ray[0] + near * pose.t[0], ray[1] + near * pose.t[1],
                      ray[2] + near * pose.t[2]};
      if (p[2] > 1e-3)
        all.push_back({x, y, k2.fx * p[0] / p[2] + k2.cx, k2.fy * p[1] / p[2] + k2.cy});
    }
  }
  return all;
}

// Do disparities grow as points come nearer?
bool near_is_larger(const PolarRectification& r, const Intrinsics& k1, const Intrinsics& k2,
                    const Pose& pose, const Sizes& s) {
  const auto places = [&](double depth) {
    std::vector<Vec2> px;
    for (const PointPair& m : seen_at(depth, k1, k2, pose, s)) px.push_back({m.x2, m.y2});
    return rectified_points(r, 1, px);
  };
  const auto far = places(1e4), near = places(1e3);
  std::int64_t vote = 0;
  for (std::size_t i = 0; i < std::min(far.size(), near.size()); ++i)
    vote += (near[i][0] < far[i][0]) - (near[i][0] > far[i][0]);
  return vote >= 0;
}

void check(const Intrinsics& k1, const Intrinsics& k2, const Pose& pose) {
  for (const Intrinsics& k : {k1, k2})
    if (!k.valid() || !std::isfinite(k.fx + k.fy + k.cx + k.cy))
      throw Error(ErrorCode::usage,
                  fmt::format("rectify_polar: camera {},{},{},{}: fx and fy must be positive, all "
                              "finite",
                              k.fx, k.fy, k.cx, k.cy));
  for (const double v : pose.R)
    if (!std::isfinite(v)) throw Error(ErrorCode::usage, "rectify_polar: R is not finite");
  const double length = norm(pose.t);
  if (!(length > 0) || !std::isfinite(length))
    throw Error(ErrorCode::usage,
                fmt::format("rectify_polar: t = {},{},{}: must be finite and not zero", pose.t[0],
                            pose.t[1], pose.t[2]));
}

}  // namespace

PolarRectification rectify_polar(const Mat3& F, std::span<const PointPair> matches, int width1,
                                 int height1, int width2, int height2,
                                 const PolarOptions& options) {
  return rectify_polar(F, matches, matches, {width1, height1, width2, height2}, options);
}

PolarRectification rectify_polar(const Intrinsics& camera1, const Intrinsics& camera2,
                                 const Pose& cam2_from_cam1, std::span<const PointPair> matches,
                                 int width1, int height1, int width2, int height2,
                                 const PolarOptions& options) {
  check(camera1, camera2, cam2_from_cam1);
  const Sizes s{width1, height1, width2, height2};
  const Mat3 E = times(cross_matrix(unit(cam2_from_cam1.t)), cam2_from_cam1.R);
  const Mat3 F = times(transposed(camera2.inverse_matrix()), times(E, camera1.inverse_matrix()));
  check_sizes("rectify_polar", {width1, height1, width2, height2});
  check_options(options);
  PolarRectification r =
      rectify_polar(F, seen_at(1e6, camera1, camera2, cam2_from_cam1, s), matches, s, options);
  if (r.width > 0 && !near_is_larger(r, camera1, camera2, cam2_from_cam1, s)) turn(r);
  return r;
}

}  // namespace bifocal
