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
#include "adjust/reduced_solver.hpp"
#include "adjust/terms.hpp"
#include "adjust/unknowns.hpp"
#include "runtime/integers.hpp"

namespace bifocal {
namespace {

using namespace adjustment;

constexpr std::size_t kAutomaticDense = 600, kMostDense = 20000;  // unknowns of poses and cameras
// Of a sparse system that is solved faster than by conjugate gradients.
constexpr double kAutomaticPairs = 1e8, kAutomaticOperations = 4e9;
constexpr double kMostEntries = 4e8;  // of the factor of a sparse system

bool choose_dense(const Unknowns& unknowns, const AdjustOptions& options) {
  const std::size_t size = unknowns.active_count();
  if (options.covariance && size > kMostDense)
    throw Error(
        ErrorCode::usage,
        fmt::format("AdjustOptions::covariance: {} parameters of poses and cameras, at most "
                    "{} are supported",
                    size, kMostDense));
  if (options.solver == AdjustSolver::automatic) return size <= kAutomaticDense;
  if (options.solver == AdjustSolver::dense && size > kMostDense)
    throw Error(ErrorCode::usage,
                fmt::format("AdjustOptions::solver: {} parameters of poses and cameras, the dense "
                            "solver takes at most {}",
                            size, kMostDense));
  return options.solver == AdjustSolver::dense;
}

// Returns nullptr if the problem is solved by another solver.
std::unique_ptr<ReducedSolver> sparse_solver(Queue& queue, const Arrangement& arrangement,
                                             const Unknowns& unknowns,
                                             const AdjustOptions& options) {
  if (options.solver == AdjustSolver::sparse)
    return make_sparse_solver(arrangement, unknowns, {.entries = kMostEntries});
  if (options.solver != AdjustSolver::automatic || options.float_blocks || options.max_memory > 0 ||
      queue.device().info().kind != DeviceKind::cpu ||
      observation_pairs(arrangement) > kAutomaticPairs)
    return nullptr;
  return make_sparse_solver(arrangement, unknowns, {kMostEntries, kAutomaticOperations});
}

// Writes the adjusted poses, intrinsics and points.
void write_back(const Arrangement& arrangement, const Unknowns& unknowns, const Views& views,
                const std::vector<double>& points, AdjustProblem& problem) {
  for (std::size_t i = 0; i < problem.images.size(); ++i) {
    if (!arrangement.used_images[i] || problem.images[i].is_constant) continue;
    const double* const record = &views.poses[i * POSE_SIZE];
    const double* const centre = record + POSE_CENTRE;
    Mat3 R;
    std::copy_n(record, 9, R.begin());
    problem.images[i].cam_from_world =
        unknowns.frame().world_pose(R, {centre[0], centre[1], centre[2]});
  }
  for (int c = 0; c < unknowns.cameras(); ++c)
    if (!unknowns.adjusted_params(c).empty()) problem.cameras[at(c)].params = views.params[at(c)];
  for (std::size_t lane = 0; lane < arrangement.lane_point.size(); ++lane) {
    if (arrangement.is_free[lane] == 0) continue;
    const double* const X = &points[lane * POINT_SIZE];
    problem.points[at(arrangement.lane_point[lane])] = unknowns.frame().world({X[0], X[1], X[2]});
  }
}

AdjustResult adjust_on(Queue& queue, AdjustProblem& problem, const AdjustOptions& options) {
  AdjustResult result;
  check_options(options);
  check_problem(problem);
  if (!queue.device().info().has_double)
    throw Error(ErrorCode::device,
                fmt::format("adjust: {} has no double precision", queue.device().info().id));
  result.uses = observation_uses(problem);
  for (const ObservationUse use : result.uses) ++result.counts.at(static_cast<std::size_t>(use));
  const Arrangement arrangement = arrange(problem, result.uses);
  const Unknowns unknowns(problem, arrangement.used_images);
  result.parts = arrangement.parts;
  const bool has_points = std::ranges::count(arrangement.is_free, 1.0) > 0;
  if (arrangement.observations == 0 || (unknowns.active_count() == 0 && !has_points)) return result;

  result.is_dense = choose_dense(unknowns, options);
  std::unique_ptr<ReducedSolver> solver =
      result.is_dense ? make_dense_solver(arrangement, unknowns)
                      : sparse_solver(queue, arrangement, unknowns, options);
  result.is_sparse = solver && !result.is_dense;
  if (options.solver == AdjustSolver::sparse && !solver)
    throw Error(ErrorCode::usage,
                fmt::format("AdjustOptions::solver: the sparse solver takes at most {:.0f} numbers "
                            "of the reduced system; use iterative",
                            kMostEntries));
  const bool is_direct = solver != nullptr;
  if (!solver) solver = make_iterative_solver(unknowns, options);
  Queue cpu;
  AdjustOptions chosen = options;
  if (is_direct) chosen.float_blocks = false, chosen.max_memory = 0;
  Terms terms(is_direct ? cpu : queue, problem, arrangement, unknowns, chosen);
  Views views = minimise(terms, unknowns, *solver, options, result);
  std::vector<double> points = terms.points();
  const Gauge gauge = gauge_of(problem, arrangement, unknowns);
  result.freedom = gauge.freedom();
  if (options.gauge == AdjustGauge::start) restore_gauge(gauge, unknowns.start(), views, points);
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
  return Terms(queue, problem, arrangement, unknowns, chosen).linearise(unknowns.start()).cost;
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
