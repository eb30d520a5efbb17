// SPDX-License-Identifier: BSD-3-Clause
// Computes disparities of matches in a rectified pair, and points from disparities.
#include <bifocal/error.hpp>
#include <bifocal/rectify.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace bifocal {
namespace {

// A match with a position in both rectified images.
struct PlacedMatch {
  Vec2 left;
  Vec2 difference;  // left - right, columns and rows
};

std::vector<PlacedMatch> placed(const Rectification& r, std::span<const PointPair> matches) {
  std::vector<Vec2> one, two;
  for (const PointPair& m : matches) {
    one.push_back({m.x1, m.y1});
    two.push_back({m.x2, m.y2});
  }
  const std::vector<Vec2> left = rectified_points(r, 0, r.is_swapped ? two : one),
                          right = rectified_points(r, 1, r.is_swapped ? one : two);
  const double full_circle = r.height - 2.0 * r.overlap;
  std::vector<PlacedMatch> all;
  for (std::size_t i = 0; i < left.size(); ++i) {
    Vec2 d = {left[i][0] - right[i][0], left[i][1] - right[i][1]};
    if (r.is_cyclic) d[1] = std::remainder(d[1], full_circle);
    if (std::isfinite(d[0]) && std::isfinite(d[1])) all.push_back({left[i], d});
  }
  return all;
}

// Returns whether a match is supported by a surface: at least two other matches at distinct places
// lie within `radius` px, and their disparities differ from its own by at most 2 px plus half
// the distance.
bool is_supported(const PlacedMatch& match, std::span<const PlacedMatch> all, double radius) {
  const PlacedMatch* first = nullptr;
  for (const PlacedMatch& other : all) {
    const double distance =
        std::hypot(other.left[0] - match.left[0], other.left[1] - match.left[1]);
    if (distance < 1 || distance > radius ||
        std::abs(other.difference[0] - match.difference[0]) > 2 + 0.5 * distance)
      continue;
    if (first && std::hypot(other.left[0] - first->left[0], other.left[1] - first->left[1]) >= 1)
      return true;
    if (!first) first = &other;
  }
  return false;
}

// Returns the lowest and the highest disparity, without the outermost 1 % at each end that no
// surface supports. Epipolar geometry does not exclude outliers along an epipolar line.
Vec2 supported_extremes(std::vector<PlacedMatch> all, double radius) {
  std::sort(all.begin(), all.end(), [](const PlacedMatch& a, const PlacedMatch& b) {
    return a.difference[0] < b.difference[0];
  });
  const std::size_t trimmed = all.size() / 100;
  std::size_t lo = 0, hi = all.size() - 1;
  while (lo < trimmed && !is_supported(all[lo], all, radius)) ++lo;
  while (all.size() - 1 - hi < trimmed && !is_supported(all[hi], all, radius)) --hi;
  return {all[lo].difference[0], all[hi].difference[0]};
}

}  // namespace

VerticalDisparity vertical_disparity(const Rectification& rectification,
                                     std::span<const PointPair> matches) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> rows;
  for (const PlacedMatch& m : placed(rectification, matches))
    rows.push_back(std::abs(m.difference[1]));
  if (rows.empty()) return {kNaN, kNaN, 0};
  std::sort(rows.begin(), rows.end());
  const std::size_t last = rows.size() - 1;
  return {rows[last / 2], rows[last * 95 / 100], static_cast<std::int64_t>(rows.size())};
}

DisparityRange disparity_range(const Rectification& rectification,
                               std::span<const PointPair> matches) {
  const std::vector<PlacedMatch> all = placed(rectification, matches);
  if (all.empty()) return {};
  constexpr double kNeighbourhood = 0.1;  // relative to the rectified image's diagonal
  const double radius = kNeighbourhood * std::hypot(rectification.width, rectification.height);
  const auto [lo, hi] = supported_extremes(all, radius);
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
