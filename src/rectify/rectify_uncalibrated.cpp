// SPDX-License-Identifier: BSD-3-Clause
// C. Loop, Z. Zhang, Computing rectifying homographies for stereo vision, CVPR 1999. Coordinates
// are relative to the middle of each picture, in units of one size for both.
#include <bifocal/error.hpp>
#include <bifocal/rectify.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <bifocal/geometry.hpp>
#include "rectify/rank_two.hpp"
#include "rectify/rectify_canvas.hpp"

namespace bifocal {
namespace {

using namespace rectification;

constexpr double kTypicalFocalLength = 1.2;  // to the longer side: 45 degrees across it
constexpr double kMaxScaleRatio = 4;         // of the perspective part across a picture

struct Picture {
  double width, height;              // units
  double inner_width, inner_height;  // between the middles of the first and the last pixel
};

// Lines that go to infinity: corresponding epipolar lines w1, w2, scaled to 1 in the middle.
struct Lines {
  Vec3 w1, w2;
};
Lines lines_at(const RankTwo& f, double angle) {
  const Vec3 z = {std::cos(angle), std::sin(angle), 0};
  return {cross(f.e1, z), times(f.F, z)};
}

// Returns the squared deviation of w p from its value in the middle, a pixel on average.
double distortion(const Vec3& w, const Picture& p) {
  const double x = w[0] * p.inner_width, y = w[1] * p.inner_height;
  return (x * x + y * y) / (12 * w[2] * w[2]);
}

Lines least_distorting(const RankTwo& f, const Picture& one, const Picture& two) {
  const auto cost = [&](double angle) {
    const Lines l = lines_at(f, angle);
    const double sum = distortion(l.w1, one) + distortion(l.w2, two);
    return std::isfinite(sum) ? sum : std::numeric_limits<double>::max();
  };
  constexpr int kSteps = 1024;
  constexpr double kStep = std::numbers::pi / kSteps;
  int best = 0;
  for (int i = 1; i < kSteps; ++i)
    if (cost(kStep * i) < cost(kStep * best)) best = i;
  double lo = kStep * (best - 1), hi = kStep * (best + 1);
  for (int i = 0; i < 60; ++i) {
    const double a = lo + (hi - lo) / 3, b = hi - (hi - lo) / 3;
    if (cost(a) < cost(b))
      hi = b;
    else
      lo = a;
  }
  Lines l = lines_at(f, 0.5 * (lo + hi));
  for (Vec3* w : {&l.w1, &l.w2}) *w = {(*w)[0] / (*w)[2], (*w)[1] / (*w)[2], 1};
  return l;
}

Mat3 perspective(const Vec3& w) { return {1, 0, 0, 0, 1, 0, w[0], w[1], 1}; }
Mat3 perspective_inverse(const Vec3& w) { return {1, 0, 0, 0, 1, 0, -w[0], -w[1], 1}; }

Vec2 apply(const Mat3& H, double x, double y) {
  const Vec3 p = times(H, Vec3{x, y, 1});
  return {p[0] / p[2], p[1] / p[2]};
}

// Is the perspective part too strong for this picture?
bool stretches(const Vec3& w, const Picture& p) {
  const double reach = 0.5 * (std::abs(w[0]) * p.inner_width + std::abs(w[1]) * p.inner_height);
  return !(1 + reach <= kMaxScaleRatio * (1 - reach));
}

// Adds to row v of a picture the column u: at a right angle to it, then sheared so that the middle
// lines of the picture keep their lengths' ratio and the right angle.
Mat3 with_columns(const Vec3& row, const Vec3& w, const Picture& p) {
  Mat3 H = times(Mat3{row[1], -row[0], 0, row[0], row[1], row[2], 0, 0, 1}, perspective(w));
  const double a = 0.5 * p.width, b = 0.5 * p.height;
  const Vec2 right = apply(H, a, 0), left = apply(H, -a, 0), low = apply(H, 0, b),
             high = apply(H, 0, -b);
  const double xu = right[0] - left[0], xv = right[1] - left[1], yu = low[0] - high[0],
               yv = low[1] - high[1];
  const double area = p.width * p.height * (xu * yv - xv * yu), w2 = p.width * p.width,
               h2 = p.height * p.height;
  const double s = (h2 * xv * xv + w2 * yv * yv) / area, t = -(h2 * xu * xv + w2 * yu * yv) / area;
  for (std::size_t k = 0; k < 3; ++k) H[k] = s * H[k] + t * H[3 + k];
  return H;
}

Extent extent_of(const Mat3& H, const Picture& p) {
  Extent e;
  for (int corner = 0; corner < 4; ++corner) {
    const Vec2 q = apply(H, (corner & 1 ? 0.5 : -0.5) * p.inner_width,
                         (corner & 2 ? 0.5 : -0.5) * p.inner_height);
    e.add(q[0], q[1]);
  }
  return e;
}

// Rows and columns of both pictures in the plane, about as large as the pictures are.
struct Plane {
  Mat3 H1, H2;
};
Plane plane_of(const Mat3& F, const Lines& w, const Picture& one, const Picture& two) {
  // With the lines at infinity F is x2 a + y2 b + x1 c + y1 d + e = 0.
  const Mat3 A = times(transposed(perspective_inverse(w.w2)), times(F, perspective_inverse(w.w1)));
  Mat3 H1 = with_columns({A[6], A[7], A[8]}, w.w1, one);
  Mat3 H2 = with_columns({-A[2], -A[5], 0}, w.w2, two);
  // In the middle the perspective part does nothing: what is left there is a linear map.
  const auto linear = [](const Mat3& H, const Vec3& l, std::size_t i, std::size_t j) {
    return H[3 * i + j] - H[3 * i + 2] * l[j];
  };
  const auto area = [&](const Mat3& H, const Vec3& l) {
    return linear(H, l, 0, 0) * linear(H, l, 1, 1) - linear(H, l, 0, 1) * linear(H, l, 1, 0);
  };
  const double turned = linear(H1, w.w1, 0, 0) + linear(H1, w.w1, 1, 1) + linear(H2, w.w2, 0, 0) +
                        linear(H2, w.w2, 1, 1);
  const double scale =
      std::copysign(1 / std::sqrt(std::sqrt(area(H1, w.w1) * area(H2, w.w2))), turned);
  for (Mat3* H : {&H1, &H2})
    for (std::size_t k = 0; k < 6; ++k) (*H)[k] *= scale;
  return {H1, H2};
}

double column(const Mat3& H, double x, double y) { return apply(H, x, y)[0]; }

// Column of the rectified camera's axis for a camera of usual angle and centre: what H makes of its
// own third row, that axis, once the intrinsics are in it.
double axis_column(const Mat3& H, const Camera& input) {
  const double f = kTypicalFocalLength * std::max(input.width, input.height);
  const Mat3 A =
      times(H, Mat3{f, 0, (input.width - 1) / 2.0, 0, f, (input.height - 1) / 2.0, 0, 0, 1});
  const Vec3 p = times(A, Vec3{A[6], A[7], A[8]});
  return p[0] / p[2];
}

}  // namespace

Rectification rectify_uncalibrated(const Mat3& F, int width1, int height1, int width2, int height2,
                                   const RectifyOptions& options) {
  for (const double v : F)
    if (!std::isfinite(v)) throw Error(ErrorCode::usage, "rectify_uncalibrated: F is not finite");
  if (!(*std::max_element(F.begin(), F.end(),
                          [](double a, double b) { return std::abs(a) < std::abs(b); }) != 0))
    throw Error(ErrorCode::usage, "rectify_uncalibrated: F is zero");
  check_sizes("rectify_uncalibrated", {width1, height1, width2, height2});
  check_options(options);

  Rectification out;
  out.input1.width = width1, out.input1.height = height1;
  out.input2.width = width2, out.input2.height = height2;
  const auto refused = [&](RectifyOutcome why) {
    out.outcome = why;
    return out;
  };
  const double unit_px = std::max({width1, height1, width2, height2});
  const Picture one = {width1 / unit_px, height1 / unit_px, (width1 - 1) / unit_px,
                       (height1 - 1) / unit_px},
                two = {width2 / unit_px, height2 / unit_px, (width2 - 1) / unit_px,
                       (height2 - 1) / unit_px};
  const auto to_px = [&](int width, int height) {
    return Mat3{unit_px, 0, (width - 1) / 2.0, 0, unit_px, (height - 1) / 2.0, 0, 0, 1};
  };
  const Mat3 px1 = to_px(width1, height1), px2 = to_px(width2, height2);
  double largest = 0;
  for (const double v : F) largest = std::max(largest, std::abs(v));
  const auto f = rank_two(times(transposed(px2), times(scaled(F, 1 / largest), px1)));
  if (!f) return refused(RectifyOutcome::no_geometry);
  const Lines lines = least_distorting(*f, one, two);
  if (stretches(lines.w1, one) || stretches(lines.w2, two))
    return refused(RectifyOutcome::epipole_near_image);
  const Plane plane = plane_of(f->F, lines, one, two);
  const Extent l = extent_of(plane.H1, one), r = extent_of(plane.H2, two);
  if (!(std::min(l.v1, r.v1) > std::max(l.v0, r.v0)))
    return refused(RectifyOutcome::no_common_rows);
  const Canvas canvas = canvas_of(l, r, unit_px,
                                  options.max_scale * std::max(double(width1) * double(height1),
                                                               double(width2) * double(height2)));
  const auto to_canvas = [&](const Extent& e) {
    return Mat3{canvas.scale,
                0,
                -canvas.scale * e.u0,
                0,
                canvas.scale,
                -canvas.scale * canvas.top,
                0,
                0,
                1};
  };
  out.H1 = times(to_canvas(l), times(plane.H1, inverse(px1)));
  out.H2 = times(to_canvas(r), times(plane.H2, inverse(px2)));
  out.width = canvas.width;
  out.height = canvas.height;
  return out;
}

Rectification rectify_uncalibrated(const Mat3& F, std::span<const PointPair> matches, int width1,
                                   int height1, int width2, int height2,
                                   const RectifyOptions& options) {
  Rectification r = rectify_uncalibrated(F, width1, height1, width2, height2, options);
  if (r.width == 0) return r;
  // Infinitely far points would have this disparity, were the cameras typical ones.
  const double far = axis_column(r.H1, r.input1) - axis_column(r.H2, r.input2);
  std::int64_t vote = 0;
  for (const PointPair& m : matches) {
    const double d = column(r.H1, m.x1, m.y1) - column(r.H2, m.x2, m.y2) - far;
    vote += (d > 0) - (d < 0);
  }
  if (vote >= 0) return r;
  std::swap(r.H1, r.H2);
  std::swap(r.input1, r.input2);
  r.swapped = true;
  return r;
}

}  // namespace bifocal
