// SPDX-License-Identifier: BSD-3-Clause
// bifocal/solvers.def for C++: the shapes of the solvers, and the functions of each solver's
// unit (cmake/solver_unit.cpp.in).
#pragma once

#include <bifocal/solvers.hpp>

#include "runtime/kernel.hpp"
#include "solvers/catalogue.h"

namespace bifocal::solvers {

inline constexpr SolverShape kShapes[] = {
#define SOLVER(name, data, points, model, most_solutions) \
  {SOLVER_ROWS_##data(points), most_solutions, SOLVER_ROWS_##model},
#include <bifocal/solvers.def>
};

// A solver's functions for CPUs; null if this build lacks the solver. Their arguments are samples,
// solutions, counts, and the distance between rows (std::int64_t) of all three arrays.
struct CpuFunctions {
  runtime::CpuFunction simd_f64 = nullptr, simd_f32 = nullptr;
  runtime::CpuFunction scalar_f64 = nullptr, scalar_f32 = nullptr;
};
#define SOLVER(name, ...) [[nodiscard]] CpuFunctions name##_functions();
#include <bifocal/solvers.def>

}  // namespace bifocal::solvers
