// SPDX-License-Identifier: BSD-3-Clause
// Kernels of planes.kernels on CPUs, compiled for every SIMD target, on plain numbers.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stereo/planes/planes_cpu.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "lane/scalar.hpp"
#include "runtime/cpu_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace bifocal::HWY_NAMESPACE {
namespace {

template <class Real>
struct planes_source {
  static runtime::Constants constants() { return {}; }
#include "lane/cpp_begin.h"
#include "stereo/planes/planes.list"
#include "lane/cpp_end.h"
};
CPU_KERNELS(PLANES_KERNELS)

void planes_rows(runtime::CpuTable& table) {
  CPU_VARIANT(planes, PLANES_KERNELS, planes_source<float>)
}

}  // namespace
}  // namespace bifocal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal {
HWY_EXPORT(planes_rows);
CPU_TABLE(planes_cpu) { HWY_DYNAMIC_DISPATCH(planes_rows)(table); }
}  // namespace bifocal
#endif
