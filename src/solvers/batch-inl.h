// SPDX-License-Identifier: BSD-3-Clause
// Loads samples into lanes, solves them and stores the solutions. Included once for every
// SIMD target.
#if defined(BIFOCAL_SOLVERS_BATCH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BIFOCAL_SOLVERS_BATCH_INL_H_
#undef BIFOCAL_SOLVERS_BATCH_INL_H_
#else
#define BIFOCAL_SOLVERS_BATCH_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "linalg/lanes_io-inl.h"
#include "solvers/catalogue.hpp"

HWY_BEFORE_NAMESPACE();
namespace bifocal::HWY_NAMESPACE {

// Solves samples [begin, end) of a batch with the arguments of solvers::CpuFunctions. Solver: the
// class around a solver's lane files and solvers/dispatch.h.
template <class Solver>
void solve_samples(const void* const* arguments, int begin, int end) {
  using Real = typename Solver::real;
  using T = typename Solver::scalar;
  constexpr int width = lane::traits<Real>::width;
  constexpr SolverShape shape = solvers::kShapes[Solver::SOLVER_INDEX];
  constexpr int sample_rows = shape.sample_rows;
  constexpr int solutions_rows = shape.max_solutions * shape.solution_rows;
  const std::int64_t row = *static_cast<const std::int64_t*>(arguments[3]);
  const linalg::View<const T> samples = {*static_cast<const T* const*>(arguments[0]), row, 1};
  const linalg::View<T> solutions = {*static_cast<T* const*>(arguments[1]), row, 1};
  int* counts = *static_cast<int* const*>(arguments[2]);
  Real in[sample_rows], out[solutions_rows];
  alignas(64) T found[width];
  for (int i = begin; i < end; i += width) {
    const int used = std::min(width, end - i);
    for (int r = 0; r < sample_rows; ++r) in[r] = load_element<Real>(samples, r, i, used);
    lane::ops<Real>::store(Solver::solve_sample(in, out), found);
    for (int l = 0; l < used; ++l) counts[i + l] = static_cast<int>(found[l]);
    for (int r = 0; r < solutions_rows; ++r) store_element(solutions, r, i, used, out[r]);
  }
}

}  // namespace bifocal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
