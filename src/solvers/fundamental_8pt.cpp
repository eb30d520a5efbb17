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

BIFOCAL_SOLVER_ON_TARGET(fundamental_8pt)

}  // namespace HWY_NAMESPACE
}  // namespace bifocal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal {
BIFOCAL_SOLVER_FUNCTIONS(fundamental_8pt)
}  // namespace bifocal
#endif
