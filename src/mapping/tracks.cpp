// SPDX-License-Identifier: BSD-3-Clause
// Matches that make tracks.
#include <algorithm>
#include <utility>
#include <vector>

#include "mapping/scene.hpp"
#include "mapping/track_join.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::mapping {
namespace {

// Returns whether two rays meet in front of both cameras, to within the angles. `a`, `b` and
// `baseline`, from the first centre to the second one, are unit vectors in the world's frame.
bool rays_meet(const Vec3& a, const Vec3& b, const Vec3& baseline, double tolerance) {
  const Vec3 normal = cross(baseline, a);
  const double sine = norm(normal);
  if (sine < tolerance) return angle_between(a, b) < tolerance || dot(a, b) > 0;
  if (std::abs(dot(normal, b)) > tolerance * sine) return false;
  // In the epipolar plane the angle to the baseline grows from the first ray to the second one.
  return angle_between(baseline, b) > angle_between(baseline, a) - tolerance;
}

// Returns the matches of a pair whose rays meet, to within `tolerance` rad.
std::vector<std::int32_t> agreeing_matches(const Scene& scene, const MapPair& pair,
                                           double tolerance) {
  std::vector<std::int32_t> out;
  const View &view1 = scene.view(pair.image1), &view2 = scene.view(pair.image2);
  if (!view1.is_registered || !view2.is_registered) return out;
  const Vec3 baseline =
      unit(difference(centre_of(view2.cam_from_world), centre_of(view1.cam_from_world)));
  for (std::size_t k = 0; k < pair.inliers.size(); ++k) {
    const Vec3 a = transposed_times(view1.cam_from_world.R, view1.rays[pair.inliers[k].index1]),
               b = transposed_times(view2.cam_from_world.R, view2.rays[pair.inliers[k].index2]);
    if (std::isfinite(a[0] + b[0]) && rays_meet(a, b, baseline, tolerance))
      out.push_back(static_cast<std::int32_t>(k));
  }
  return out;
}

// A wrong pair agrees by chance, in few of its matches.
bool agrees(const std::vector<std::int32_t>& matches, const MapPair& pair) {
  return 2 * matches.size() >= pair.inliers.size();
}

}  // namespace

bool most_rays_meet(const Scene& scene, int pair, double tolerance) {
  const MapPair& matches = scene.graph->pairs[static_cast<std::size_t>(pair)];
  return agrees(agreeing_matches(scene, matches, tolerance), matches);
}

std::int64_t remove_edges_by_positions(Scene& scene, double tolerance) {
  std::vector<std::uint8_t> is_wrong(scene.edges.size());
  runtime::parallel_each(scene.edges.size(), [&](std::size_t k) {
    const Edge& edge = scene.edges[k];
    if (!edge.is_used || !scene.view(edge.view1).is_registered ||
        !scene.view(edge.view2).is_registered)
      return;
    is_wrong[k] = !most_rays_meet(scene, edge.pair, tolerance);
  });
  std::int64_t removed = 0;
  for (std::size_t k = 0; k < is_wrong.size(); ++k)
    if (is_wrong[k] != 0) scene.edges[k].is_used = false, ++removed;
  return removed;
}

void make_tracks(Scene& scene, const std::vector<int>& views) {
  std::vector<bool> is_chosen(scene.views.size());
  for (const int i : views) is_chosen[static_cast<std::size_t>(i)] = true;
  std::vector<PairMatches> pairs;
  for (const Edge& edge : scene.edges)
    if (edge.is_used && is_chosen[static_cast<std::size_t>(edge.view1)] &&
        is_chosen[static_cast<std::size_t>(edge.view2)])
      pairs.push_back({edge.pair, edge.inliers});
  scene.tracks = joined(*scene.graph, std::move(pairs));
}

void make_tracks_by_poses(Scene& scene, const MapOptions& options) {
  std::vector<std::vector<std::int32_t>> matches(scene.graph->pairs.size());
  runtime::parallel_each(matches.size(), [&](std::size_t k) {
    const MapPair& pair = scene.graph->pairs[k];
    const View &view1 = scene.view(pair.image1), &view2 = scene.view(pair.image2);
    if (!colmap::is_geometry(pair.configuration) || !view1.is_registered || !view2.is_registered)
      return;
    const double focal = std::min(scene.focal_length(view1), scene.focal_length(view2));
    matches[k] = agreeing_matches(scene, pair, options.threshold / focal);
    if (!agrees(matches[k], pair)) matches[k].clear();
  });
  std::vector<PairMatches> pairs;
  for (std::size_t k = 0; k < matches.size(); ++k)
    if (!matches[k].empty()) pairs.push_back({static_cast<int>(k), matches[k]});
  scene.tracks = joined(*scene.graph, std::move(pairs));
}

}  // namespace bifocal::mapping
