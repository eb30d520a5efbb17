// SPDX-License-Identifier: BSD-3-Clause
// Guided matching on a CPU: the descriptors of the few candidates that fit the guide are compared
// one by one.
#include "features/matching/match_guided.hpp"

#include <algorithm>
#include <limits>

#include "features/matching/match.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::features {
namespace {

constexpr int kMostLanes = 8;  // doubles in a register

}  // namespace

std::vector<Match> match_rows_guided(const FeatureRows& rows1, const FeatureRows& rows2,
                                     const MatchGuide& guide, const MatchOptions& options) {
  const int count = rows1.descriptors.count, columns = rows2.descriptors.count;
  const auto padded = std::size_t((columns + kMostLanes - 1) / kMostLanes * kMostLanes);
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> x(padded, kNone), y(padded, kNone);
  for (int j = 0; j < columns; ++j) {
    x[std::size_t(j)] = rows2.keypoints[j].x;
    y[std::size_t(j)] = rows2.keypoints[j].y;
  }
  Nearest nearest1{std::size_t(count)}, nearest2{std::size_t(columns)};
  const int share = std::max(1, (count + kMostTasks - 1) / kMostTasks);
  const int tasks = (count + share - 1) / share;
  std::vector<Nearest> parts(std::size_t(tasks), Nearest{std::size_t(columns)});
  runtime::parallel_for(tasks, [&](int task) {
    std::vector<int> fitting(padded);
    Nearest& part = parts[std::size_t(task)];
    for (int i = task * share; i < std::min(count, (task + 1) * share); ++i) {
      const int found = fitting_columns(guide, rows1.keypoints[i].x, rows1.keypoints[i].y, x.data(),
                                        y.data(), static_cast<int>(padded), fitting.data());
      const std::uint8_t* own = rows1.descriptors.data + std::ptrdiff_t{i} * kElements;
      for (int k = 0; k < found; ++k) {
        const int j = fitting[std::size_t(k)];
        const std::int32_t distance =
            squared_distance(own, rows2.descriptors.data + std::ptrdiff_t{j} * kElements);
        merge_nearest(nearest1, std::size_t(i), distance, kNoDistance, j);
        merge_nearest(part, std::size_t(j), distance, kNoDistance, i);
      }
    }
  });
  for (const Nearest& part : parts) {
    for (std::size_t j = 0; j < std::size_t(columns); ++j)
      merge_nearest(nearest2, j, part.distance[j], part.second[j], part.index[j]);
  }
  return select_matches(nearest1, nearest2, count, rule_of(options));
}

}  // namespace bifocal::features
