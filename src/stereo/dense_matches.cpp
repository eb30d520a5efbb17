// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/stereo.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <bifocal/geometry.hpp>
#include "runtime/parallel.hpp"

namespace bifocal {
namespace {

using Disparities = ImageView<const float>;

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

void check(Disparities d, int width, int height) {
  if (d.width == width && d.height == height && d.channels == 1) return;
  throw Error(ErrorCode::usage,
              fmt::format("dense_matches: disparity of {} x {} px, the rectified pictures have "
                          "{} x {}",
                          d.width, d.height, width, height));
}

DenseMatches unknown(int width, int height) {
  const ImageF none(width, height, 1, kUnknown);
  return {none, none, none, none};
}

// Interpolates between pixels; outside it is NaN.
float interpolated(Disparities d, double x, double y) {
  if (!(x > -0.5 && y > -0.5 && x < d.width - 0.5 && y < d.height - 0.5)) return kUnknown;
  const float nearest = d.row(static_cast<int>(y + 0.5))[static_cast<int>(x + 0.5)];
  const int left = std::clamp(static_cast<int>(std::floor(x)), 0, std::max(0, d.width - 2)),
            top = std::clamp(static_cast<int>(std::floor(y)), 0, std::max(0, d.height - 2));
  if (d.width < 2 || d.height < 2 || std::isnan(nearest)) return nearest;
  const float *above = d.row(top) + left, *below = d.row(top + 1) + left;
  const auto [low, high] = std::minmax({above[0], above[1], below[0], below[1]});
  if (!(high - low <= 2) || std::isnan(above[0] + above[1] + below[0] + below[1])) return nearest;
  const auto u = static_cast<float>(x - left), v = static_cast<float>(y - top);
  return (1 - v) * ((1 - u) * above[0] + u * above[1]) + v * ((1 - u) * below[0] + u * below[1]);
}

// Returns the median of the disparities in a column within `reach` rows of which more than half are
// known.
float median_of_rows(Disparities d, double x, double y, double reach) {
  constexpr int kMostRows = 101;
  float known[kMostRows];
  int count = 0, asked = 0;
  const double step = std::max(1.0, 2 * reach / (kMostRows - 1));
  for (double row = y - reach; row <= y + reach && asked < kMostRows; row += step, ++asked) {
    const float value = interpolated(d, x, std::round(row));
    if (!std::isnan(value)) known[count++] = value;
  }
  if (2 * count <= asked) return kUnknown;
  std::nth_element(known, known + count / 2, known + count);
  return known[count / 2];
}

// Sets the place of column `x` of a row in the right photograph, by `place`, and how far a column
// goes there.
template <class Place>
void set(DenseMatches& out, int px, int py, double x, double y, const Place& place) {
  const Vec2 middle = place(x, y), before = place(x + 0.5, y), after = place(x - 0.5, y);
  out.x.at(px, py) = static_cast<float>(middle[0]);
  out.y.at(px, py) = static_cast<float>(middle[1]);
  out.dx.at(px, py) = static_cast<float>(after[0] - before[0]);
  out.dy.at(px, py) = static_cast<float>(after[1] - before[1]);
}

Vec2 mapped(const Mat3& H, double x, double y) {
  const double w = H[6] * x + H[7] * y + H[8];
  return {(H[0] * x + H[1] * y + H[2]) / w, (H[3] * x + H[4] * y + H[5]) / w};
}

}  // namespace

DenseMatches dense_matches(const Rectification& r, Disparities disparity) {
  check(disparity, r.width, r.height);
  const int width = r.input1.width, height = r.input1.height;
  DenseMatches out = unknown(width, height);
  const Mat3 right = inverse(r.H2);
  runtime::parallel_for(height, [&](int py) {
    for (int px = 0; px < width; ++px) {
      const Vec2 p = mapped(r.H1, px, py);
      const float d = interpolated(disparity, p[0], p[1]);
      if (std::isnan(d)) continue;
      set(out, px, py, p[0] - double(d), p[1],
          [&](double x, double y) { return mapped(right, x, y); });
    }
  });
  return out;
}

DenseMatches dense_matches(const PolarRectification& r, Disparities disparity) {
  constexpr int kRowsPerTask = 32;
  check(disparity, r.width, r.height);
  const int width = r.sides[0].photograph_width, height = r.sides[0].photograph_height;
  DenseMatches out = unknown(width, height);
  const auto right = [&](double x, double y) { return photograph_point(r, 1, {x, y}); };
  runtime::parallel_for((height + kRowsPerTask - 1) / kRowsPerTask, [&](int task) {
    std::vector<Vec2> px;
    const int end = std::min(height, (task + 1) * kRowsPerTask);
    for (int y = task * kRowsPerTask; y < end; ++y)
      for (int x = 0; x < width; ++x) px.push_back({double(x), double(y)});
    const std::vector<Vec2> places = rectified_points(r, 0, px);
    for (std::size_t i = 0; i < px.size(); ++i) {
      const auto [x, y] = places[i];
      if (std::isnan(x)) continue;
      const double row = std::clamp(y, 0.0, r.height - 1.0), next = row >= 1 ? row - 1 : row + 1;
      const Vec2 here = photograph_point(r, 0, {x, row}), there = photograph_point(r, 0, {x, next});
      const double reach = 0.5 / std::hypot(here[0] - there[0], here[1] - there[1]);
      const float d = reach < 1 ? interpolated(disparity, x, y)
                                : median_of_rows(disparity, x, row, std::min(reach, 1e4));
      if (!std::isnan(d))
        set(out, static_cast<int>(px[i][0]), static_cast<int>(px[i][1]), x - double(d), row, right);
    }
  });
  return out;
}

}  // namespace bifocal
