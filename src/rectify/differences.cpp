// SPDX-License-Identifier: BSD-3-Clause
#include "rectify/differences.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bifocal::rectification {

VerticalDisparity rows_apart(const std::vector<Vec2>& differences) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> rows;
  for (const Vec2& d : differences) rows.push_back(std::abs(d[1]));
  if (rows.empty()) return {kNaN, kNaN, 0};
  std::sort(rows.begin(), rows.end());
  const std::size_t last = rows.size() - 1;
  return {rows[last / 2], rows[last * 95 / 100], static_cast<std::int64_t>(rows.size())};
}

DisparityRange range_of(const std::vector<Vec2>& differences) {
  std::vector<double> disparities;
  for (const Vec2& d : differences) disparities.push_back(d[0]);
  if (disparities.empty()) return {};
  std::sort(disparities.begin(), disparities.end());
  const std::size_t trimmed = disparities.size() / 100;
  const double lo = disparities[trimmed], hi = disparities[disparities.size() - 1 - trimmed];
  const double margin = std::max(8.0, 0.2 * (hi - lo));
  constexpr double kFarthest =
      1e6;  // px: beyond lies a point at the horizon of the warp; no search covers it
  if (lo - margin < -kFarthest || hi + margin > kFarthest)
    return {0, std::numeric_limits<int>::max()};
  const int min = static_cast<int>(std::floor(lo - margin));
  return {min, static_cast<int>(std::ceil(hi + margin)) + 1 - min};
}

}  // namespace bifocal::rectification
