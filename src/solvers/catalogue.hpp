// SPDX-License-Identifier: BSD-3-Clause
// bifocal/solvers.def for C++: the shapes, and what each solver's unit (solver_unit.cpp.in) offers.
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

// Functions for the CPU. Their arguments: samples, solutions, counts, and the std::int64_t numbers
// from row to row of all three.
struct CpuFunctions {
  runtime::CpuFunction simd_f64, simd_f32, scalar_f64, scalar_f32;
};
#define SOLVER(name, ...) [[nodiscard]] CpuFunctions name##_functions();
#include <bifocal/solvers.def>

}  // namespace bifocal::solvers
