// SPDX-License-Identifier: BSD-3-Clause
// The functions of a solver for the CPU, which its unit (solver_unit.cpp.in) offers to solvers.cpp.
#pragma once

#include "runtime/kernel.hpp"

namespace bifocal::solvers {

// Arguments: samples, solutions, counts, and the std::int64_t numbers from row to row of all three.
struct CpuFunctions {
  runtime::CpuFunction simd_f64, simd_f32, scalar_f64, scalar_f32;
};

#define SOLVER(name, ...) [[nodiscard]] CpuFunctions name##_functions();
#include <bifocal/solvers.def>

}  // namespace bifocal::solvers
