// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adjust/tracks/tracks_cpu.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "lane/gather-inl.h"
#include "lane/simd-inl.h"
#include "runtime/cpu_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace bifocal::HWY_NAMESPACE {
namespace {

template <class Real>
struct tracks_text {
  static runtime::Constants constants() { return {{"REAL_IS_FLOAT", 0}}; }
#include "lane/cpp_begin.h"
#include "adjust/tracks/tracks.list"
#include "lane/cpp_end.h"
};
CPU_KERNELS(TRACKS_KERNELS)

void tracks_rows(runtime::CpuTable& table) {
  CPU_VARIANT(tracks, TRACKS_LANE_KERNELS, tracks_text<simd<double>>)
  CPU_VARIANT(tracks, TRACKS_PLAIN_KERNELS, tracks_text<double>)
}

}  // namespace
}  // namespace bifocal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal {
HWY_EXPORT(tracks_rows);
CPU_TABLE(tracks_cpu) { HWY_DYNAMIC_DISPATCH(tracks_rows)(table); }
}  // namespace bifocal
#endif
