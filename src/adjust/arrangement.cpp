// SPDX-License-Identifier: BSD-3-Clause
#include "adjust/arrangement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "adjust/layout.hpp"
#include "runtime/disjoint_sets.hpp"
#include "runtime/integers.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::adjustment {
namespace {

constexpr std::size_t kLaneBlock = 8 * SLICE;  // lanes of a thread at a time

// Observations sorted by a key: observations of key k are order[first[k]] to order[first[k + 1]].
struct Sorted {
  std::vector<int> first, order;

  [[nodiscard]] int count(int key) const { return first[at(key) + 1] - first[at(key)]; }
};

template <class Key>
Sorted sorted_by(const std::vector<int>& observations, std::size_t keys, const Key& key) {
  Sorted sorted{std::vector<int>(keys + 1, 0), std::vector<int>(observations.size())};
  for (const int o : observations) ++sorted.first[at(key(o)) + 1];
  std::partial_sum(sorted.first.begin(), sorted.first.end(), sorted.first.begin());
  std::vector<int> next = sorted.first;
  for (const int o : observations) sorted.order[at(next[at(key(o))]++)] = o;
  return sorted;
}

// Ranges of observations, one a lane, become rows.
struct Range {
  int begin, end;
};

Rows rows_of(const AdjustProblem& problem, const std::vector<int>& order,
             const std::vector<Range>& lanes, const auto& other) {
  Rows rows;
  rows.lanes = (static_cast<int>(lanes.size()) + SLICE - 1) / SLICE * SLICE;
  rows.rows.push_back(0);
  for (std::size_t first = 0; first < lanes.size(); first += SLICE) {
    int longest = 0;
    const std::size_t end = std::min(lanes.size(), first + SLICE);
    for (std::size_t l = first; l < end; ++l)
      longest = std::max(longest, lanes[l].end - lanes[l].begin);
    rows.rows.push_back(rows.rows.back() + longest);
  }
  const std::size_t size = at(rows.rows.back()) * SLICE;
  rows.other.assign(size, 0);
  rows.px.assign(size, std::numeric_limits<double>::quiet_NaN());
  rows.py = rows.px;
  rows.observation.assign(size, -1);
  runtime::parallel_each(
      lanes.size(),
      [&](std::size_t l) {
        for (int k = lanes[l].begin; k < lanes[l].end; ++k) {
          const AdjustObservation& o = problem.observations[at(order[at(k)])];
          const std::size_t row = at(rows.rows[l / SLICE] + k - lanes[l].begin);
          const std::size_t place = row * SLICE + l % SLICE;
          rows.observation[place] = order[at(k)];
          rows.other[place] = other(o);
          rows.px[place] = o.x, rows.py[place] = o.y;
        }
      },
      kLaneBlock);
  return rows;
}

// Returns the points in the order of lanes: by their numbers of observations, then as given.
std::vector<int> points_by_length(const Sorted& by_point, int points) {
  int longest = 0;
  for (int p = 0; p < points; ++p) longest = std::max(longest, by_point.count(p));
  std::vector<int> next(at(longest) + 1, 0);  // place of the next point with so many
  for (int p = 0; p < points; ++p) ++next[at(by_point.count(p))];
  int place = 0;
  for (int n = longest; n > 0; --n) place += std::exchange(next[at(n)], place);
  std::vector<int> order(at(place));
  for (int p = 0; p < points; ++p)
    if (by_point.count(p) > 0) order[at(next[at(by_point.count(p))]++)] = p;
  return order;
}

struct Chunk {
  int image;
  Range range;

