// SPDX-License-Identifier: BSD-3-Clause
// Planar rectification from a fundamental matrix. Coordinates are relative to the centre of each
// image, in units of the longest side of both.
//   C. Loop, Z. Zhang, Computing rectifying homographies for stereo vision, CVPR 1999.
#include <bifocal/rectify.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <bifocal/geometry.hpp>
#include "rectify/pair_input.hpp"
#include "rectify/rank_two.hpp"
#include "rectify/rectify_canvas.hpp"

namespace bifocal {
namespace {

using namespace rectification;

// Relative to the longer side: a field of view of 45 degrees.
constexpr double kTypicalFocalLength = 1.2;
// Largest ratio of the values of w p in an image.
constexpr double kMaxScaleRatio = 4;

struct ImageSize {
  double width, height;              // units
  double inner_width, inner_height;  // between the centres of the first and the last pixel
};

// Lines that are mapped to infinity: corresponding epipolar lines w1, w2, scaled to 1 at
// the centre.
struct Lines {
  Vec3 w1, w2;
};
Lines lines_at(const RankTwo& f, double angle) {
  const Vec3 z = {std::cos(angle), std::sin(angle), 0};
  return {cross(f.e1, z), times(f.F, z)};
}

// Returns the mean squared deviation of w p over the pixels from its value at the centre, divided
// by the square of that value.
double distortion(const Vec3& w, const ImageSize& p) {
  const double x = w[0] * p.inner_width, y = w[1] * p.inner_height;
  return (x * x + y * y) / (12 * w[2] * w[2]);
}

Lines least_distorting(const RankTwo& f, const ImageSize& one, const ImageSize& two) {
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

// Returns whether the perspective part is too strong for this image: the largest value of w p
// exceeds the smallest by more than the factor kMaxScaleRatio, or the image crosses the line at
// infinity.
bool is_too_strong(const Vec3& w, const ImageSize& p) {
  const double reach = 0.5 * (std::abs(w[0]) * p.inner_width + std::abs(w[1]) * p.inner_height);
  return !(1 + reach <= kMaxScaleRatio * (1 - reach));
}

// Returns the homography A P, where P maps the line w to infinity and `row` is the second row of A.
// The first row is at a right angle to it, then sheared so that the middle lines of the image keep
// the ratio of their lengths and their right angle.
Mat3 with_columns(const Vec3& row, const Vec3& w, const ImageSize& p) {
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

Extent extent_of(const Mat3& H, const ImageSize& p) {
  Extent e;
  for (int corner = 0; corner < 4; ++corner) {
    const Vec2 q = apply(H, (corner & 1 ? 0.5 : -0.5) * p.inner_width,
                         (corner & 2 ? 0.5 : -0.5) * p.inner_height);
    e.add(q[0], q[1]);
  }
  return e;
}

// Homographies from both images to the rectified plane. At the centres, the geometric mean of their
// area scales is 1.
struct Plane {
  Mat3 H1, H2;
};
Plane plane_of(const Mat3& F, const Lines& w, const ImageSize& one, const ImageSize& two) {
  // With these lines at infinity, F is x2 a + y2 b + x1 c + y1 d + e = 0.
  const Mat3 A = times(transposed(perspective_inverse(w.w2)), times(F, perspective_inverse(w.w1)));
  Mat3 H1 = with_columns({A[6], A[7], A[8]}, w.w1, one);
  Mat3 H2 = with_columns({-A[2], -A[5], 0}, w.w2, two);
  // Returns an element of the linear map at the centre, without the perspective part.
  const auto linear = [](const Mat3& H, const Vec3& l, std::size_t i, std::size_t j) {
    return H[3 * i + j] - H[3 * i + 2] * l[j];
  };
  const auto area = [&](const Mat3& H, const Vec3& l) {
    return linear(H, l, 0, 0) * linear(H, l, 1, 1) - linear(H, l, 0, 1) * linear(H, l, 1, 0);
  };
  const double trace = linear(H1, w.w1, 0, 0) + linear(H1, w.w1, 1, 1) + linear(H2, w.w2, 0, 0) +
                       linear(H2, w.w2, 1, 1);
  const double scale =
      std::copysign(1 / std::sqrt(std::sqrt(area(H1, w.w1) * area(H2, w.w2))), trace);
  for (Mat3* H : {&H1, &H2})
    for (std::size_t k = 0; k < 6; ++k) (*H)[k] *= scale;
  return {H1, H2};
}

double column(const Mat3& H, double x, double y) { return apply(H, x, y)[0]; }

// Returns the column of the rectified camera's optical axis for an input camera of typical focal
// length and central principal point. The axis is the third row of H times the intrinsics.
double axis_column(const Mat3& H, const Camera& input) {
  const double f = kTypicalFocalLength * std::max(input.width, input.height);
  const Mat3 A =
      times(H, Mat3{f, 0, (input.width - 1) / 2.0, 0, f, (input.height - 1) / 2.0, 0, 0, 1});
  const Vec3 p = times(A, Vec3{A[6], A[7], A[8]});
  return p[0] / p[2];
}

// Returns whether the matches show that image 2 is the left image.
bool is_swapped(const Rectification& r, std::span<const PointPair> matches) {
  // Disparity of points at infinity for typical cameras.
  const auto& [left, right] = r.sides;
  const double far = axis_column(left.H, left.input) - axis_column(right.H, right.input);
  std::int64_t vote = 0;
  for (const PointPair& m : matches) {
    const double d = column(left.H, m.x1, m.y1) - column(right.H, m.x2, m.y2) - far;
    vote += (d > 0) - (d < 0);
  }
  return vote < 0;
}

}  // namespace

Rectification rectify_uncalibrated(const Mat3& F, std::span<const PointPair> matches, int width1,
                                   int height1, int width2, int height2,
                                   const RectifyOptions& options) {
  const ImageSizes sizes{width1, height1, width2, height2};
  check_matrix("rectify_uncalibrated", F);
  check_sizes("rectify_uncalibrated", sizes);
  check_options(options);

  Rectification out;
  out.sides[0].input.width = width1, out.sides[0].input.height = height1;
  out.sides[1].input.width = width2, out.sides[1].input.height = height2;
  const auto refused = [&](RectifyOutcome why) {
    out.outcome = why;
    return out;
  };
  const auto [unit_px, px1, px2, f] = normalised(F, sizes);
  const ImageSize one = {width1 / unit_px, height1 / unit_px, (width1 - 1) / unit_px,
                         (height1 - 1) / unit_px},
                  two = {width2 / unit_px, height2 / unit_px, (width2 - 1) / unit_px,
                         (height2 - 1) / unit_px};
  if (!f) return refused(RectifyOutcome::no_geometry);
  const Lines lines = least_distorting(*f, one, two);
  if (is_too_strong(lines.w1, one) || is_too_strong(lines.w2, two))
    return refused(RectifyOutcome::epipole_near_image);
  const Plane plane = plane_of(f->F, lines, one, two);
  const Extent l = extent_of(plane.H1, one), r = extent_of(plane.H2, two);
  if (!(std::min(l.v1, r.v1) > std::max(l.v0, r.v0)))
    return refused(RectifyOutcome::no_common_rows);
  const Canvas canvas = canvas_of(l, r, unit_px, options.max_scale * sizes.largest_area());
  const auto to_canvas = [scale = canvas.scale, top = canvas.top](const Extent& e) {
    return Mat3{scale, 0, -scale * e.u0, 0, scale, -scale * top, 0, 0, 1};
  };
  out.sides[0].H = times(to_canvas(l), times(plane.H1, inverse(px1)));
  out.sides[1].H = times(to_canvas(r), times(plane.H2, inverse(px2)));
  out.width = canvas.width;
  out.height = canvas.height;
  out.is_swapped = is_swapped(out, matches);
  if (out.is_swapped) std::swap(out.sides[0], out.sides[1]);
  return out;
}

}  // namespace bifocal
