// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "seeds/five_point_trials_cpu.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "lane/simd-inl.h"
#include "runtime/cpu_kernels.h"
#include "seeds/trials.hpp"

HWY_BEFORE_NAMESPACE();
namespace bifocal::HWY_NAMESPACE {
namespace {

template <class Real>
struct five_point_source {
  static constexpr int SAMPLE_SIZE = 5, WIDEST_GROUP = bench::seeds::kWidestGroup;
  static runtime::Constants constants() {
    return {{"REAL_IS_FLOAT", sizeof(typename lane::traits<Real>::element) == 4},
            {"SAMPLE_SIZE", SAMPLE_SIZE},
            {"WIDEST_GROUP", WIDEST_GROUP}};
  }
#include "lane/cpp_begin.h"
#include "seeds/five_point_trials.list"
#include "lane/cpp_end.h"
};
CPU_KERNELS(FIVE_POINT_CPU_KERNELS)

void five_point_rows(runtime::CpuTable& table) {
  CPU_VARIANT(five_point_trials, TRIAL_KERNELS, five_point_source<double>)
  CPU_VARIANT(five_point_trials, FIVE_POINT_SOLVER_KERNELS, five_point_source<simd<double>>)
  CPU_VARIANT(five_point_trials, FIVE_POINT_INLIER_KERNELS, five_point_source<simd<float>>)
  CPU_VARIANT(five_point_trials, FIVE_POINT_VOTE_KERNELS, five_point_source<float>)
}

}  // namespace
}  // namespace bifocal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal {
HWY_EXPORT(five_point_rows);
CPU_TABLE(five_point_trials_cpu) { HWY_DYNAMIC_DISPATCH(five_point_rows)(table); }
}  // namespace bifocal
#endif
