// SPDX-License-Identifier: BSD-3-Clause
// The largest part of a scene, and its scale.
#include <algorithm>
#include <utility>
#include <vector>

#include "mapping/grouped.hpp"
#include "mapping/scene.hpp"
#include "runtime/disjoint_sets.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::mapping {
namespace {

constexpr int kFewestObservations = 15;    // of a registered view
constexpr int kSharedPoints = 10;          // that connect two views
constexpr double kExtent = 5;              // mean distance of centres from their mean
constexpr std::size_t kTrackChunks = 128;  // that threads take
constexpr std::size_t kTracksOfThread = 512;

// Calls body(track, observation) for the used observations of the points of a chunk.
template <class Body>
void each_used(const Tracks& tracks, std::size_t chunk, const Body& body) {
  const std::size_t end = (chunk + 1) * tracks.size() / kTrackChunks;
  for (std::size_t k = chunk * tracks.size() / kTrackChunks; k < end; ++k)
    for (std::size_t i = tracks.first[k]; tracks.is_point[k] != 0 && i < tracks.first[k + 1]; ++i)
      if (tracks.is_used[i] != 0) body(k, i);
}

// Returns the pairs of views that share enough points, the smaller number first.
std::vector<std::pair<int, int>> connected_views(const Scene& scene) {
  const Tracks& tracks = scene.tracks;
  const Grouped<std::size_t> tracks_of_views = grouped<std::size_t>(
      scene.views.size(), kTrackChunks, [&](std::size_t chunk, const auto& visit) {
        each_used(tracks, chunk, [&](std::size_t k, std::size_t i) {
          visit(static_cast<std::size_t>(tracks.views[i]), k);
        });
      });
  std::vector<std::vector<int>> connected(scene.views.size());
  runtime::parallel_each(scene.views.size(), [&](std::size_t view) {
    std::vector<int> shared(scene.views.size());
    for (std::size_t n = tracks_of_views.first[view]; n < tracks_of_views.first[view + 1]; ++n) {
      const std::size_t k = tracks_of_views.items[n];
      for (std::size_t i = tracks.first[k]; i < tracks.first[k + 1]; ++i)
        shared[static_cast<std::size_t>(tracks.views[i])] += tracks.is_used[i];
    }
    for (std::size_t other = view + 1; other < shared.size(); ++other)
      if (shared[other] >= kSharedPoints) connected[view].push_back(static_cast<int>(other));
  });
  std::vector<std::pair<int, int>> pairs;
  for (std::size_t view = 0; view < connected.size(); ++view)
    for (const int other : connected[view]) pairs.emplace_back(static_cast<int>(view), other);
  return pairs;
}

std::vector<int> observation_counts(const Scene& scene) {
  std::vector<std::vector<int>> of_chunks(kTrackChunks, std::vector<int>(scene.views.size()));
  runtime::parallel_each(kTrackChunks, [&](std::size_t chunk) {
    each_used(scene.tracks, chunk, [&](std::size_t, std::size_t i) {
      ++of_chunks[chunk][static_cast<std::size_t>(scene.tracks.views[i])];
    });
  });
  std::vector<int> counts(scene.views.size());
  for (const std::vector<int>& own : of_chunks)
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += own[i];
  return counts;
}

// Points need two used observations in registered views.
void drop_short_points(Scene& scene) {
  Tracks& tracks = scene.tracks;
  runtime::parallel_each(
      tracks.size(),
      [&](std::size_t k) {
        int used = 0;
        for (std::size_t i = tracks.first[k]; i < tracks.first[k + 1]; ++i) {
          if (tracks.is_point[k] == 0 || !scene.view(tracks.views[i]).is_registered)
            tracks.is_used[i] = 0;
          used += tracks.is_used[i];
        }
        if (used < 2) tracks.is_point[k] = 0;
      },
      kTracksOfThread);
}

}  // namespace

void keep_largest_part(Scene& scene) {
  const std::vector<int> counts = observation_counts(scene);
  for (std::size_t i = 0; i < scene.views.size(); ++i)
    if (counts[i] < kFewestObservations) scene.views[i].is_registered = false;
  drop_short_points(scene);
  DisjointSets sets(scene.views.size());
  for (const auto& [a, b] : connected_views(scene))
    sets.join(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
  std::vector<int> sizes(scene.views.size());
  for (std::size_t i = 0; i < scene.views.size(); ++i)
    if (scene.views[i].is_registered) ++sizes[sets.root(i)];
  const auto largest = static_cast<std::size_t>(std::ranges::max_element(sizes) - sizes.begin());
  for (std::size_t i = 0; i < scene.views.size(); ++i)
    if (sets.root(i) != largest) scene.views[i].is_registered = false;
  drop_short_points(scene);
}

void normalise(Scene& scene) {
  Vec3 mean{};
  double count = 0;
  for (const View& view : scene.views)
    if (view.is_registered) mean = sum(mean, centre_of(view.cam_from_world)), ++count;
  if (count == 0) return;
  mean = scaled(mean, 1 / count);
  double distance = 0;
  for (const View& view : scene.views)
    if (view.is_registered)
      distance += norm(difference(centre_of(view.cam_from_world), mean)) / count;
  const double factor = distance > 0 ? kExtent / distance : 1;
  for (View& view : scene.views)
    if (view.is_registered)
      view.cam_from_world = pose_at(
          view.cam_from_world.R, scaled(difference(centre_of(view.cam_from_world), mean), factor));
  Tracks& tracks = scene.tracks;
  for (std::size_t k = 0; k < tracks.size(); ++k)
    if (tracks.is_point[k] != 0)
      tracks.points[k] = scaled(difference(tracks.points[k], mean), factor);
}

}  // namespace bifocal::mapping
