// SPDX-License-Identifier: BSD-3-Clause
// The choice of a solver.
#include <bifocal/error.hpp>

#include <fmt/format.h>

#include "adjust/reduced_solver.hpp"

namespace bifocal::adjustment {
namespace {

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
std::unique_ptr<ReducedSolver> sparse_solver(const Device& device, const Arrangement& arrangement,
                                             const Unknowns& unknowns,
                                             const AdjustOptions& options) {
  if (options.solver == AdjustSolver::sparse)
    return make_sparse_solver(arrangement, unknowns, {.entries = kMostEntries});
  if (options.solver != AdjustSolver::automatic || options.float_blocks || options.max_memory > 0 ||
      device.info().kind != DeviceKind::cpu || observation_pairs(arrangement) > kAutomaticPairs)
    return nullptr;
  return make_sparse_solver(arrangement, unknowns, {kMostEntries, kAutomaticOperations});
}

}  // namespace

std::unique_ptr<ReducedSolver> make_solver(const Device& device, const Arrangement& arrangement,
                                           const Unknowns& unknowns, const AdjustOptions& options,
                                           AdjustResult& result) {
  result.is_dense = choose_dense(unknowns, options);
  std::unique_ptr<ReducedSolver> solver =
      result.is_dense ? make_dense_solver(arrangement, unknowns)
                      : sparse_solver(device, arrangement, unknowns, options);
  result.is_sparse = solver && !result.is_dense;
  if (options.solver == AdjustSolver::sparse && !solver)
    throw Error(ErrorCode::usage,
                fmt::format("AdjustOptions::solver: the sparse solver takes at most {:.0f} numbers "
                            "of the reduced system; use iterative",
                            kMostEntries));
  return solver ? std::move(solver) : make_iterative_solver(unknowns, options);
}

}  // namespace bifocal::adjustment
