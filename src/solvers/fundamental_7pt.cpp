// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solvers/fundamental_7pt.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "solvers/batch-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bifocal {
namespace HWY_NAMESPACE {
namespace {

template <class Real>
struct fundamental_7pt {
  static constexpr int sample_rows = 28, solution_rows = 27;
  static Real solve(const Real* in, Real* out) {
    return solver_lanes<Real>::fundamental_7pt(in, in + 7, in + 14, in + 21, out);
  }
};

}  // namespace

void fundamental_7pt_f64(const solvers::Batch<double>& batch) {
  solve_batch<fundamental_7pt, simd<double>>(batch);
}
void fundamental_7pt_f32(const solvers::Batch<float>& batch) {
  solve_batch<fundamental_7pt, simd<float>>(batch);
}
#if HWY_ONCE
void fundamental_7pt_scalar_f64(const solvers::Batch<double>& batch) {
  solve_batch<fundamental_7pt, double>(batch);
}
void fundamental_7pt_scalar_f32(const solvers::Batch<float>& batch) {
  solve_batch<fundamental_7pt, float>(batch);
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace bifocal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal {
HWY_EXPORT(fundamental_7pt_f64);
HWY_EXPORT(fundamental_7pt_f32);

namespace solvers {

BatchFunctions fundamental_7pt_functions() {
  return {
      &HWY_DYNAMIC_DISPATCH(fundamental_7pt_f64), &HWY_STATIC_DISPATCH(fundamental_7pt_scalar_f64),
      &HWY_DYNAMIC_DISPATCH(fundamental_7pt_f32), &HWY_STATIC_DISPATCH(fundamental_7pt_scalar_f32)};
}

}  // namespace solvers
}  // namespace bifocal
#endif
