// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adjust/adjust_cpu.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "lane/gather-inl.h"
#include "lane/simd-inl.h"
#include "runtime/cpu_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace bifocal::HWY_NAMESPACE {
namespace {

template <class Real, int Free, class Block>
struct adjust_text {
  static constexpr int FREE = Free, FLOAT_BLOCKS = sizeof(Block) == 4;
  using block = Block;
  static runtime::Constants constants() {
    return {{"FREE", FREE}, {"FLOAT_BLOCKS", FLOAT_BLOCKS}, {"REAL_IS_FLOAT", 0}};
  }
#include "lane/cpp_begin.h"
#include "adjust/adjust.list"
#include "lane/cpp_end.h"
};
CPU_KERNELS(ADJUST_KERNELS)

template <int Free>
void adjust_rows_of(runtime::CpuTable& table) {
  CPU_VARIANT(adjust, ADJUST_LANE_KERNELS, adjust_text<simd<double>, Free, double>)
  CPU_VARIANT(adjust, ADJUST_LANE_KERNELS, adjust_text<simd<double>, Free, float>)
  CPU_VARIANT(adjust, ADJUST_PLAIN_KERNELS, adjust_text<double, Free, double>)
  CPU_VARIANT(adjust, ADJUST_PLAIN_KERNELS, adjust_text<double, Free, float>)
}

void adjust_rows(runtime::CpuTable& table) {
  adjust_rows_of<0>(table);
  adjust_rows_of<2>(table);
  adjust_rows_of<3>(table);
  adjust_rows_of<4>(table);
  adjust_rows_of<12>(table);
}

}  // namespace
}  // namespace bifocal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal {
HWY_EXPORT(adjust_rows);
CPU_TABLE(adjust_cpu) { HWY_DYNAMIC_DISPATCH(adjust_rows)(table); }
}  // namespace bifocal
#endif
