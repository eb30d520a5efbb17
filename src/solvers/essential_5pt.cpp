// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solvers/essential_5pt.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "solvers/batch-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bifocal {
namespace HWY_NAMESPACE {
namespace {

template <class Real>
struct essential_5pt {
  static constexpr int sample_rows = 20, solution_rows = 90;
  static Real solve(const Real* in, Real* out) {
    return solver_lanes<Real>::essential_5pt(in, in + 5, in + 10, in + 15, out);
  }
};

}  // namespace

void essential_5pt_f64(const solvers::Batch<double>& batch) {
  solve_batch<essential_5pt, simd<double>>(batch);
}
void essential_5pt_f32(const solvers::Batch<float>& batch) {
  solve_batch<essential_5pt, simd<float>>(batch);
}
#if HWY_ONCE
void essential_5pt_scalar_f64(const solvers::Batch<double>& batch) {
  solve_batch<essential_5pt, double>(batch);
}
void essential_5pt_scalar_f32(const solvers::Batch<float>& batch) {
  solve_batch<essential_5pt, float>(batch);
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace bifocal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal {
HWY_EXPORT(essential_5pt_f64);
HWY_EXPORT(essential_5pt_f32);

namespace solvers {

BatchFunctions essential_5pt_functions() {
  return {&HWY_DYNAMIC_DISPATCH(essential_5pt_f64), &HWY_STATIC_DISPATCH(essential_5pt_scalar_f64),
          &HWY_DYNAMIC_DISPATCH(essential_5pt_f32), &HWY_STATIC_DISPATCH(essential_5pt_scalar_f32)};
}

}  // namespace solvers
}  // namespace bifocal
#endif
