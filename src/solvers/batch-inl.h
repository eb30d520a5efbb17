// SPDX-License-Identifier: BSD-3-Clause
// Loads samples into lanes, solves them, stores the solutions. Included once for every target, by
// the files with HWY_EXPORT.
#if defined(BIFOCAL_SOLVERS_BATCH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BIFOCAL_SOLVERS_BATCH_INL_H_
#undef BIFOCAL_SOLVERS_BATCH_INL_H_
#else
#define BIFOCAL_SOLVERS_BATCH_INL_H_
#endif

#include <algorithm>
#include <limits>

#include "lane/simd-inl.h"
#include "solvers/batch.hpp"

HWY_BEFORE_NAMESPACE();
namespace bifocal {
namespace HWY_NAMESPACE {

template <class Real>
struct solver_lanes {
#include "lane/cpp_begin.h"

#include "math/math.lanes"

#include "linalg/linalg.lanes"

#include "solvers/solvers.lanes"

#include "lane/cpp_end.h"
};

// Problem<Real>: sample_rows, solution_rows (of all solutions together) and solve(const Real*,
// Real*), which returns the count.
template <template <class> class Problem, class Real>
void solve_batch(const solvers::Batch<typename lane::traits<Real>::element>& batch) {
  using T = typename lane::traits<Real>::element;
  using P = Problem<Real>;
  using Ops = lane::ops<Real>;
  constexpr int width = lane::traits<Real>::width;
  Real in[P::sample_rows], out[P::solution_rows];
  T counts[width], padded[width];
  for (int i = batch.begin; i < batch.end; i += width) {
    const int used = std::min(width, batch.end - i);
    for (int r = 0; r < P::sample_rows; ++r) {
      const T* row = batch.samples + static_cast<std::ptrdiff_t>(r) * batch.n + i;
      if (used == width) {
        in[r] = Ops::load(row);
      } else {  // the last samples of the batch: lanes beyond them repeat one
        std::copy(row, row + used, padded);
        std::fill(padded + used, padded + width, row[0]);
        in[r] = Ops::load(padded);
      }
    }
    Ops::store(P::solve(in, out), counts);
    for (int l = 0; l < used; ++l) batch.counts[i + l] = static_cast<int>(counts[l]);
    for (int r = 0; r < P::solution_rows; ++r) {
      T* row = batch.solutions + static_cast<std::ptrdiff_t>(r) * batch.n + i;
      if (used == width) {
        Ops::store(out[r], row);
      } else {
        Ops::store(out[r], padded);
        std::copy(padded, padded + used, row);
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace bifocal
HWY_AFTER_NAMESPACE();

// A solver's file holds, for every target, its Problem template NAME with
// BIFOCAL_SOLVER_ON_TARGET(NAME) behind it, and once, in namespace bifocal,
// BIFOCAL_SOLVER_FUNCTIONS(NAME).
#undef BIFOCAL_SOLVER_ON_TARGET
#define BIFOCAL_SOLVER_ON_TARGET(NAME)                                                             \
  void NAME##_f64(const solvers::Batch<double>& batch) { solve_batch<NAME, simd<double>>(batch); } \
  void NAME##_f32(const solvers::Batch<float>& batch) { solve_batch<NAME, simd<float>>(batch); }

#undef BIFOCAL_SOLVER_FUNCTIONS
#define BIFOCAL_SOLVER_FUNCTIONS(NAME)                                \
  HWY_EXPORT(NAME##_f64);                                             \
  HWY_EXPORT(NAME##_f32);                                             \
  solvers::BatchFunctions solvers::NAME##_functions() {               \
    return {&HWY_DYNAMIC_DISPATCH(NAME##_f64),                        \
            &HWY_NAMESPACE::solve_batch<HWY_NAMESPACE::NAME, double>, \
            &HWY_DYNAMIC_DISPATCH(NAME##_f32),                        \
            &HWY_NAMESPACE::solve_batch<HWY_NAMESPACE::NAME, float>}; \
  }

#endif
