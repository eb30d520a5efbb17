// SPDX-License-Identifier: BSD-3-Clause
// Loads samples into lanes, solves them, stores the solutions. Included once for every target.
#if defined(BIFOCAL_SOLVERS_BATCH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BIFOCAL_SOLVERS_BATCH_INL_H_
#undef BIFOCAL_SOLVERS_BATCH_INL_H_
#else
#define BIFOCAL_SOLVERS_BATCH_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "linalg/lanes_io-inl.h"
#include "solvers/catalogue.h"
#include "solvers/functions.hpp"

HWY_BEFORE_NAMESPACE();
namespace bifocal::HWY_NAMESPACE {

// Samples [begin, end) of a batch whose arguments are those of solvers::CpuFunctions. Solver: a
// class of the lane type `real`, with solve(sample, solutions), which returns their number.
template <class Solver>
void solve_samples(const void* const* arguments, int begin, int end) {
  using Real = typename Solver::real;
  using T = typename Solver::scalar;
  constexpr int width = lane::traits<Real>::width;
  const std::int64_t row = *static_cast<const std::int64_t*>(arguments[3]);
  const linalg::View<const T> samples = {*static_cast<const T* const*>(arguments[0]), row, 1};
  const linalg::View<T> solutions = {*static_cast<T* const*>(arguments[1]), row, 1};
  int* counts = *static_cast<int* const*>(arguments[2]);
  Real in[Solver::sample_rows], out[Solver::solutions_rows];
  alignas(64) T found[width];
  for (int i = begin; i < end; i += width) {
    const int used = std::min(width, end - i);
    for (int r = 0; r < Solver::sample_rows; ++r) in[r] = load_element<Real>(samples, r, i, used);
    lane::ops<Real>::store(Solver::solve(in, out), found);
    for (int l = 0; l < used; ++l) counts[i + l] = static_cast<int>(found[l]);
    for (int r = 0; r < Solver::solutions_rows; ++r) store_element(solutions, r, i, used, out[r]);
  }
}

}  // namespace bifocal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
