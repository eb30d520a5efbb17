// SPDX-License-Identifier: BSD-3-Clause
#include "adjust/tracks/session.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "adjust/layout.hpp"
#include "adjust/levenberg_marquardt.hpp"
#include "adjust/priors/priors.hpp"
#include "adjust/reduced_solver.hpp"
#include "adjust/terms.hpp"
#include "runtime/integers.hpp"
#include "runtime/parallel.hpp"
#include "runtime/uploaded.hpp"

namespace bifocal::adjustment {
namespace {

using runtime::uploaded;

constexpr int kTrackGroup = 128;
constexpr std::size_t kPlaceBlock = 4096;   // places of a thread at a time
constexpr std::size_t kMostOfDirect = 600;  // unknowns that a direct solver takes in any case
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool is_small(const AdjustProblem& problem) {
  std::size_t unknowns = 6 * problem.images.size();
  for (const AdjustCamera& camera : problem.cameras) unknowns += camera.params.size();
  return unknowns <= kMostOfDirect;
}

AdjustProblem checked(Queue& queue, AdjustProblem problem) {
  check_problem(problem);
  check_device(queue.device());
  return problem;
}

std::vector<ObservationUse> finite_uses(const AdjustProblem& problem) {
  std::vector<ObservationUse> uses(problem.observations.size(), ObservationUse::used);
  runtime::parallel_each(
      uses.size(),
      [&](std::size_t i) {
        const AdjustObservation& o = problem.observations[i];
        if (!std::isfinite(o.x) || !std::isfinite(o.y)) uses[i] = ObservationUse::not_finite;
      },
      kPlaceBlock);
  return uses;
}

std::vector<int> places_of_view_order(const Arrangement& arrangement, std::size_t observations) {
  const std::vector<int>&by_point = arrangement.by_point.observation,
        &by_view = arrangement.by_view.observation;
  std::vector<int> place_of(observations, -1), from(by_view.size(), -1);
  runtime::parallel_each(
      by_point.size(),
      [&](std::size_t i) {
        if (by_point[i] >= 0) place_of[at(by_point[i])] = static_cast<int>(i);
      },
      kPlaceBlock);
  runtime::parallel_each(
      by_view.size(),
      [&](std::size_t i) {
        if (by_view[i] >= 0) from[i] = place_of[at(by_view[i])];
      },
      kPlaceBlock);
  return from;
}

}  // namespace

AdjustSession::AdjustSession(Queue& queue, AdjustProblem problem)
    : queue_(is_small(problem) ? cpu_ : queue),
      problem_(checked(queue_, std::move(problem))),
      arrangement_(arrange(problem_, finite_uses(problem_))),
      frame_(local_frame(problem_, arrangement_.used_images)),
      observations_(queue_, arrangement_, problem_.points, frame_),
      given_x_(uploaded(queue_, arrangement_.by_point.px)),
      given_y_(uploaded(queue_, arrangement_.by_point.py)),
      counts_(queue_.device(), at(observations_.chunk_lanes)),
      from_(uploaded(queue_, places_of_view_order(arrangement_, problem_.observations.size()))),
      launch_(kTrackGroup) {}

std::int64_t AdjustSession::triangulate(std::span<const Vec3> rays, const TrackLimits& limits) {
  if (arrangement_.observations == 0) return 0;
  const std::vector<int>& observation = arrangement_.by_point.observation;
  const std::size_t places = observation.size();
  std::vector<double> ordered(3 * places, kNaN);
  runtime::parallel_each(
      places,
      [&](std::size_t i) {
        if (observation[i] < 0) return;
        for (std::size_t k = 0; k < 3; ++k) ordered[k * places + i] = rays[at(observation[i])][k];
      },
      kPlaceBlock);
  const Unknowns unknowns(problem_, arrangement_.used_images, frame_);
  std::vector<double> focal_lengths;
  for (const AdjustImage& image : problem_.images) {
    const ProjectionRecord& camera = unknowns.start().cameras[at(image.camera)];
    focal_lengths.push_back(0.5 * (camera.fx + camera.fy));
  }
  const Buffer<double> poses = uploaded(queue_, numbers_of(unknowns.start().poses));
  const Buffer<double> device_rays = uploaded(queue_, ordered);
  const Buffer<double> device_focal_lengths = uploaded(queue_, focal_lengths);
  launch_.triangulate(queue_, {.count = observations_.point_lanes},
                      {.poses = poses,
                       .rows = observations_.by_point.rows,
                       .other = observations_.by_point.other,
                       .px = observations_.by_point.px,
                       .py = observations_.by_point.py,
                       .points = observations_.points,
                       .lanes = observations_.point_lanes,
                       .given_x = given_x_,
                       .given_y = given_y_,
                       .rays = device_rays,
                       .places = static_cast<int>(places),
                       .focal_lengths = device_focal_lengths,
                       .max_error = limits.max_error,
                       .most_cosine = std::cos(limits.min_angle)});
  return count();
}

std::int64_t AdjustSession::filter(const TrackLimits& limits) {
  if (arrangement_.observations == 0) return 0;
  const Unknowns unknowns(problem_, arrangement_.used_images, frame_);
  const Buffer<double> poses = uploaded(queue_, numbers_of(unknowns.start().poses));
  const Buffer<double> cameras = uploaded(queue_, numbers_of(unknowns.start().cameras));
  const Buffer<int> image_cameras = uploaded(queue_, unknowns.image_cameras());
  launch_.filter(queue_, {.count = observations_.point_lanes},
                 {.poses = poses,
                  .rows = observations_.by_point.rows,
                  .other = observations_.by_point.other,
                  .px = observations_.by_point.px,
                  .py = observations_.by_point.py,
                  .points = observations_.points,
                  .lanes = observations_.point_lanes,
                  .image_cameras = image_cameras,
                  .cameras = cameras,
                  .kinds = unknowns.kinds(),
                  .used = unknowns.used(),
                  .max_error = limits.max_error,
                  .most_cosine = std::cos(limits.min_angle)});
  return count();
}

std::int64_t AdjustSession::count() {
  launch_.reorder(queue_, {.count = static_cast<int>(from_.size())},
                  {.from = from_,
                   .from_x = observations_.by_point.px,
                   .from_y = observations_.by_point.py,
                   .px = observations_.by_view.px,
                   .py = observations_.by_view.py});
  launch_.count(
      queue_, {.count = observations_.chunk_lanes},
      {.rows = observations_.by_view.rows, .px = observations_.by_view.px, .counts = counts_});
  std::vector<double> counts(counts_.size());
  counts_.download(queue_, counts);
  // Direct solvers read the arrangement.
  if (queue_.device().info().kind == DeviceKind::cpu)
    observations_.by_point.px.download(queue_, arrangement_.by_point.px);
  queue_.wait();
  std::ranges::fill(arrangement_.used_images, char{0});
  for (std::size_t i = 0; i < arrangement_.chunk_images.size(); ++i)
    if (counts[i] > 0) arrangement_.used_images[at(arrangement_.chunk_images[i])] = 1;
  return static_cast<std::int64_t>(std::accumulate(counts.begin(), counts.end(), 0.0));
}

AdjustResult AdjustSession::adjust(const AdjustOptions& options) {
  AdjustResult result;
  check_priors(problem_);
  const Unknowns unknowns(problem_, arrangement_.used_images, frame_);
  if (std::ranges::count(arrangement_.used_images, char{1}) == 0) return result;
  const std::unique_ptr<ReducedSolver> solver =
      queue_.device().info().kind == DeviceKind::cpu
          ? make_solver(queue_.device(), arrangement_, unknowns, options, result)
          : make_iterative_solver(unknowns, options);
  AdjustOptions chosen = options;
  chosen.float_blocks = !result.is_dense && !result.is_sparse;
  const Priors priors(problem_, arrangement_, unknowns, options.deviation_px);
  Terms terms(queue_, observations_, unknowns, chosen, priors);
  const Views views = minimise(terms, unknowns, *solver, options, result);
  if (!problem_.priors.empty()) {
    std::vector<PointRecord> points(at(observations_.point_lanes));
    observations_.points.download(queue_, numbers_of(points));
    queue_.wait();
    priors.report(views, points, result);
  }
  write_views(arrangement_.used_images, unknowns, views, problem_);
  return result;
}

void AdjustSession::download(std::span<Vec3> points, std::span<std::uint8_t> is_used) {
  std::vector<double> px(observations_.by_point.px.size());
  std::vector<PointRecord> lanes(at(observations_.point_lanes));
  observations_.by_point.px.download(queue_, px);
  observations_.points.download(queue_, numbers_of(lanes));
  queue_.wait();
  std::ranges::fill(is_used, std::uint8_t{0});
  const std::vector<int>& observation = arrangement_.by_point.observation;
  runtime::parallel_each(
      px.size(),
      [&](std::size_t i) {
        if (observation[i] >= 0 && px[i] == px[i]) is_used[at(observation[i])] = 1;
      },
      kPlaceBlock);
  for (std::size_t lane = 0; lane < arrangement_.lane_point.size(); ++lane) {
    if (arrangement_.lane_point[lane] < 0) continue;
    points[at(arrangement_.lane_point[lane])] = frame_.world(lanes[lane].X);
  }
}

}  // namespace bifocal::adjustment