  [[nodiscard]] int size() const { return range.end - range.begin; }
};

std::vector<Chunk> chunks_of(const Sorted& by_image, int images) {
  std::vector<Chunk> chunks;
  for (int i = 0; i < images; ++i)
    for (int k = by_image.first[at(i)]; k < by_image.first[at(i) + 1]; k += CHUNK)
      chunks.push_back({i, {k, std::min(k + int{CHUNK}, by_image.first[at(i) + 1])}});
  return chunks;
}

void set_views(const AdjustProblem& problem, const std::vector<int>& used,
               const std::vector<int>& point_lane, Arrangement& out) {
  const auto images = static_cast<int>(problem.images.size());
  const Sorted by_image = sorted_by(used, problem.images.size(),
                                    [&](int o) { return problem.observations[at(o)].image; });
  const std::vector<Chunk> chunks = chunks_of(by_image, images);
  std::vector<int> order(chunks.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(), [&](int c) { return chunks[at(c)].size(); });
  std::vector<Range> lanes;
  out.chunk_lane.resize(chunks.size());
  for (std::size_t l = 0; l < order.size(); ++l) {
    lanes.push_back(chunks[at(order[l])].range);
    out.chunk_images.push_back(chunks[at(order[l])].image);
    out.chunk_lane[at(order[l])] = static_cast<int>(l);
  }
  out.first_chunk.assign(problem.images.size() + 1, 0);
  for (const Chunk& chunk : chunks) ++out.first_chunk[at(chunk.image) + 1];
  std::partial_sum(out.first_chunk.begin(), out.first_chunk.end(), out.first_chunk.begin());
  out.by_view = rows_of(problem, by_image.order, lanes,
                        [&](const AdjustObservation& o) { return point_lane[at(o.point)]; });
  out.chunk_images.resize(at(out.by_view.lanes), 0);
  for (int i = 0; i < images; ++i) out.used_images.push_back(by_image.count(i) > 0);
}

}  // namespace

Arrangement arrange(const AdjustProblem& problem, const std::vector<ObservationUse>& uses) {
  Arrangement out;
  std::vector<int> used;
  for (std::size_t k = 0; k < uses.size(); ++k)
    if (uses[k] == ObservationUse::used) used.push_back(static_cast<int>(k));
  out.observations = used.size();
  const auto points = static_cast<int>(problem.points.size());
  const Sorted by_point = sorted_by(used, problem.points.size(),
                                    [&](int o) { return problem.observations[at(o)].point; });
  out.lane_point = points_by_length(by_point, points);
  std::vector<int> point_lane(problem.points.size(), -1);
  std::vector<Range> lanes;
  for (std::size_t l = 0; l < out.lane_point.size(); ++l) {
    const int p = out.lane_point[l];
    point_lane[at(p)] = static_cast<int>(l);
    lanes.push_back({by_point.first[at(p)], by_point.first[at(p) + 1]});
    const bool is_constant = !problem.constant_points.empty() && problem.constant_points[at(p)];
    out.is_free.push_back(is_constant ? 0 : 1);
  }
  out.by_point =
      rows_of(problem, by_point.order, lanes, [](const AdjustObservation& o) { return o.image; });
  out.lane_point.resize(at(out.by_point.lanes), -1);
  out.is_free.resize(at(out.by_point.lanes), 0);
  set_views(problem, used, point_lane, out);
  return out;
}

int part_count(const AdjustProblem& problem, const std::vector<ObservationUse>& uses) {
  DisjointSets sets(problem.images.size());
  std::vector<int> image_of(problem.points.size(), -1);
  std::vector<char> is_seen(problem.images.size(), 0);
  for (std::size_t k = 0; k < uses.size(); ++k) {
    if (uses[k] != ObservationUse::used) continue;
    const AdjustObservation& o = problem.observations[k];
    int& other = image_of[at(o.point)];
    if (other >= 0) sets.join(at(other), at(o.image));
    other = o.image;
    is_seen[at(o.image)] = 1;
  }
  int parts = 0;
  for (std::size_t i = 0; i < is_seen.size(); ++i) parts += is_seen[i] != 0 && sets.root(i) == i;
  return parts;
}

}  // namespace bifocal::adjustment
