// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/solvers.hpp>

#include <fmt/format.h>

#include <bifocal/error.hpp>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime/staging.hpp"
#include "solvers/catalogue.hpp"
#include "solvers/solve.kernels.hpp"

namespace bifocal {
namespace {

using CpuFunctionsOf = solvers::CpuFunctions (*)();
constexpr CpuFunctionsOf kFunctions[] = {
#define SOLVER(name, ...) &solvers::name##_functions,
#include <bifocal/solvers.def>
};

constexpr const char* kNames[] = {
#define SOLVER(name, ...) #name,
#include <bifocal/solvers.def>
};

const char* name_of(MinimalSolver solver) { return kNames[static_cast<std::size_t>(solver)]; }

void check_size(const char* name, std::size_t size, std::size_t expected) {
  if (size != expected) {
    throw Error(ErrorCode::usage,
                fmt::format("solve_minimal: {} has {} numbers, expected {}", name, size, expected));
  }
}

template <class T>
void launch_on_cpu(MinimalSolver solver, LaneKind lanes, const runtime::Piece& piece) {
  const solvers::CpuFunctions f = kFunctions[static_cast<std::size_t>(solver)]();
  const bool simd = lanes == LaneKind::simd;
  runtime::Kernel kernel;
  kernel.entry = "solve_minimal";
  if constexpr (std::is_same_v<T, double>) {
    kernel.cpu = simd ? f.simd_f64 : f.scalar_f64;
  } else {
    kernel.cpu = simd ? f.simd_f32 : f.scalar_f32;
  }
  if (!kernel.cpu)
    throw Error(ErrorCode::device, fmt::format("solve_minimal: {} is not in this build for CPUs "
                                               "(-DBIFOCAL_GENERATED_SOLVERS=ON)",
                                               name_of(solver)));
  kernel.cpu_block = 1024;  // a multiple of the width of every register
  const runtime::Argument arguments[] = {piece.arrays[0], piece.arrays[1], piece.arrays[2],
                                         std::int64_t{piece.strides[0]}};
  runtime::launch(piece.queue, kernel, {.count = piece.count}, arguments);
}

template <class T>
void launch_on_gpu(MinimalSolver solver, const runtime::Piece& piece) {
  const SolverShape shape = solver_shape(solver);
  constexpr int kGroupSize = 64;
  const kernels::solve::launch<T> launch(
      kGroupSize, {{"SOLVER_INDEX", static_cast<int>(solver)},
                   {"SAMPLE_ROWS", shape.sample_rows},
                   {"SOLUTIONS_ROWS", shape.max_solutions * shape.solution_rows},
                   {"LANE_STRIDE", 1}});
  launch.solve_samples(piece.queue, {.count = piece.count},
                       {.samples = piece.array<const T>(0),
                        .row = piece.strides[0],
                        .solutions = piece.array<T>(1),
                        .counts = piece.array<int>(2)});
}

template <class T>
void solve(Queue& queue, MinimalSolver solver, int count, Memory<const T> samples,
           Memory<T> solutions, Memory<int> counts, LaneKind lanes) {
  const SolverShape shape = solver_shape(solver);
  const DeviceInfo& device = queue.device().info();
  if (count < 0) throw Error(ErrorCode::usage, fmt::format("solve_minimal: {} samples", count));
  if (count == 0) return;
  if (sizeof(T) == 8 && !device.has_double)
    throw Error(ErrorCode::device, fmt::format("solve_minimal: {} ({}) does not compute in double",
                                               device.id, device.name));
  const runtime::BatchArray arrays[] = {
      runtime::input(samples, shape.sample_rows, count),
      runtime::output(solutions, shape.max_solutions * shape.solution_rows, count),
      runtime::output(counts, 1, count)};
  runtime::for_each_piece(queue, {.count = count}, arrays, [&](const runtime::Piece& piece) {
    if (device.kind == DeviceKind::cpu) {
      launch_on_cpu<T>(solver, lanes, piece);
    } else {
      launch_on_gpu<T>(solver, piece);
    }
  });
}

template <class T>
void solve_on_cpu(MinimalSolver solver, std::span<const T> samples, std::span<T> solutions,
                  std::span<int> counts, LaneKind lanes) {
  const SolverShape shape = solver_shape(solver);
  const std::size_t n = counts.size();
  if (n > static_cast<std::size_t>(std::numeric_limits<int>::max()) - 64) {
    throw Error(ErrorCode::usage, fmt::format("solve_minimal: {} samples are too many", n));
  }
  check_size("samples", samples.size(), n * shape.sample_rows);
  check_size("solutions", solutions.size(), n * shape.max_solutions * shape.solution_rows);
  Queue queue;
  solve<T>(queue, solver, static_cast<int>(n), samples.data(), solutions.data(), counts.data(),
           lanes);
}

}  // namespace

SolverShape solver_shape(MinimalSolver solver) {
  const auto index = static_cast<std::size_t>(solver);
  if (index >= std::size(solvers::kShapes))
    throw Error(ErrorCode::usage, fmt::format("unknown minimal solver {}", index));
  return solvers::kShapes[index];
}

bool is_built_for_cpus(MinimalSolver solver) {
  (void)solver_shape(solver);  // checks the enumerator
  return kFunctions[static_cast<std::size_t>(solver)]().simd_f64 != nullptr;
}

void solve_minimal(Queue& queue, MinimalSolver solver, int count, Memory<const double> samples,
                   Memory<double> solutions, Memory<int> solution_counts) {
  solve<double>(queue, solver, count, samples, solutions, solution_counts, LaneKind::simd);
}

void solve_minimal(Queue& queue, MinimalSolver solver, int count, Memory<const float> samples,
                   Memory<float> solutions, Memory<int> solution_counts) {
  solve<float>(queue, solver, count, samples, solutions, solution_counts, LaneKind::simd);
}

void solve_minimal(MinimalSolver solver, std::span<const double> samples,
                   std::span<double> solutions, std::span<int> solution_counts, LaneKind lanes) {
  solve_on_cpu(solver, samples, solutions, solution_counts, lanes);
}

void solve_minimal(MinimalSolver solver, std::span<const float> samples, std::span<float> solutions,
                   std::span<int> solution_counts, LaneKind lanes) {
  solve_on_cpu(solver, samples, solutions, solution_counts, lanes);
}

}  // namespace bifocal
