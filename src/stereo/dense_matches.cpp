// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/stereo.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/parallel.hpp"

namespace bifocal {
namespace {

using Disparities = ImageView<const float>;

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

void check(Disparities d, int width, int height) {
  if (d.width == width && d.height == height && d.channels == 1) return;
  throw Error(
      ErrorCode::usage,
      fmt::format("dense_matches: disparity of {} x {} px, the rectified images have {} x {}",
                  d.width, d.height, width, height));
}

DenseMatches unknown(int width, int height, bool is_swapped) {
  const ImageF none(width, height, 1, kUnknown);
  return {none, none, none, none, is_swapped};
}

// Interpolates bilinearly between pixels; NaN outside the image. Returns the value of the nearest
// pixel if one of the four neighbours is unknown or if they differ by more than 2 px.
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

// Returns the median of the disparities in column x within `reach` rows of y, from at most 101
// rows. Returns NaN unless more than half of the rows are known.
float median_of_rows(Disparities d, double x, double y, double reach) {
  constexpr int kMostRows = 101;
  float known[kMostRows];
  int count = 0, count_read = 0;
  const double step = std::max(1.0, 2 * reach / (kMostRows - 1));
  for (double row = y - reach; row <= y + reach && count_read < kMostRows;
       row += step, ++count_read) {
    const float value = interpolated(d, x, std::round(row));
    if (!std::isnan(value)) known[count++] = value;
  }
  if (2 * count <= count_read) return kUnknown;
  std::nth_element(known, known + count / 2, known + count);
  return known[count / 2];
}

// A pixel of photograph 0 and its matching point in the right rectified image.
struct Match {
  int px, py;
  Vec2 right;
};

// Writes the matching points in photograph 1 and their shift per px of disparity.
void set(const Rectification& r, const std::vector<Match>& matches, DenseMatches& out) {
  std::vector<Vec2> points;
  for (const Match& m : matches) {
    const auto [x, y] = m.right;
    points.insert(points.end(), {{x, y}, {x + 0.5, y}, {x - 0.5, y}});
  }
  const std::vector<Vec2> places = photograph_points(r, 1, points);
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const auto [px, py, right] = matches[i];
    const Vec2 &middle = places[3 * i], &before = places[3 * i + 1], &after = places[3 * i + 2];
    out.x.at(px, py) = static_cast<float>(middle[0]);
    out.y.at(px, py) = static_cast<float>(middle[1]);
    out.dx.at(px, py) = static_cast<float>(after[0] - before[0]);
    out.dy.at(px, py) = static_cast<float>(after[1] - before[1]);
  }
}

// Returns half the number of polar rows that each pixel of photograph 0 covers. Clamps the rows of
// `places`, points of the left rectified image, to the image.
std::vector<double> reaches(const Rectification& r, std::vector<Vec2>& places) {
  std::vector<Vec2> points;
  for (auto& [x, y] : places) {
    y = std::clamp(y, 0.0, r.height - 1.0);
    points.insert(points.end(), {{x, y}, {x, y >= 1 ? y - 1 : y + 1}});
  }
  const std::vector<Vec2> px = photograph_points(r, 0, points);
  std::vector<double> all;
  for (std::size_t i = 0; i < px.size(); i += 2)
    all.push_back(0.5 / std::hypot(px[i][0] - px[i + 1][0], px[i][1] - px[i + 1][1]));
  return all;
}

// Returns the matches of the given pixels of photograph 0. A pixel that covers two or more polar
// rows takes the median of their disparities, another pixel an interpolated disparity.
std::vector<Match> matches_of(const Rectification& r, Disparities disparity,
                              std::span<const Vec2> px) {
  const std::vector<Vec2> exact = rectified_points(r, 0, px);
  std::vector<Vec2> places = exact;
  std::vector<double> reach;
  if (r.kind == RectificationKind::polar) reach = reaches(r, places);
  std::vector<Match> matches;
  for (std::size_t i = 0; i < px.size(); ++i) {
    const auto [x, y] = places[i];
    if (std::isnan(x)) continue;
    const bool fills_rows = !reach.empty() && !(reach[i] < 1);
    const float d = fills_rows ? median_of_rows(disparity, x, y, std::min(reach[i], 1e4))
                               : interpolated(disparity, x, exact[i][1]);
    if (std::isnan(d)) continue;
    matches.push_back({static_cast<int>(px[i][0]), static_cast<int>(px[i][1]), {x - double(d), y}});
  }
  return matches;
}

}  // namespace

DenseMatches dense_matches(const Rectification& rectification, Disparities disparity) {
  constexpr int kRowsPerTask = 32;
  check(disparity, rectification.width, rectification.height);
  Rectification r = rectification;
  for (RectifiedSide& side : r.sides) {
    side.lens.reset();
    side.input.distortion = {};
  }
  const int width = r.sides[0].input.width, height = r.sides[0].input.height;
  DenseMatches out = unknown(width, height, r.is_swapped);
  runtime::parallel_for((height + kRowsPerTask - 1) / kRowsPerTask, [&](int task) {
    std::vector<Vec2> px;
    const int first = task * kRowsPerTask, end = std::min(height, first + kRowsPerTask);
    for (int y = first; y < end; ++y)
      for (int x = 0; x < width; ++x) px.push_back({double(x), double(y)});
    set(r, matches_of(r, disparity, px), out);
  });
  return out;
}

}  // namespace bifocal
