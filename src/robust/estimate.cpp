// SPDX-License-Identifier: BSD-3-Clause
// One pair of any problem.
#include <fmt/format.h>

#include <bifocal/error.hpp>
#include <bifocal/two_view.hpp>
#include <cmath>

#include "robust/arguments.hpp"
#include "robust/engine_device.hpp"
#include "robust/search_pair.hpp"

namespace bifocal {
namespace {

template <class Point>
robust::Cameras checked_cameras(ModelKind kind, std::span<const Intrinsics> cameras) {
  const ProblemInfo info = problem_info(kind);
  if (info.is_two_view != std::is_same_v<Point, PointPair>)
    throw Error(ErrorCode::usage, fmt::format("estimate {}: takes {}", to_string(kind),
                                              info.is_two_view ? "point pairs" : "scene points"));
  if (static_cast<int>(cameras.size()) != info.cameras)
    throw Error(ErrorCode::usage, fmt::format("estimate {}: {} cameras, must be {}",
                                              to_string(kind), cameras.size(), info.cameras));
  constexpr const char* kNames[] = {"camera1", "camera2"};
  for (size_t i = 0; i < cameras.size(); ++i)
    robust::check_camera(cameras.size() == 1 ? "camera" : kNames[i], cameras[i]);
  if (cameras.empty()) return {};
  return robust::cameras_of(cameras.front(), cameras.back());
}

std::vector<int> not_finite(const double* points, int columns, size_t count) {
  std::vector<int> out;
  for (size_t i = 0; i < count; ++i) {
    bool finite = true;
    for (size_t c = 0; c < size_t(columns); ++c)
      finite = finite && std::isfinite(points[i * size_t(columns) + c]);
    if (!finite) out.push_back(static_cast<int>(i));
  }
  return out;
}

robust::PairFound search(Queue* queue, ModelKind kind, const robust::GivenPair& given,
                         const RobustOptions& options, std::vector<std::uint8_t>& inliers) {
  if (queue == nullptr || queue->device().info().kind == DeviceKind::cpu)
    return robust::search_pair(kind, given, options, inliers.data());
  const std::int64_t offsets[] = {0, given.count};
  robust::PairFound found;
  robust::search_on_device(*queue,
                           {.problem = kind,
                            .points = Memory<const double>(given.points),
                            .host_points = given.points,
                            .on_device = false,
                            .weights = given.priors.weights.data(),
                            .qualities = given.priors.qualities.data(),
                            .offsets = offsets,
                            .cameras = {&given.cameras, 1},
                            .options = options},
                           {&found, 1}, inliers);
  return found;
}

// Without a queue on this machine.
template <class Point>
PoseResult estimate_one(Queue* queue, ModelKind kind, std::span<const Point> points,
                        std::span<const Intrinsics> cameras, RobustOptions options,
                        const MatchPriors& priors) {
  options = one_pair_options(kind, points.size(), options);
  const robust::Cameras numbers = checked_cameras<Point>(kind, cameras);
  robust::check_priors(priors, points.size());
  std::vector<std::uint8_t> inliers(points.size());
  const robust::GivenPair given = {robust::numbers_of(points), static_cast<int>(points.size()),
                                   numbers, priors};
  BatchEstimate batch;
  batch.pairs = {robust::estimate_of(kind, search(queue, kind, given, options, inliers))};
  batch.inliers = std::move(inliers);
  if (!robust::has_model(batch.pairs[0].outcome)) batch.inliers.assign(points.size(), 0);
  PoseResult r = single_result(std::move(batch));
  r.not_finite = not_finite(given.points, robust::engine_steps(kind).columns, points.size());
  return r;
}

}  // namespace

PoseResult single_result(BatchEstimate batch) {
  const PairEstimate& e = batch.pairs.at(0);
  PoseResult r;
  r.outcome = e.outcome;
  r.model = e.model;
  r.inliers = std::move(batch.inliers);
  r.inlier_count = e.inlier_count;
  r.gain = e.gain;
  r.rms = e.rms;
  r.noise = e.noise;
  r.iterations = e.iterations;
  r.significance = e.significance;
  r.pose = e.pose;
  r.focal_length = e.focal_length;
  r.focal_deviation = e.focal_deviation;
  r.distortion = e.distortion;
  r.distortion_deviation = e.distortion_deviation;
  return r;
}

RobustOptions one_pair_options(ModelKind kind, std::size_t matches, const RobustOptions& options) {
  robust::check_is_built("estimate", kind);
  check_options(options);
  RobustOptions own = options;
  if (options.min_inlier_ratio == 0)
    own.min_inlier_ratio = robust::one_pair_ratio(kind, double(matches), options.confidence);
  return own;
}

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      return "ok";
    case Outcome::too_few_points:
      return "too_few_points";
    case Outcome::no_model:
      return "no_model";
    case Outcome::not_significant:
      return "not_significant";
    case Outcome::rotation_only:
      return "rotation_only";
    case Outcome::degenerate_sample:
      break;
  }
  return "degenerate_sample";
}

std::string_view to_string(ModelKind kind) {
  static constexpr std::string_view kLabels[] = {
#define BIFOCAL_PROBLEM(name, label, ...) label,
#include <bifocal/problems.def>
#undef BIFOCAL_PROBLEM
  };
  return kLabels[static_cast<size_t>(kind)];
}

