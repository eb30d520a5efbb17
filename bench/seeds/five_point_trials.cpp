// SPDX-License-Identifier: BSD-3-Clause
#include "seeds/five_point_trials.hpp"

#include <bifocal/linalg.hpp>
#include <bifocal/solvers.hpp>
#include <fmt/format.h>

namespace bifocal::bench::seeds {
namespace {

// Groups that share the points of an E when they add atomically.
constexpr int kParts = 8;

}  // namespace

FivePointTrials::FivePointTrials(Queue& queue, const RayPairs& rays, int count)
    : trials(count),
      models(kMostEssentials * count),
      drawn(trial_rows<int>(queue.device(), 5, count)),
      samples(trial_rows<double>(queue.device(), 20, count)),
      matrices(trial_rows<double>(queue.device(), 100, count)),
      null_spaces(trial_rows<double>(queue.device(), 36, count)),
      E(trial_rows<double>(queue.device(), 9 * kMostEssentials, count)),
      inliers(trial_rows<int>(queue.device(), kMostEssentials, count)),
      queue_(queue),
      rays_(rays),
      values_(trial_rows<double>(queue.device(), 10, count)),
      vectors_(trial_rows<double>(queue.device(), 100, count)),
      solutions_(trial_rows<int>(queue.device(), 1, count)),
      votes_(trial_rows<std::uint32_t>(queue.device(), 4 * kMostEssentials, count)),
      chosen_(queue.device()),
      solver_(kGroupSize, text_constants(5)),
      warp_solver_(32, text_constants(5)),
      verifier_(kGroupSize, text_constants(5)) {
  const DeviceInfo& device = queue.device().info();
  if (!device.has_double)
    throw Error(ErrorCode::device,
                fmt::format("five-point trials: {} ({}) does not compute in double", device.id,
                            device.name));
  const std::vector<std::uint32_t> zeros(votes_.size());
  votes_.upload(queue, zeros);
  queue.wait();
}

void FivePointTrials::draw(int seed, int first) {
  solver_.draw_trials(queue_, per_trial(trials),
                      {.points = rays_.f64.columns,
                       .stride = rays_.f64.stride,
                       .point_count = rays_.f64.count,
                       .seed = seed,
                       .first = first,
                       .trials = trials,
                       .drawn = drawn,
                       .samples = samples});
}

void FivePointTrials::build_matrices() { build_matrices(matrices, null_spaces); }

void FivePointTrials::build_matrices(const Memory<double>& to_matrices,
                                     const Memory<double>& to_null_spaces, int threads_per_block) {
  solver_.action_matrices(queue_, per_trial(trials, threads_per_block),
                          {.samples = samples,
                           .trials = trials,
                           .matrices = to_matrices,
                           .null_spaces = to_null_spaces});
}

void FivePointTrials::solve_matrices(int threads_per_block) {
  // Balancing was measured to lose accuracy here (essential_5pt_action.lane.h).
  real_eigenpairs<double>(queue_, {matrices, 10, 10, trials},
                          {.values = values_, .vectors = vectors_, .counts = solutions_},
                          {.balance = false});
  find_essentials(threads_per_block);
}

void FivePointTrials::find_essentials(int threads_per_block) {
  solver_.eigenvector_essentials(
      queue_, per_trial(trials, threads_per_block),
      {.vectors = vectors_, .null_spaces = null_spaces, .trials = trials, .E = E});
}

void FivePointTrials::solve(FivePointSolver solver) {
  const bool on_cpu = queue_.device().info().kind == DeviceKind::cpu;
  switch (solver) {
    case FivePointSolver::warps:
      if (!on_cpu)
        return warp_solver_.solve_by_group(
            queue_, {.count = trials, .local_bytes = SOLVER_WORK * sizeof(double)},
            {.samples = samples, .trials = trials, .E = E});
      [[fallthrough]];
    case FivePointSolver::eigenpairs:
    case FivePointSolver::spread: {
      const int threads = solver == FivePointSolver::spread ? 1 : kThreadsPerBlock;
      build_matrices(matrices, null_spaces, threads);
      return solve_matrices(threads);
    }
    case FivePointSolver::action:
      return solve_minimal(queue_, MinimalSolver::essential_5pt_action, trials, samples, E,
                           solutions_);
    case FivePointSolver::polynomial:
      return solve_minimal(queue_, MinimalSolver::essential_5pt, trials, samples, E, solutions_);
  }
}

void FivePointTrials::count(float threshold, Counting counting) {
  using Kernels = kernels::five_point_trials::launch<float>;
  const PointColumns<float>& points = rays_.f32;
  const float squared = threshold * threshold;
  const auto by_sums =
      [&]<class Args>(void (Kernels::*kernel)(Queue&, const runtime::Launch&, const Args&) const) {
        (verifier_.*kernel)(queue_, {.count = models},
                            Args{.E = E,
                                 .trials = trials,
                                 .points = points.columns,
                                 .stride = points.stride,
                                 .squared_threshold = squared,
                                 .inliers = inliers});
      };
  switch (counting) {
    case Counting::reduction:
      return by_sums(&Kernels::essential_inliers);
    case Counting::near:
      return by_sums(&Kernels::essential_near);
    case Counting::ahead:
      return verifier_.essential_ahead(queue_, {.count = models},
                                       {.E = E,
                                        .trials = trials,
                                        .points = points.columns,
                                        .stride = points.stride,
                                        .ahead = inliers});
    case Counting::atomics:
      return count_by_atomics(squared);
  }
}

void FivePointTrials::count_by_atomics(float squared_threshold) {
  const PointColumns<float>& points = rays_.f32;
  verifier_.essential_votes(queue_, {.count = models * kParts},
                            {.E = E,
                             .trials = trials,
                             .points = points.columns,
                             .stride = points.stride,
                             .squared_threshold = squared_threshold,
                             .parts = kParts,
                             .votes = votes_});
  verifier_.most_votes(queue_, per_trial(models), {.votes = votes_, .inliers = inliers});
}

void FivePointTrials::choose() {
  if (trials == 0) return;
  solver_.choose_trial(queue_, {.count = 1},
                       {.inliers = inliers,
                        .models = E,
                        .trials = trials,
                        .model_count = models,
                        .chosen = chosen_.number,
                        .model = chosen_.matrix});
}

}  // namespace bifocal::bench::seeds
