// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solvers/homography_svd.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "solvers/batch-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bifocal {
namespace HWY_NAMESPACE {
namespace {

template <class Real>
struct homography_svd {
  static constexpr int sample_rows = 16, solution_rows = 9;
  static Real solve(const Real* in, Real* out) {
    return solver_lanes<Real>::homography_svd(in, in + 4, in + 8, in + 12, out);
  }
};

}  // namespace

BIFOCAL_SOLVER_ON_TARGET(homography_svd)

}  // namespace HWY_NAMESPACE
}  // namespace bifocal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal {
BIFOCAL_SOLVER_FUNCTIONS(homography_svd)
}  // namespace bifocal
#endif
