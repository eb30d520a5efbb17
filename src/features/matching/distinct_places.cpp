// SPDX-License-Identifier: BSD-3-Clause
// Keeps one match between two places, on any device. Each match is compared with all matches of its
// pair by four numbers, whereas matching compared 128 numbers of every two features.
#include <bifocal/matching.hpp>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "features/matching/grow.hpp"
#include "features/matching/match.kernels.hpp"
#include "features/records.hpp"
#include "runtime/launch_cache.hpp"
#include "runtime/workspace.hpp"

namespace bifocal {
namespace {

namespace kernel = kernels::match;
using runtime::Array;

// Moves the matches of one pair that are kept to the front and returns their number. Runs on
// the CPU.
std::size_t keep_distinct(std::span<Match> matches, std::span<PointPair> points) {
  std::vector<std::size_t> order(matches.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto place = [&](std::size_t m) {
    const PointPair& p = points[m];
    return std::tuple(p.x1, p.y1, p.x2, p.y2);
  };
  std::ranges::sort(order, {},
                    [&](std::size_t m) { return std::tuple(place(m), matches[m].distance, m); });
  const auto is_same = [&](std::size_t a, std::size_t b) { return place(a) == place(b); };
  order.erase(std::unique(order.begin(), order.end(), is_same), order.end());
  std::ranges::sort(order);
  for (std::size_t i = 0; i < order.size(); ++i) {
    matches[i] = matches[order[i]];
    points[i] = points[order[i]];
  }
  return order.size();
}

void keep_on_cpu(DeviceMatches& found) {
  std::vector<std::int64_t> offsets = {found.offsets.front()};
  for (std::size_t k = 0; k + 1 < found.offsets.size(); ++k) {
    const std::int64_t begin = found.offsets[k], to = offsets.back();
    const auto count = static_cast<std::size_t>(found.offsets[k + 1] - begin);
    Match* const matches = found.matches.data();
    PointPair* const points = found.points.data();
    const std::size_t kept = keep_distinct({matches + begin, count}, {points + begin, count});
    std::copy_n(matches + begin, kept, matches + to);
    std::copy_n(points + begin, kept, points + to);
    offsets.push_back(to + static_cast<std::int64_t>(kept));
  }
  found.offsets = std::move(offsets);
}

void keep_on_device(Queue& queue, DeviceMatches& found) {
  const auto& launch =
      runtime::launch_of<kernel::launch<double>>(kernel::MATCH_THREADS, {{"GUIDED", 0}});
  const auto pairs = static_cast<int>(found.offsets.size()) - 1;
  std::int64_t longest = 1;
  for (std::size_t k = 0; k + 1 < found.offsets.size(); ++k)
    longest = std::max(longest, found.offsets[k + 1] - found.offsets[k]);
  const auto chunks = static_cast<int>((longest + kernel::MATCH_CHUNK - 1) / kernel::MATCH_CHUNK);
  const runtime::Launch groups{.count = pairs * chunks};
  const auto all = static_cast<std::size_t>(found.offsets.back() - found.offsets.front());
  runtime::Workspace workspace(queue);
  auto before = workspace.take<std::int64_t>(found.offsets.size());
  const auto offsets = workspace.take<std::int64_t>(found.offsets.size());
  const auto kept = workspace.take<std::int32_t>(all);
  const auto counts = workspace.take<std::int32_t>(static_cast<std::size_t>(groups.count));
  const auto begins = workspace.take<std::int64_t>(counts.size());
  const auto matches = workspace.take<Match>(all);
  const auto points = workspace.take<PointPair>(all);
  before.upload(queue, found.offsets);
  const Array<const features::found_match> old_matches(found.matches);
  const Array<const features::point_match> old_points(found.points);
  launch.match_places(queue, groups,
                      {.offsets = before,
                       .matches = old_matches,
                       .points = old_points,
                       .chunks = chunks,
                       .kept = kept,
                       .chunk_counts = counts});
  launch.match_offsets(queue, {.count = 1},
                       {.chunk_counts = counts,
                        .pair_count = pairs,
                        .chunks = chunks,
                        .before = 0,
                        .chunk_begins = begins,
                        .offsets = offsets});
  launch.match_keep(queue, groups,
                    {.offsets = before,
                     .matches = old_matches,
                     .points = old_points,
                     .chunks = chunks,
                     .kept = kept,
                     .chunk_begins = begins,
                     .kept_matches = Array<features::found_match>(matches),
                     .kept_points = Array<features::point_match>(points)});
  std::vector<std::int64_t> ends(offsets.size());
  offsets.download(queue, ends);
  queue.wait();
  const std::int64_t first = found.offsets.front();
  for (std::size_t k = 1; k < ends.size(); ++k) found.offsets[k] = first + ends[k];
  const auto size = static_cast<std::size_t>(ends.back());
  const auto at = static_cast<std::size_t>(first);
  features::copy_on_device(queue, matches.memory(), found.matches.memory(), size * sizeof(Match), 0,
                           at * sizeof(Match));
  features::copy_on_device(queue, points.memory(), found.points.memory(), size * sizeof(PointPair),
                           0, at * sizeof(PointPair));
}

}  // namespace

void keep_distinct_places(Queue& queue, DeviceMatches& found) {
  if (found.offsets.empty() || found.offsets.back() == found.offsets.front()) return;
  if (queue.device().info().kind == DeviceKind::cpu) {
    keep_on_cpu(found);
  } else {
    keep_on_device(queue, found);
  }
}

}  // namespace bifocal
