// SPDX-License-Identifier: BSD-3-Clause
// Disparities of matches in a rectified pair, and points from disparities.
#include <bifocal/error.hpp>
#include <bifocal/rectify.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace bifocal {
namespace {

// left - right, columns and rows, of all matches that have a place in both rectified images.
std::vector<Vec2> differences(const Rectification& r, std::span<const PointPair> matches) {
  std::vector<Vec2> one, two;
  for (const PointPair& m : matches) {
    one.push_back({m.x1, m.y1});
    two.push_back({m.x2, m.y2});
  }
  const std::vector<Vec2> left = rectified_points(r, 0, r.is_swapped ? two : one),
                          right = rectified_points(r, 1, r.is_swapped ? one : two);
  const double full_circle = r.height - 2.0 * r.overlap;
  std::vector<Vec2> all;
  for (std::size_t i = 0; i < left.size(); ++i) {
    Vec2 d = {left[i][0] - right[i][0], left[i][1] - right[i][1]};
    if (r.is_cyclic) d[1] = std::remainder(d[1], full_circle);
    if (std::isfinite(d[0]) && std::isfinite(d[1])) all.push_back(d);
  }
  return all;
}

}  // namespace

VerticalDisparity vertical_disparity(const Rectification& rectification,
                                     std::span<const PointPair> matches) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> rows;
  for (const Vec2& d : differences(rectification, matches)) rows.push_back(std::abs(d[1]));
  if (rows.empty()) return {kNaN, kNaN, 0};
  std::sort(rows.begin(), rows.end());
  const std::size_t last = rows.size() - 1;
  return {rows[last / 2], rows[last * 95 / 100], static_cast<std::int64_t>(rows.size())};
}

DisparityRange disparity_range(const Rectification& rectification,
                               std::span<const PointPair> matches) {
  std::vector<double> disparities;
  for (const Vec2& d : differences(rectification, matches)) disparities.push_back(d[0]);
  if (disparities.empty()) return {};
  std::sort(disparities.begin(), disparities.end());
  const std::size_t trimmed = disparities.size() / 100;
  const double lo = disparities[trimmed], hi = disparities[disparities.size() - 1 - trimmed];
  const double margin = std::max(8.0, 0.2 * (hi - lo));
  constexpr double kFarthest = 1e6;  // px: points at the horizon of a homography lie beyond
  if (lo - margin < -kFarthest || hi + margin > kFarthest)
    return {0, std::numeric_limits<int>::max()};
  const int min = static_cast<int>(std::floor(lo - margin));
  return {min, static_cast<int>(std::ceil(hi + margin)) + 1 - min};
}

std::array<double, 16> reprojection_matrix(const Rectification& r, double baseline) {
  const Intrinsics &left = r.sides[0].camera, &right = r.sides[1].camera;
  if (!left.valid())
    throw Error(ErrorCode::usage, "reprojection_matrix: the rectification has no cameras");
  if (!(baseline >= kLeastBaseline && baseline <= kMostBaseline))
    throw Error(ErrorCode::usage, fmt::format("reprojection_matrix: baseline {}: must be {} to {}",
                                              baseline, kLeastBaseline, kMostBaseline));
  const double doffs = right.cx - left.cx, from_left = r.is_reversed ? -baseline : baseline;
  return {1,
          0,
          0,
          -left.cx,
          0,
          1,
          0,
          -left.cy,
          0,
          0,
          0,
          left.fx,
          0,
          0,
          1 / from_left,
          doffs / from_left};
}

}  // namespace bifocal
