// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/solvers.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bifocal/error.hpp>
#include <limits>
#include <type_traits>

#include "runtime/parallel.hpp"
#include "solvers/batch.hpp"

namespace bifocal {
namespace {

solvers::BatchFunctions functions_of(MinimalSolver solver) {
  switch (solver) {
    case MinimalSolver::homography_4pt:
      return solvers::homography_4pt_functions();
    case MinimalSolver::homography_svd:
      return solvers::homography_svd_functions();
    case MinimalSolver::fundamental_7pt:
      return solvers::fundamental_7pt_functions();
    case MinimalSolver::fundamental_8pt:
      return solvers::fundamental_8pt_functions();
    case MinimalSolver::essential_5pt:
      return solvers::essential_5pt_functions();
    case MinimalSolver::essential_5pt_action:
      return solvers::essential_5pt_action_functions();
    case MinimalSolver::p3p:
      return solvers::p3p_functions();
  }
  throw Error(ErrorCode::usage, fmt::format("unknown minimal solver {}", static_cast<int>(solver)));
}

void check_size(const char* name, std::size_t size, std::size_t expected) {
  if (size != expected) {
    throw Error(ErrorCode::usage,
                fmt::format("solve_minimal: {} has {} numbers, expected {}", name, size, expected));
  }
}

template <class T>
void solve(MinimalSolver solver, std::span<const T> samples, std::span<T> solutions,
           std::span<int> counts, LaneKind lanes) {
  const SolverShape shape = solver_shape(solver);
  const std::size_t n = counts.size();
  if (n > static_cast<std::size_t>(std::numeric_limits<int>::max()) - 64) {
    throw Error(ErrorCode::usage, fmt::format("solve_minimal: {} samples are too many", n));
  }
  check_size("samples", samples.size(), n * shape.sample_rows);
  check_size("solutions", solutions.size(), n * shape.max_solutions * shape.solution_rows);

  const solvers::BatchFunctions functions = functions_of(solver);
  solvers::BatchFunction<T> function;
  if constexpr (std::is_same_v<T, double>) {
    function = lanes == LaneKind::simd ? functions.simd_f64 : functions.scalar_f64;
  } else {
    function = lanes == LaneKind::simd ? functions.simd_f32 : functions.scalar_f32;
  }
  constexpr int kBlock = 1024;  // samples of a work package: a multiple of any register's width
  const int size = static_cast<int>(n);
  runtime::parallel_for((size + kBlock - 1) / kBlock, [&](int block) {
    const int begin = block * kBlock;
    function({samples.data(), solutions.data(), counts.data(), size, begin,
              std::min(size, begin + kBlock)});
  });
}

}  // namespace

SolverShape solver_shape(MinimalSolver solver) {
  switch (solver) {
    case MinimalSolver::homography_4pt:
    case MinimalSolver::homography_svd:
      return {16, 1, 9};
    case MinimalSolver::fundamental_7pt:
      return {28, 3, 9};
    case MinimalSolver::essential_5pt:
    case MinimalSolver::essential_5pt_action:
      return {20, 10, 9};
    case MinimalSolver::fundamental_8pt:
      return {32, 1, 9};
    case MinimalSolver::p3p:
      return {18, 4, 12};
  }
  throw Error(ErrorCode::usage, fmt::format("unknown minimal solver {}", static_cast<int>(solver)));
}

void solve_minimal(MinimalSolver solver, std::span<const double> samples,
                   std::span<double> solutions, std::span<int> solution_counts, LaneKind lanes) {
  solve(solver, samples, solutions, solution_counts, lanes);
}

void solve_minimal(MinimalSolver solver, std::span<const float> samples, std::span<float> solutions,
                   std::span<int> solution_counts, LaneKind lanes) {
  solve(solver, samples, solutions, solution_counts, lanes);
}

}  // namespace bifocal
