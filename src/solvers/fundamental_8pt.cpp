// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solvers/fundamental_8pt.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "solvers/batch-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bifocal {
namespace HWY_NAMESPACE {
namespace {

template <class Real>
struct fundamental_8pt {
  static constexpr int sample_rows = 32, solution_rows = 9;
  static Real solve(const Real* in, Real* out) {
    return solver_lanes<Real>::fundamental_8pt(in, in + 8, in + 16, in + 24, out);
  }
};

}  // namespace

void fundamental_8pt_f64(const solvers::Batch<double>& batch) {
  solve_batch<fundamental_8pt, simd<double>>(batch);
}
void fundamental_8pt_f32(const solvers::Batch<float>& batch) {
  solve_batch<fundamental_8pt, simd<float>>(batch);
}
#if HWY_ONCE
void fundamental_8pt_scalar_f64(const solvers::Batch<double>& batch) {
  solve_batch<fundamental_8pt, double>(batch);
}
void fundamental_8pt_scalar_f32(const solvers::Batch<float>& batch) {
  solve_batch<fundamental_8pt, float>(batch);
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace bifocal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal {
HWY_EXPORT(fundamental_8pt_f64);
HWY_EXPORT(fundamental_8pt_f32);

namespace solvers {

BatchFunctions fundamental_8pt_functions() {
  return {
      &HWY_DYNAMIC_DISPATCH(fundamental_8pt_f64), &HWY_STATIC_DISPATCH(fundamental_8pt_scalar_f64),
      &HWY_DYNAMIC_DISPATCH(fundamental_8pt_f32), &HWY_STATIC_DISPATCH(fundamental_8pt_scalar_f32)};
}

}  // namespace solvers
}  // namespace bifocal
#endif
