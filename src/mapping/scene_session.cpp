// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/scene_session.hpp"

#include <algorithm>
#include <utility>

#include "runtime/parallel.hpp"

namespace bifocal::mapping {
namespace {

constexpr double kAdjustTolerance = 1e-6;  // drift of a long chain has little cost
constexpr int kCoarseIterations = 20, kCoarseGradients = 100;
constexpr std::size_t kTrackBlock = 512;  // tracks of a thread at a time

// Sets which parameters of a camera are adjusted.
void choose_params(const Scene& scene, std::size_t number, const MapOptions& options,
                   bool with_intrinsics, AdjustCamera& camera) {
  const auto focal = static_cast<std::size_t>(LensCamera::focal_lengths(camera.model));
  const std::size_t count = camera.params.size();
  const bool with_focal = options.refine_focal_length && !scene.has_held_focal[number];
  camera.constant_params.assign(count, !(with_intrinsics && options.refine_extra_params));
  for (std::size_t i = 0; i < std::min(focal, count); ++i)
    camera.constant_params[i] = !(with_intrinsics && with_focal);
  for (std::size_t i = focal; i < std::min(focal + 2, count); ++i)
    camera.constant_params[i] = !(with_intrinsics && scene.has_free_principal[number]);
}

// Adds the registered views with their cameras, whose numbers in the scene are appended to
// `cameras`. Returns the places of the views, -1 for other views.
std::vector<int> add_views(const Scene& scene, AdjustProblem& problem,
                           std::vector<std::size_t>& cameras) {
  std::vector<int> camera_places(scene.cameras.size(), -1), places(scene.views.size(), -1);
  for (std::size_t i = 0; i < scene.views.size(); ++i) {
    const View& view = scene.views[i];
    if (!view.is_registered) continue;
    int& place = camera_places[static_cast<std::size_t>(view.camera)];
    if (place < 0) {
      place = static_cast<int>(problem.cameras.size());
      problem.cameras.push_back(adjust_camera_of(scene.lens(view)));
      cameras.push_back(static_cast<std::size_t>(view.camera));
    }
    places[i] = static_cast<int>(problem.images.size());
    problem.images.push_back({view.cam_from_world, place});
  }
  return places;
}

adjustment::TrackLimits limits_of(const MapOptions& options, double threshold) {
  return {.max_error = threshold, .min_angle = options.min_angle_deg * kRadPerDeg};
}

}  // namespace

SceneSession::SceneSession(Queue& queue, Scene& scene, const MapOptions& options, Of chosen)
    : scene_(scene), options_(options), session_(queue, problem_of(chosen)) {}

AdjustProblem SceneSession::problem_of(Of chosen) {
  AdjustProblem problem;
  const std::vector<int> places = add_views(scene_, problem, cameras_);
  const Tracks& tracks = scene_.tracks;
  const auto is_taken = [&](std::size_t i) {
    return places[static_cast<std::size_t>(tracks.views[i])] >= 0 &&
           (chosen == Of::tracks || tracks.is_used[i] != 0);
  };
  std::vector<std::size_t> first = {0};  // observation of each track that is taken
  for (std::size_t k = 0; k < tracks.size(); ++k) {
    if (chosen == Of::points && tracks.is_point[k] == 0) continue;
    std::size_t count = 0;
    for (std::size_t i = tracks.first[k]; i < tracks.first[k + 1]; ++i)
      count += is_taken(i) ? 1 : 0;
    tracks_.push_back(k);
    first.push_back(first.back() + count);
  }
  observations_.resize(first.back());
  problem.observations.resize(first.back());
  problem.points.resize(tracks_.size());
  runtime::parallel_each(
      tracks_.size(),
      [&](std::size_t point) {
        const std::size_t k = tracks_[point];
        std::size_t next = first[point];
        for (std::size_t i = tracks.first[k]; i < tracks.first[k + 1]; ++i) {
          if (!is_taken(i)) continue;
          const Vec2& px = scene_.features(tracks.views[i])[tracks.features[i]];
          observations_[next] = i;
          problem.observations[next++] = {places[static_cast<std::size_t>(tracks.views[i])],
                                          static_cast<int>(point), px[0], px[1]};
        }
        problem.points[point] = tracks.points[k];
      },
      kTrackBlock);
  return problem;
}

void SceneSession::triangulate() {
  std::vector<Vec3> rays(observations_.size());
  runtime::parallel_each(
      rays.size(),
      [&](std::size_t i) {
        const std::size_t o = observations_[i];
        rays[i] = scene_.view(scene_.tracks.views[o]).rays[scene_.tracks.features[o]];
      },
      kTrackBlock);
  session_.triangulate(rays, limits_of(options_, options_.threshold));
}

void SceneSession::set_priors(AdjustPriors priors, double deviation_px) {
  std::vector<int> images(scene_.views.size(), -1);
  int next = 0;
  for (std::size_t i = 0; i < images.size(); ++i)
    if (scene_.views[i].is_registered) images[i] = next++;
  for (PositionPrior& p : priors.positions) p.image = images[static_cast<std::size_t>(p.image)];
  for (HeightPrior& p : priors.heights) p.image = images[static_cast<std::size_t>(p.image)];
  session_.problem().priors = std::move(priors);
  deviation_px_ = deviation_px;
}

AdjustResult SceneSession::adjust(const Refinement& refinement) {
  AdjustOptions options;
  options.loss = AdjustLoss::soft_l1;
  options.loss_scale = refinement.loss_scale;
  options.max_iterations = options_.max_adjust_iterations;
  options.function_tolerance = kAdjustTolerance;
  options.deviation_px = deviation_px_;
  if (refinement.is_coarse) {
    options.max_iterations = std::min(options_.max_adjust_iterations, kCoarseIterations);
    options.function_tolerance = 1e-3;
    options.max_cg_iterations = kCoarseGradients;
    options.cg_tolerance = 0.1;
  }
  std::vector<AdjustCamera>& cameras = session_.problem().cameras;
  for (std::size_t k = 0; k < cameras.size(); ++k)
    choose_params(scene_, cameras_[k], options_, refinement.intrinsics, cameras[k]);
  AdjustResult result = session_.adjust(options);
  take_views();
  return result;
}

std::int64_t SceneSession::filter(double threshold) {
  return session_.filter(limits_of(options_, threshold));
}

void SceneSession::take_views() {
  const AdjustProblem& problem = session_.problem();
  std::size_t place = 0;
  std::vector<bool> is_done(scene_.cameras.size());
  for (View& view : scene_.views) {
    if (!view.is_registered) continue;
    const AdjustImage& image = problem.images[place++];
    view.cam_from_world = image.cam_from_world;
    const auto camera = static_cast<std::size_t>(view.camera);
    if (is_done[camera]) continue;
    is_done[camera] = true;
    set_parameters(*scene_.cameras[camera],
                   problem.cameras[static_cast<std::size_t>(image.camera)].params);
  }
}

void SceneSession::take() {
  std::vector<Vec3> points(tracks_.size());
  std::vector<std::uint8_t> is_used(observations_.size());
  session_.download(points, is_used);
  Tracks& tracks = scene_.tracks;
  std::ranges::fill(tracks.is_used, std::uint8_t{0});
  std::ranges::fill(tracks.is_point, std::uint8_t{0});
  for (std::size_t i = 0; i < observations_.size(); ++i)
    tracks.is_used[observations_[i]] = is_used[i];
  runtime::parallel_each(
      tracks_.size(),
      [&](std::size_t i) {
        const std::size_t k = tracks_[i];
        const auto begin = tracks.is_used.begin() + static_cast<std::ptrdiff_t>(tracks.first[k]),
                   end = tracks.is_used.begin() + static_cast<std::ptrdiff_t>(tracks.first[k + 1]);
        tracks.points[k] = points[i];
        tracks.is_point[k] = std::any_of(begin, end, [](std::uint8_t v) { return v != 0; }) ? 1 : 0;
      },
      kTrackBlock);
  set_rays(scene_);
}

}  // namespace bifocal::mapping
