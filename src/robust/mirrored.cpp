// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/two_view.hpp>

#include <algorithm>
#include <vector>

namespace bifocal {

std::string mirror_doubt(Queue& queue, ModelKind kind, std::span<const PointPair> points,
                         const EstimateInput& input, const EstimateResult& found) {
  constexpr double kMore = 1.2;
  constexpr int kLeastMore = 10;
  constexpr double kNearlyAll = 0.9;  // inlier ratio above which the second estimate is skipped
  if (!problem_info(kind).is_two_view || input.cameras.empty() ||
      found.num_inliers >= kNearlyAll * static_cast<double>(points.size()))
    return {};
  const double cx = input.cameras.back().cx;
  std::vector<PointPair> mirrored(points.begin(), points.end());
  for (PointPair& p : mirrored) p.x2 = 2 * cx - p.x2;
  const EstimateResult other = estimate(queue, kind, mirrored, input);
  const int least =
      std::max(static_cast<int>(kMore * found.num_inliers), found.num_inliers + kLeastMore);
  if (!other.ok() || other.num_inliers < least) return {};
  return fmt::format(
      "{} of {} matches are inliers of a pose, and {} once the second image is mirrored: one "
      "of the images seems to be mirrored",
      found.num_inliers, points.size(), other.num_inliers);
}

}  // namespace bifocal
