// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solvers/p3p.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "solvers/batch-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bifocal {
namespace HWY_NAMESPACE {
namespace {

template <class Real>
struct p3p {
  static constexpr int sample_rows = 18, solution_rows = 48;
  static Real solve(const Real* in, Real* out) {
    Real R[36], t[12];
    const Real count = solver_lanes<Real>::p3p(in, in + 9, R, t);
    for (int s = 0; s < 4; ++s) {
      for (int k = 0; k < 9; ++k) out[12 * s + k] = R[9 * s + k];
      for (int k = 0; k < 3; ++k) out[12 * s + 9 + k] = t[3 * s + k];
    }
    return count;
  }
};

}  // namespace

BIFOCAL_SOLVER_ON_TARGET(p3p)

}  // namespace HWY_NAMESPACE
}  // namespace bifocal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal {
BIFOCAL_SOLVER_FUNCTIONS(p3p)
}  // namespace bifocal
#endif
