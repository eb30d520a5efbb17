// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/adjust.hpp>
#include <bifocal/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "adjust/arrangement.hpp"
#include "adjust/covariance.hpp"
#include "adjust/dense_system.hpp"
#include "adjust/gauge.hpp"
#include "adjust/levenberg_marquardt.hpp"
#include "adjust/priors/priors.hpp"
#include "adjust/reduced_solver.hpp"
#include "adjust/terms.hpp"
#include "adjust/unknowns.hpp"
#include "runtime/integers.hpp"

namespace bifocal {
namespace {

using namespace adjustment;

// Writes the adjusted poses, intrinsics and points.
void write_back(const Arrangement& arrangement, const Unknowns& unknowns, const Views& views,
                const std::vector<PointRecord>& points, AdjustProblem& problem) {
  write_views(arrangement.used_images, unknowns, views, problem);
  for (std::size_t lane = 0; lane < arrangement.lane_point.size(); ++lane) {
    if (arrangement.is_free[lane] == 0) continue;
    problem.points[at(arrangement.lane_point[lane])] = unknowns.frame().world(points[lane].X);
  }
}

AdjustResult adjust_on(Queue& queue, AdjustProblem& problem, const AdjustOptions& options) {
  AdjustResult result;
  check_options(options);
  check_problem(problem);
  check_device(queue.device());
  result.uses = observation_uses(problem);
  for (const ObservationUse use : result.uses) ++result.counts.at(static_cast<std::size_t>(use));
  const Arrangement arrangement = arrange(problem, result.uses);
  const Unknowns unknowns(problem, arrangement.used_images);
  result.parts = part_count(problem, result.uses);
  const bool has_points = std::ranges::count(arrangement.is_free, 1.0) > 0;
  if (arrangement.observations == 0 || (unknowns.active_count() == 0 && !has_points)) return result;

  const std::unique_ptr<ReducedSolver> solver =
      make_solver(queue.device(), arrangement, unknowns, options, result);
  const bool is_direct = result.is_dense || result.is_sparse;
  Queue cpu;
  AdjustOptions chosen = options;
  if (is_direct) chosen.float_blocks = false, chosen.max_memory = 0;
  Queue& used = is_direct ? cpu : queue;
  DeviceObservations observations(used, arrangement, problem.points, unknowns.frame());
  const Priors priors(problem, arrangement, unknowns, options.deviation_px);
  Terms terms(used, observations, unknowns, chosen, priors);
  Views views = minimise(terms, unknowns, *solver, options, result);
  std::vector<PointRecord> points(at(observations.point_lanes));
  observations.points.download(used, numbers_of(points));
  used.wait();
  const Gauge gauge = gauge_of(problem, arrangement, unknowns);
  result.freedom = gauge.freedom();
  if (options.gauge == AdjustGauge::start) restore_gauge(gauge, unknowns.start(), views, points);
  priors.report(views, points, result);
  if (options.covariance) {
    // A covariance that throws must leave the problem as it was.
    AdjustProblem adjusted = problem;
    write_back(arrangement, unknowns, views, points, adjusted);
    set_covariances(adjusted, arrangement, gauge, unknowns.start(), options, result);
  }
  write_back(arrangement, unknowns, views, points, problem);
  return result;
}

}  // namespace

AdjustResult adjust(Queue& queue, AdjustProblem& problem, const AdjustOptions& options) {
  return adjust_on(queue, problem, options);
}

AdjustResult adjust(AdjustProblem& problem, const AdjustOptions& options) {
  Queue queue;
  return adjust_on(queue, problem, options);
}

double adjust_cost(const AdjustProblem& problem, const AdjustOptions& options) {
  check_options(options);
  check_problem(problem);
  const Arrangement arrangement = arrange(problem, observation_uses(problem));
  if (arrangement.observations == 0) return 0;
  const Unknowns unknowns(problem, arrangement.used_images);
  Queue queue;
  AdjustOptions chosen = options;
  chosen.max_memory = 0;
  DeviceObservations observations(queue, arrangement, problem.points, unknowns.frame());
  const Priors priors(problem, arrangement, unknowns, options.deviation_px);
  return Terms(queue, observations, unknowns, chosen, priors).linearise(unknowns.start()).cost;
}

AdjustCamera adjust_camera_of(const LensCamera& camera) {
  const std::span<const double> params = camera.params();
  return {.model = camera.model().empty() ? "FULL_OPENCV" : std::string(camera.model()),
          .params = {params.begin(), params.end()}};
}

std::string_view to_string(AdjustReason reason) {
  switch (reason) {
    case AdjustReason::nothing_to_adjust:
      return "nothing to adjust";
    case AdjustReason::function_tolerance:
      return "function tolerance";
    case AdjustReason::gradient_tolerance:
      return "gradient tolerance";
    case AdjustReason::parameter_tolerance:
      return "parameter tolerance";
    case AdjustReason::no_progress:
      return "no progress";
    case AdjustReason::max_iterations:
      return "max iterations";
    case AdjustReason::stopped:
      return "stopped";
  }
  return {};
}

}  // namespace bifocal
