// SPDX-License-Identifier: BSD-3-Clause
// The largest part of a scene, and its scale.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "mapping/scene.hpp"
#include "runtime/disjoint_sets.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::mapping {
namespace {

constexpr int kFewestObservations = 15;  // of a registered view
constexpr int kSharedPoints = 10;        // that connect two views
constexpr double kExtent = 5;            // mean distance of centres from their mean

std::vector<int> observation_counts(const Scene& scene) {
  const Tracks& tracks = scene.tracks;
  std::vector<int> counts(scene.views.size());
  for (std::size_t k = 0; k < tracks.size(); ++k)
    for (std::size_t i = tracks.first[k]; tracks.is_point[k] != 0 && i < tracks.first[k + 1]; ++i)
      counts[static_cast<std::size_t>(tracks.views[i])] += tracks.is_used[i];
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
      512);
}

}  // namespace

void keep_largest_part(Scene& scene) {
  const std::vector<int> counts = observation_counts(scene);
  for (std::size_t i = 0; i < scene.views.size(); ++i)
    if (counts[i] < kFewestObservations) scene.views[i].is_registered = false;
  drop_short_points(scene);
  std::map<std::pair<int, int>, int> shared;
  const Tracks& tracks = scene.tracks;
  for (std::size_t k = 0; k < tracks.size(); ++k) {
    const std::size_t end = tracks.is_point[k] != 0 ? tracks.first[k + 1] : tracks.first[k];
    for (std::size_t i = tracks.first[k]; i < end; ++i)
      for (std::size_t j = i + 1; tracks.is_used[i] != 0 && j < end; ++j)
        if (tracks.is_used[j] != 0) ++shared[{tracks.views[i], tracks.views[j]}];
  }
  DisjointSets sets(scene.views.size());
  for (const auto& [pair, count] : shared)
    if (count >= kSharedPoints)
      sets.join(static_cast<std::size_t>(pair.first), static_cast<std::size_t>(pair.second));
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
