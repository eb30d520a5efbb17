// SPDX-License-Identifier: BSD-3-Clause
// Bundle adjustment of the registered views, and filters.
#include <bifocal/colmap/bundle_adjust.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "mapping/scene.hpp"
#include "runtime/disjoint_sets.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::mapping {
namespace {

constexpr int kFewestObservations = 15;    // of a registered view
constexpr int kSharedPoints = 10;          // that connect two views
constexpr double kAdjustTolerance = 1e-6;  // drift of a long chain has little cost
constexpr int kCoarseIterations = 20, kCoarseGradients = 100;
constexpr double kExtent = 5;  // mean distance of centres from their mean

// A problem of the used observations, and the tracks of its points.
struct Problem {
  AdjustProblem adjust;
  std::vector<std::size_t> tracks;        // one a point
  std::vector<std::size_t> observations;  // places in Tracks, one an observation
};

void take_camera(const MapOptions& options, bool with_intrinsics, const SceneCamera& camera,
                 AdjustProblem& problem) {
  AdjustCamera& out = problem.cameras.emplace_back(camera.adjust);
  const auto focal = static_cast<std::size_t>(LensCamera::focal_lengths(out.model));
  out.constant_params.assign(out.params.size(), !(with_intrinsics && options.refine_extra_params));
  for (std::size_t i = 0; i < std::min(focal, out.params.size()); ++i)
    out.constant_params[i] = !(with_intrinsics && options.refine_focal_length);
  for (std::size_t i = focal; i < std::min(focal + 2, out.params.size()); ++i)
    out.constant_params[i] = true;
}

Problem problem_of(const Scene& scene, const MapOptions& options, bool with_intrinsics) {
  Problem problem;
  std::vector<int> camera_places(scene.cameras.size(), -1), view_places(scene.views.size(), -1);
  for (std::size_t i = 0; i < scene.views.size(); ++i) {
    const View& view = scene.views[i];
    if (!view.is_registered) continue;
    int& place = camera_places[static_cast<std::size_t>(view.camera)];
    if (place < 0) {
      place = static_cast<int>(problem.adjust.cameras.size());
      take_camera(options, with_intrinsics, scene.cameras[static_cast<std::size_t>(view.camera)],
                  problem.adjust);
    }
    view_places[i] = static_cast<int>(problem.adjust.images.size());
    problem.adjust.images.push_back({view.cam_from_world, place});
  }
  const Tracks& tracks = scene.tracks;
  for (std::size_t k = 0; k < tracks.size(); ++k) {
    if (tracks.is_point[k] == 0) continue;
    for (std::size_t i = tracks.first[k]; i < tracks.first[k + 1]; ++i) {
      const int place = view_places[static_cast<std::size_t>(tracks.views[i])];
      if (tracks.is_used[i] == 0 || place < 0) continue;
      const Vec2& px = scene.features(tracks.views[i])[tracks.features[i]];
      problem.adjust.observations.push_back(
          {place, static_cast<int>(problem.adjust.points.size()), px[0], px[1]});
      problem.observations.push_back(i);
    }
    problem.adjust.points.push_back(tracks.points[k]);
    problem.tracks.push_back(k);
  }
  return problem;
}

void take_result(const Problem& problem, Scene& scene) {
  std::size_t place = 0;
  std::vector<bool> is_done(scene.cameras.size());
  for (View& view : scene.views) {
    if (!view.is_registered) continue;
    const AdjustImage& image = problem.adjust.images[place++];
    view.cam_from_world = image.cam_from_world;
    const auto camera = static_cast<std::size_t>(view.camera);
    if (is_done[camera]) continue;
    is_done[camera] = true;
    set_parameters(scene.cameras[camera],
                   problem.adjust.cameras[static_cast<std::size_t>(image.camera)].params);
  }
  for (std::size_t i = 0; i < problem.tracks.size(); ++i)
    scene.tracks.points[problem.tracks[i]] = problem.adjust.points[i];
}

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

bool has_angle(const Scene& scene, std::size_t track, double least) {
  const Tracks& tracks = scene.tracks;
  std::vector<Vec3> directions;
  for (std::size_t i = tracks.first[track]; i < tracks.first[track + 1]; ++i)
    if (tracks.is_used[i] != 0)
      directions.push_back(unit(
          difference(tracks.points[track], centre_of(scene.view(tracks.views[i]).cam_from_world))));
  for (std::size_t i = 0; i < directions.size(); ++i)
    for (std::size_t j = i + 1; j < directions.size(); ++j)
      if (angle_between(directions[i], directions[j]) >= least) return true;
  return false;
}

void bundle_adjust(Queue& queue, Scene& scene, const MapOptions& options,
                   const Refinement& refinement) {
  Problem problem = problem_of(scene, options, refinement.intrinsics);
  AdjustOptions adjust_options;
  adjust_options.loss = AdjustLoss::soft_l1;
  adjust_options.loss_scale = refinement.loss_scale;
  adjust_options.max_iterations = options.max_adjust_iterations;
  adjust_options.function_tolerance = kAdjustTolerance;
  if (refinement.is_coarse) {
    adjust_options.max_iterations = std::min(options.max_adjust_iterations, kCoarseIterations);
    adjust_options.function_tolerance = 1e-3;
    adjust_options.max_cg_iterations = kCoarseGradients;
    adjust_options.cg_tolerance = 0.1;
  }
  (void)adjust(queue, problem.adjust, adjust_options);
  take_result(problem, scene);
  if (refinement.intrinsics) set_rays(scene);
}

std::int64_t filter(Scene& scene, const MapOptions& options, double max_error) {
  Problem problem = problem_of(scene, options, false);
  const std::vector<double> errors = colmap::reprojection_errors(problem.adjust);
  for (std::size_t i = 0; i < errors.size(); ++i)
    if (!(errors[i] <= max_error)) scene.tracks.is_used[problem.observations[i]] = 0;
  drop_short_points(scene);
  runtime::parallel_each(
      scene.tracks.size(),
      [&](std::size_t k) {
        if (!has_angle(scene, k, options.min_angle_deg * kRadPerDeg)) scene.tracks.is_point[k] = 0;
      },
      512);
  drop_short_points(scene);
  const std::vector<int> counts = observation_counts(scene);
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

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
