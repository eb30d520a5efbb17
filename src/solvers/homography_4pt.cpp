// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solvers/homography_4pt.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "solvers/batch-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bifocal {
namespace HWY_NAMESPACE {
namespace {

template <class Real>
struct homography_4pt {
  static constexpr int sample_rows = 16, solution_rows = 9;
  static Real solve(const Real* in, Real* out) {
    return solver_lanes<Real>::homography_4pt(in, in + 4, in + 8, in + 12, out);
  }
};

}  // namespace

void homography_4pt_f64(const solvers::Batch<double>& batch) {
  solve_batch<homography_4pt, simd<double>>(batch);
}
void homography_4pt_f32(const solvers::Batch<float>& batch) {
  solve_batch<homography_4pt, simd<float>>(batch);
}
#if HWY_ONCE
void homography_4pt_scalar_f64(const solvers::Batch<double>& batch) {
  solve_batch<homography_4pt, double>(batch);
}
void homography_4pt_scalar_f32(const solvers::Batch<float>& batch) {
  solve_batch<homography_4pt, float>(batch);
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace bifocal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal {
HWY_EXPORT(homography_4pt_f64);
HWY_EXPORT(homography_4pt_f32);

namespace solvers {

BatchFunctions homography_4pt_functions() {
  return {
      &HWY_DYNAMIC_DISPATCH(homography_4pt_f64), &HWY_STATIC_DISPATCH(homography_4pt_scalar_f64),
      &HWY_DYNAMIC_DISPATCH(homography_4pt_f32), &HWY_STATIC_DISPATCH(homography_4pt_scalar_f32)};
}

}  // namespace solvers
}  // namespace bifocal
#endif