ProblemInfo problem_info(ModelKind kind) {
  static constexpr std::string_view kSymbols[] = {
#define BIFOCAL_PROBLEM(name, label, family, symbol, scene) symbol,
#include <bifocal/problems.def>
#undef BIFOCAL_PROBLEM
  };
  const robust::EngineSteps& s = robust::engine_steps(kind);
  return {kSymbols[static_cast<size_t>(kind)],
          s.sample_size,
          s.dof,
          s.cameras,
          s.two_views,
          s.has_pose,
          s.unknown_focal,
          s.unknown_distortion};
}

PoseResult estimate(ModelKind kind, std::span<const PointPair> points,
                    std::span<const Intrinsics> cameras, const RobustOptions& options,
                    const MatchPriors& priors) {
  return estimate_one(nullptr, kind, points, cameras, options, priors);
}

PoseResult estimate(Queue& queue, ModelKind kind, std::span<const PointPair> points,
                    std::span<const Intrinsics> cameras, const RobustOptions& options,
                    const MatchPriors& priors) {
  return estimate_one(&queue, kind, points, cameras, options, priors);
}

PoseResult estimate(ModelKind kind, std::span<const ScenePoint> points,
                    std::span<const Intrinsics> cameras, const RobustOptions& options,
                    const MatchPriors& priors) {
  return estimate_one(nullptr, kind, points, cameras, options, priors);
}

PoseResult estimate(Queue& queue, ModelKind kind, std::span<const ScenePoint> points,
                    std::span<const Intrinsics> cameras, const RobustOptions& options,
                    const MatchPriors& priors) {
  return estimate_one(&queue, kind, points, cameras, options, priors);
}

RobustResult estimate_homography(std::span<const PointPair> points, const RobustOptions& options,
                                 const MatchPriors& priors) {
  return estimate(ModelKind::homography, points, {}, options, priors);
}

RobustResult estimate_homography(Queue& queue, std::span<const PointPair> points,
                                 const RobustOptions& options, const MatchPriors& priors) {
  return estimate(queue, ModelKind::homography, points, {}, options, priors);
}

RobustResult estimate_fundamental(std::span<const PointPair> points, const RobustOptions& options,
                                  const MatchPriors& priors) {
  return estimate(ModelKind::fundamental, points, {}, options, priors);
}

RobustResult estimate_fundamental(Queue& queue, std::span<const PointPair> points,
                                  const RobustOptions& options, const MatchPriors& priors) {
  return estimate(queue, ModelKind::fundamental, points, {}, options, priors);
}

namespace {

RadialFundamentalResult with_distortion(PoseResult r) {
  return {std::move(static_cast<RobustResult&>(r)), r.distortion, r.distortion_deviation};
}

}  // namespace

RadialFundamentalResult estimate_radial_fundamental(std::span<const PointPair> points,
                                                    const Intrinsics& camera,
                                                    const RobustOptions& options,
                                                    const MatchPriors& priors) {
  return with_distortion(
      estimate(ModelKind::radial_fundamental, points, {&camera, 1}, options, priors));
}

RadialFundamentalResult estimate_radial_fundamental(Queue& queue, std::span<const PointPair> points,
                                                    const Intrinsics& camera,
                                                    const RobustOptions& options,
                                                    const MatchPriors& priors) {
  return with_distortion(
      estimate(queue, ModelKind::radial_fundamental, points, {&camera, 1}, options, priors));
}

AbsolutePoseResult estimate_absolute_pose(std::span<const ScenePoint> points,
                                          const Intrinsics& camera, const RobustOptions& options,
                                          const MatchPriors& priors) {
  PoseResult r = estimate(ModelKind::absolute_pose, points, {&camera, 1}, options, priors);
  return {std::move(static_cast<RobustResult&>(r)), r.pose};
}

AbsolutePoseResult estimate_absolute_pose(Queue& queue, std::span<const ScenePoint> points,
                                          const Intrinsics& camera, const RobustOptions& options,
                                          const MatchPriors& priors) {
  PoseResult r = estimate(queue, ModelKind::absolute_pose, points, {&camera, 1}, options, priors);
  return {std::move(static_cast<RobustResult&>(r)), r.pose};
}

namespace {

FocalPoseResult with_focal(PoseResult r) {
  FocalPoseResult out;
  out.cam_from_world = r.pose;
  out.focal_length = r.focal_length;
  out.focal_deviation = r.focal_deviation;
  static_cast<RobustResult&>(out) = std::move(static_cast<RobustResult&>(r));
  return out;
}

}  // namespace

FocalPoseResult estimate_camera_pose_focal(std::span<const ScenePoint> points,
                                           const Intrinsics& camera, const RobustOptions& options,
                                           const MatchPriors& priors) {
  return with_focal(estimate(ModelKind::camera_pose_focal, points, {&camera, 1}, options, priors));
}

FocalPoseResult estimate_camera_pose_focal(Queue& queue, std::span<const ScenePoint> points,
                                           const Intrinsics& camera, const RobustOptions& options,
                                           const MatchPriors& priors) {
  return with_focal(
      estimate(queue, ModelKind::camera_pose_focal, points, {&camera, 1}, options, priors));
}

}  // namespace bifocal
