// SPDX-License-Identifier: BSD-3-Clause
// Robust estimation of one pair, for any problem.
#include <fmt/format.h>

#include <bifocal/error.hpp>
#include <bifocal/two_view.hpp>
#include <cmath>

#include "robust/arguments.hpp"
#include "robust/ransac_device.hpp"
#include "robust/ransac_pair.hpp"

namespace bifocal {
namespace {

template <class Point>
robust::Cameras checked_cameras(ModelKind kind, std::span<const Intrinsics> cameras) {
  const ProblemInfo info = problem_info(kind);
  if (const auto expected = robust::points_name(kind); expected != robust::kPointsName<Point>)
    throw Error(ErrorCode::usage, fmt::format("estimate {}: takes {}", to_string(kind), expected));
  if (static_cast<int>(cameras.size()) != info.cameras)
    throw Error(ErrorCode::usage, fmt::format("estimate {}: {} cameras, must be {}",
                                              to_string(kind), cameras.size(), info.cameras));
  constexpr const char* kNames[] = {"camera1", "camera2"};
  for (size_t i = 0; i < cameras.size(); ++i)
    robust::check_camera(cameras.size() == 1 ? "camera" : kNames[i], cameras[i]);
  if (cameras.empty()) return {};
  return robust::cameras_of(cameras.front(), cameras.back());
}

// Returns the indices of points whose image or scene coordinates are not finite. Depths may
// be missing.
std::vector<int> not_finite(const double* points, const robust::RansacSteps& steps, size_t count) {
  const auto columns = size_t(steps.columns), seen = size_t(steps.columns - steps.depths);
  std::vector<int> out;
  for (size_t i = 0; i < count; ++i) {
    bool finite = true;
    for (size_t c = 0; c < seen; ++c) finite = finite && std::isfinite(points[i * columns + c]);
    if (!finite) out.push_back(static_cast<int>(i));
  }
  return out;
}

robust::PairFound run_ransac(Queue& queue, ModelKind kind, const robust::GivenPair& given,
                             const RobustOptions& options, std::vector<std::uint8_t>& inliers) {
  if (queue.device().info().kind == DeviceKind::cpu)
    return robust::ransac_pair(kind, given, options, inliers.data());
  const std::int64_t offsets[] = {0, given.count};
  robust::PairFound found;
  robust::ransac_on_device(queue,
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

template <class Point>
EstimateResult estimate_one(Queue& queue, ModelKind kind, std::span<const Point> points,
                            const EstimateInput& input) {
  const RobustOptions options = one_pair_options(kind, points.size(), input.options);
  const robust::Cameras cameras = checked_cameras<Point>(kind, input.cameras);
  robust::check_priors(input.priors, points.size());
  EstimateResult r;
  r.inliers.resize(points.size());
  const robust::GivenPair given = {robust::numbers_of(points), static_cast<int>(points.size()),
                                   cameras, input.priors};
  static_cast<Estimate&>(r) =
      robust::estimate_of(kind, run_ransac(queue, kind, given, options, r.inliers));
  if (!robust::has_model(r.outcome)) r.inliers.assign(points.size(), 0);
  r.not_finite = not_finite(given.points, robust::ransac_steps(kind), points.size());
  return r;
}

}  // namespace

EstimateResult single_result(BatchEstimate batch) {
  return {batch.pairs.at(0), std::move(batch.inliers)};
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

std::string_view to_string(ModelKind kind) { return kModelKindWords[static_cast<size_t>(kind)]; }

ProblemInfo problem_info(ModelKind kind) {
  static constexpr std::string_view kSymbols[] = {
#define BIFOCAL_PROBLEM(name, family, symbol) symbol,
#include <bifocal/problems.def>
#undef BIFOCAL_PROBLEM
  };
  const robust::RansacSteps& s = robust::ransac_steps(kind);
  return {kSymbols[static_cast<size_t>(kind)],
          s.sample_size,
          s.dof,
          s.cameras,
          s.two_views,
          s.depths > 0,
          s.has_pose,
          s.unknown_focal,
          s.unknown_distortion,
          s.triangulates,
          s.solve != nullptr};
}

EstimateResult estimate(Queue& queue, ModelKind kind, std::span<const PointPair> points,
                        const EstimateInput& input) {
  return estimate_one(queue, kind, points, input);
}

EstimateResult estimate(ModelKind kind, std::span<const PointPair> points,
                        const EstimateInput& input) {
  Queue cpu;
  return estimate_one(cpu, kind, points, input);
}

EstimateResult estimate(Queue& queue, ModelKind kind, std::span<const ScenePoint> points,
                        const EstimateInput& input) {
  return estimate_one(queue, kind, points, input);
}

EstimateResult estimate(ModelKind kind, std::span<const ScenePoint> points,
                        const EstimateInput& input) {
  Queue cpu;
  return estimate_one(cpu, kind, points, input);
}

EstimateResult estimate(Queue& queue, ModelKind kind, std::span<const DepthPair> points,
                        const EstimateInput& input) {
  return estimate_one(queue, kind, points, input);
}

EstimateResult estimate(ModelKind kind, std::span<const DepthPair> points,
                        const EstimateInput& input) {
  Queue cpu;
  return estimate_one(cpu, kind, points, input);
}

}  // namespace bifocal
