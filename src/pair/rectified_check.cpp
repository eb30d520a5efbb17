// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/error.hpp>
#include <bifocal/two_photographs.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "math/median.hpp"

namespace bifocal {
namespace {

// Rectified pairs of Middlebury differ by at most 0.5 px in the median.
constexpr double kMostOffset = 1.5;  // px

Rectification identity(int width, int height) {
  Rectification r{.width = width, .height = height};
  for (RectifiedSide& side : r.sides) {
    side.input.width = width, side.input.height = height;
    side.H = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  }
  return r;
}

}  // namespace

RectifiedPairCheck check_rectified_pair(ImageView<const std::uint8_t> left,
                                        ImageView<const std::uint8_t> right) {
  Queue cpu;
  return check_rectified_pair(cpu, left, right);
}

RectifiedPairCheck check_rectified_pair(Queue& queue, ImageView<const std::uint8_t> left,
                                        ImageView<const std::uint8_t> right) {
  if (left.width != right.width || left.height != right.height)
    throw Error(
        ErrorCode::usage,
        fmt::format("check_rectified_pair: the left image has {} x {} px, the right {} x {}",
                    left.width, left.height, right.width, right.height));
  PairOptions options;
  options.kind = ModelRequest::fundamental;
  options.escalate = options.dense = false;
  const PairResult pair = estimate_pair(queue, left, right, options);
  std::vector<PointPair> in_rows;
  std::vector<double> offsets;
  for (std::size_t i = 0; i < pair.points.size() && pair.estimate.ok(); ++i) {
    if (!pair.estimate.inliers[i]) continue;
    const double offset = std::abs(pair.points[i].y2 - pair.points[i].y1);
    offsets.push_back(offset);
    if (offset <= 2 * kMostOffset) in_rows.push_back(pair.points[i]);
  }
  RectifiedPairCheck check{.matches = static_cast<std::int64_t>(offsets.size()),
                           .row_offset = std::numeric_limits<double>::quiet_NaN(),
                           .range = {},
                           .disparities = {}};
  if (offsets.empty()) return check;
  check.row_offset = upper_median(offsets);
  check.is_rectified = check.row_offset <= kMostOffset;
  if (!check.is_rectified) return check;
  check.range = disparity_range(identity(left.width, left.height), in_rows);
  // The margin below the matches of a pair with parallel axes does not reach behind infinity.
  const bool is_positive =
      std::ranges::all_of(in_rows, [](const PointPair& p) { return p.x1 >= p.x2; });
  if (is_positive && check.range.min < 0) {
    check.range.count += check.range.min;
    check.range.min = 0;
  }
  for (const PointPair& p : in_rows)
    if (const double d = p.x1 - p.x2;
        d >= check.range.min && d < check.range.min + check.range.count)
      check.disparities.push_back(d);
  return check;
}

std::string search_doubt(const RectifiedPairCheck& check, int min_disparity, int disparities) {
  constexpr double kMostOutside = 0.1;
  constexpr std::ptrdiff_t kLeast = 5;
  const int last = min_disparity + disparities - 1;
  const std::ptrdiff_t outside = std::ranges::count_if(
      check.disparities, [&](double d) { return d < min_disparity || d > last; });
  const std::ptrdiff_t count = std::ssize(check.disparities);
  if (outside < kLeast || static_cast<double>(outside) < kMostOutside * static_cast<double>(count))
    return {};
  return fmt::format(
      "{} of {} matches have disparities outside of the search of {} to {} px; the matches need {} "
      "to {} px",
      outside, count, min_disparity, last, check.range.min,
      check.range.min + check.range.count - 1);
}

}  // namespace bifocal
