// SPDX-License-Identifier: BSD-3-Clause
// Polar rectification: the rows are half epipolar lines about the epipoles.
//   M. Pollefeys, R. Koch, L. Van Gool, A simple and efficient rectification method for general
//   motion, ICCV 1999.
#include <bifocal/error.hpp>
#include <bifocal/rectify.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <bifocal/geometry.hpp>
#include "rectify/pair_input.hpp"
#include "rectify/polar_lines.hpp"
#include "rectify/sampling_map.hpp"
#include "rectify/upright.hpp"

namespace bifocal {
namespace {

using namespace rectification;

constexpr double kMaxStretch = 4;  // limit of the stretching of columns
constexpr double kMinStretch = 1.2;
constexpr double kMaxShrinkage = 0.8;      // largest ratio of the disparity spans with and
                                           // without stretching
constexpr std::size_t kLeastMatches = 16;  // smallest number for an estimate of the stretching

// F of rank 2 and both epipoles, in px from the image centres.
struct Epipolar {
  Mat3 F;
  Vec3 e1, e2;
};
std::optional<Epipolar> epipolar_of(const Mat3& F, const ImageSizes& sizes) {
  const NormalisedF one = normalised(F, sizes);
  if (!one.f) return {};
  const auto other = rank_two(transposed(one.f->F));
  if (!other) return {};
  const double unit_px = one.unit_px;
  const Mat3 from_px = {1 / unit_px, 0, 0, 0, 1 / unit_px, 0, 0, 0, 1};
  const auto px = [&](const Vec3& e) { return Vec3{e[0] * unit_px, e[1] * unit_px, e[2]}; };
  return Epipolar{times(from_px, times(one.f->F, from_px)), px(one.f->e1), px(other->e1)};
}

// Columns of one image: column c lies at t = sign (begin + c step).
struct Columns {
  double sign = 1, begin = 0, end = 0, step = 1;

  [[nodiscard]] int count() const { return static_cast<int>((end - begin) / step + 1e-6) + 1; }
};

// All rows of the rectified images from top to bottom, and their columns.
struct Layout {
  std::vector<LinePair> lines;
  std::array<Columns, 2> columns;
  int width = 0;

