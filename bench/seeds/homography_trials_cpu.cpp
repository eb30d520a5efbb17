// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "seeds/homography_trials_cpu.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "lane/simd-inl.h"
#include "runtime/cpu_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace bifocal::HWY_NAMESPACE {
namespace {

template <class Real>
struct homography_source {
  static constexpr int SAMPLE_SIZE = 4;
  static runtime::Constants constants() { return {{"REAL_IS_FLOAT", 1}}; }
#include "lane/cpp_begin.h"
#include "seeds/homography_trials.list"
#include "lane/cpp_end.h"
};
CPU_KERNELS(HOMOGRAPHY_TRIALS_KERNELS)

void homography_rows(runtime::CpuTable& table) {
  CPU_VARIANT(homography_trials, TRIAL_KERNELS, homography_source<float>)
  CPU_VARIANT(homography_trials, HOMOGRAPHY_KERNELS, homography_source<simd<float>>)
}

}  // namespace
}  // namespace bifocal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal {
HWY_EXPORT(homography_rows);
CPU_TABLE(homography_trials_cpu) { HWY_DYNAMIC_DISPATCH(homography_rows)(table); }
}  // namespace bifocal
#endif
