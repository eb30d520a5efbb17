// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solvers/essential_5pt_action.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "solvers/batch-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bifocal {
namespace HWY_NAMESPACE {
namespace {

template <class Real>
struct essential_5pt_action {
  static constexpr int sample_rows = 20, solution_rows = 90;
  static Real solve(const Real* in, Real* out) {
    Real A[100], K[163];
    return solver_lanes<Real>::essential_5pt_action(in, in + 5, in + 10, in + 15, A, K, out);
  }
};

}  // namespace

BIFOCAL_SOLVER_ON_TARGET(essential_5pt_action)

}  // namespace HWY_NAMESPACE
}  // namespace bifocal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal {
BIFOCAL_SOLVER_FUNCTIONS(essential_5pt_action)
}  // namespace bifocal
#endif