  void rotate_by_180() {
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

// Arranges the half lines as rows without mirroring an image: if the half lines of image 2 rotate
// in the opposite direction from row to row, its columns run towards the epipole.
Layout layout_of(std::vector<LinePair> lines, bool is_full_circle) {
  Layout out{std::move(lines), {}, 0};
  double across = 0;  // sum of the extents of image 1's rows to the right
  for (std::size_t k = 0; k < 2; ++k) {
    Columns& c = out.columns[k];
    double rotation = 0;
    for (std::size_t i = 1; i < out.lines.size(); ++i) {
      const Vec2 &a = out.lines[i - 1].sides[k].direction, &b = out.lines[i].sides[k].direction;
      rotation += a[0] * b[1] - a[1] * b[0];
    }
    c.sign = k == 1 && rotation < 0 ? -1 : 1;
    c.begin = std::numeric_limits<double>::infinity();
    c.end = -c.begin;
    for (const LinePair& pair : out.lines) {
      const HalfLine& line = pair.sides[k];
      c.begin = std::min({c.begin, c.sign * line.begin, c.sign * line.end});
      c.end = std::max({c.end, c.sign * line.begin, c.sign * line.end});
      if (k == 0) across += line.direction[0] * (line.end - line.begin);
    }
  }
  if (across < 0 && !is_full_circle) out.rotate_by_180();
  return out;
}

// Returns t of a point on its half line, in the direction of the columns.
double along(const PolarView& v, double sign, double x, double y) {
  // Computes |p - e| - radius without the difference of two large numbers.
  const double r = std::hypot(x - v.epipole[0], y - v.epipole[1]);
  const double t = (x * x + y * y - 2 * (x * v.epipole[0] + y * v.epipole[1])) / (r + v.radius);
  return sign * t;
}

double middle_span(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t cut = values.size() / 50;
  return values[values.size() - 1 - cut] - values[cut];
}

// Estimates the slope b of left = a + b right from the matches, with least absolute errors by
// reweighted least squares. Returns 1 if stretching does not shorten the disparities.
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
  return middle_span(after) < kMaxShrinkage * middle_span(before) ? b : 1;
}

PolarRow row_of(const HalfLine& line, const Columns& c, const Vec2& centre) {
  const Vec2 start = line.at(c.sign * c.begin);
  return {start[0] + centre[0], start[1] + centre[1], c.sign * c.step * line.direction[0],
          c.sign * c.step * line.direction[1]};
}

void set_rows(const Pencil& pencil, const Layout& layout, int overlap, Rectification& out) {
  const auto count = layout.lines.size(), repeated = static_cast<std::size_t>(overlap);
  for (std::size_t k = 0; k < 2; ++k) {
    RectifiedSide& side = out.sides[k];
    const Vec2 centre = centre_of(side.input.width, side.input.height), e = pencil.view(k).epipole;
    side.epipole = {e[0] + centre[0], e[1] + centre[1]};
    side.is_inward = layout.columns[k].sign < 0;
    for (std::size_t i = 0; i < count + 2 * repeated; ++i)
      side.rows.push_back(
          row_of(layout.lines[(i + count - repeated) % count].sides[k], layout.columns[k], centre));
  }
  out.overlap = overlap;
  out.width = layout.width;
  out.height = static_cast<int>(out.sides[0].rows.size());
}

// Returns the layout with the finest rows and columns that the largest area allows.
Layout fitted_layout(const Pencil& pencil, const Arc& arc, const ImageSizes& s,
                     const PolarOptions& options, std::span<const PointPair> matches,
                     double& scale) {
  const double most = std::min(double(kMaxMapPixels), options.max_scale * s.largest_area());
  const double around = 2.0 * (double(s.width1) + s.height1 + double(s.width2) + s.height2);
  scale = 1;
  for (;;) {
    // The number of rows is at most the number of pixels around both images.
    const auto limit = static_cast<std::size_t>(4 * scale * around) + 1000;
    Layout layout = layout_of(walk(pencil, arc, 1 / scale, limit), arc.is_full_circle);
    if (layout.lines.empty()) return layout;
    const double b = slope_of(pencil, layout, matches);
    layout.set_step(std::min(1.0, b) / scale, std::min(1.0, 1 / b) / scale);
    const double area = double(layout.width) * double(layout.lines.size());
    if (area <= most || scale < 1e-4) return layout;
    scale *= 0.999 * std::sqrt(most / area);
  }
}

// orienting: matches that determine which half lines correspond; matches: determine the stretching.
Rectification rectified(const Mat3& F, std::span<const PointPair> orienting,
                        std::span<const PointPair> matches, const ImageSizes& s,
                        const PolarOptions& options) {
  check_matrix("rectify_polar", F);
  Rectification out;
  out.kind = RectificationKind::polar;
  out.sides[0].input.width = s.width1, out.sides[0].input.height = s.height1;
  out.sides[1].input.width = s.width2, out.sides[1].input.height = s.height2;
  const auto refused = [&](RectifyOutcome why) {
    out.outcome = why;
    return out;
  };
  const auto epipolar = epipolar_of(F, s);
  if (!epipolar) return refused(RectifyOutcome::no_geometry);
  const auto centred = [&](std::span<const PointPair> points) {
    const Vec2 one = centre_of(s.width1, s.height1), two = centre_of(s.width2, s.height2);
    std::vector<PointPair> all;
    for (const PointPair& p : points)
      all.push_back({p.x1 - one[0], p.y1 - one[1], p.x2 - two[0], p.y2 - two[1]});
    return all;
  };
  Pencil pencil(epipolar->F, {s.width1, s.height1, epipolar->e1},
                {s.width2, s.height2, epipolar->e2});
  if (!pencil.orient(centred(orienting))) return refused(RectifyOutcome::no_orientation);
  Arc arc;
  if (!pencil.common_arc(arc)) return refused(RectifyOutcome::no_common_rows);
  const Layout layout = fitted_layout(pencil, arc, s, options, centred(matches), out.scale);
  if (layout.lines.empty()) return refused(RectifyOutcome::no_common_rows);
  out.is_cyclic = arc.is_full_circle;
  const int overlap = out.is_cyclic ? options.overlap : 0;
  set_rows(pencil, layout, std::min(overlap, static_cast<int>(layout.lines.size())), out);
  return out;
}

// Returns a grid of pixels of image 1 and their positions in image 2 at a depth of
// `depth` baselines.
std::vector<PointPair> seen_at(double depth, const Camera& camera1, const Camera& camera2,
                               const Pose& pose) {
  constexpr int kSteps = 16;
  const Intrinsics &k1 = camera1.intrinsics, &k2 = camera2.intrinsics;
  std::vector<PointPair> all;
  for (int j = 0; j <= kSteps; ++j) {
    for (int i = 0; i <= kSteps; ++i) {
      const double x = (camera1.width - 1.0) * i / kSteps, y = (camera1.height - 1.0) * j / kSteps;
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

// Returns whether disparities grow as points come nearer.
bool near_is_larger(const Rectification& r, const Camera& camera1, const Camera& camera2,
                    const Pose& pose) {
  const auto places = [&](double depth) {
    std::vector<Vec2> px;
    for (const PointPair& m : seen_at(depth, camera1, camera2, pose)) px.push_back({m.x2, m.y2});
    return rectified_points(r, 1, px);
  };
  const auto far = places(1e4), near = places(1e3);
  std::int64_t vote = 0;
  for (std::size_t i = 0; i < std::min(far.size(), near.size()); ++i)
    vote += (near[i][0] < far[i][0]) - (near[i][0] > far[i][0]);
  return vote >= 0;
}

}  // namespace

Rectification rectify_polar(const Mat3& F, std::span<const PointPair> matches, int width1,
                            int height1, int width2, int height2, const PolarOptions& options) {
  const ImageSizes sizes{width1, height1, width2, height2};
  check_sizes("rectify_polar", sizes);
  check_options(options);
  return rectified(F, matches, matches, sizes, options);
}

Rectification rectify_polar(const Camera& camera1, const Camera& camera2, const Pose& given,
                            std::span<const PointPair> matches, const PolarOptions& options) {
  const Intrinsics &k1 = camera1.intrinsics, &k2 = camera2.intrinsics;
  const ImageSizes sizes{camera1.width, camera1.height, camera2.width, camera2.height};
  const Pose cam2_from_cam1 = checked_pose("rectify_polar", k1, k2, given);
  for (const Camera& camera : {camera1, camera2})
    if (!camera.distortion.none())
      throw Error(ErrorCode::usage,
                  "rectify_polar: a camera has distortion; undistort its image and points first");
  check_sizes("rectify_polar", sizes);
  check_options(options);
  const Mat3 E = times(cross_matrix(unit(cam2_from_cam1.t)), cam2_from_cam1.R);
  const Mat3 F = times(transposed(k2.inverse_matrix()), times(E, k1.inverse_matrix()));
  Rectification r =
      rectified(F, seen_at(1e6, camera1, camera2, cam2_from_cam1), matches, sizes, options);
  if (r.ok() && !near_is_larger(r, camera1, camera2, cam2_from_cam1)) rotate_by_180(r);
  r.is_reversed = false;
  if (is_upside_down(r)) {  // both change the sign of the disparities
    exchange_sides(r);
    rotate_by_180(r);
  }
  r.doubt = doubt_of(k1, k2, sizes);
  return r;
}

}  // namespace bifocal
