// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/solvers.hpp>

#include <fmt/format.h>

#include <bifocal/error.hpp>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime/staging.hpp"
#include "solvers/catalogue.h"
#include "solvers/functions.hpp"

namespace bifocal {
namespace {

struct Entry {
  const char* name;
  SolverShape shape;
  solvers::CpuFunctions (*functions)();
};
constexpr Entry kEntries[] = {
#define SOLVER(name, data, points, model, most_solutions, ...)         \
  {#name,                                                              \
   {SOLVER_ROWS_##data * points, most_solutions, SOLVER_ROWS_##model}, \
   &solvers::name##_functions},
#include <bifocal/solvers.def>
};

const Entry& entry_of(MinimalSolver solver) {
  const auto index = static_cast<std::size_t>(solver);
  if (index >= std::size(kEntries))
    throw Error(ErrorCode::usage, fmt::format("unknown minimal solver {}", index));
  return kEntries[index];
}

void check_size(const char* name, std::size_t size, std::size_t expected) {
  if (size != expected) {
    throw Error(ErrorCode::usage,
                fmt::format("solve_minimal: {} has {} numbers, expected {}", name, size, expected));
  }
}

template <class T>
runtime::Kernel kernel_of(const Entry& solver, LaneKind lanes) {
  const solvers::CpuFunctions f = solver.functions();
  const bool simd = lanes == LaneKind::simd;
  runtime::Kernel kernel;
  kernel.entry = solver.name;
  if constexpr (std::is_same_v<T, double>) {
    kernel.cpu = simd ? f.simd_f64 : f.scalar_f64;
  } else {
    kernel.cpu = simd ? f.simd_f32 : f.scalar_f32;
  }
  kernel.cpu_block = 1024;  // a multiple of any register's width
  return kernel;
}

template <class T>
void solve(Queue& queue, const Entry& solver, int count, Memory<const T> samples,
           Memory<T> solutions, Memory<int> counts, LaneKind lanes) {
  const SolverShape& shape = solver.shape;
  const runtime::Kernel kernel = kernel_of<T>(solver, lanes);
  const runtime::BatchArray arrays[] = {
      runtime::input(samples, shape.sample_rows, count),
      runtime::output(solutions, shape.max_solutions * shape.solution_rows, count),
      runtime::output(counts, 1, count)};
  runtime::for_each_piece(queue, {.count = count}, arrays, [&](const runtime::Piece& piece) {
    const runtime::Argument arguments[] = {piece.arrays[0], piece.arrays[1], piece.arrays[2],
                                           std::int64_t{piece.strides[0]}, piece.count};
    launch(piece.queue, kernel, {.count = piece.count}, arguments);
  });
}

template <class T>
void solve_on_cpu(MinimalSolver solver, std::span<const T> samples, std::span<T> solutions,
                  std::span<int> counts, LaneKind lanes) {
  const Entry& entry = entry_of(solver);
  const std::size_t n = counts.size();
  if (n > static_cast<std::size_t>(std::numeric_limits<int>::max()) - 64) {
    throw Error(ErrorCode::usage, fmt::format("solve_minimal: {} samples are too many", n));
  }
  check_size("samples", samples.size(), n * entry.shape.sample_rows);
  check_size("solutions", solutions.size(),
             n * entry.shape.max_solutions * entry.shape.solution_rows);
  Queue queue;
  solve<T>(queue, entry, static_cast<int>(n), samples.data(), solutions.data(), counts.data(),
           lanes);
}

}  // namespace

SolverShape solver_shape(MinimalSolver solver) { return entry_of(solver).shape; }

void solve_minimal(MinimalSolver solver, std::span<const double> samples,
                   std::span<double> solutions, std::span<int> solution_counts, LaneKind lanes) {
  solve_on_cpu(solver, samples, solutions, solution_counts, lanes);
}

void solve_minimal(MinimalSolver solver, std::span<const float> samples, std::span<float> solutions,
                   std::span<int> solution_counts, LaneKind lanes) {
  solve_on_cpu(solver, samples, solutions, solution_counts, lanes);
}

}  // namespace bifocal
