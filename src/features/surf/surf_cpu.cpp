// SPDX-License-Identifier: BSD-3-Clause
// Kernels of SURF and of the order of its points on CPUs, compiled for every SIMD target, on plain
// numbers.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/surf/surf_cpu.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "features/records.hpp"
#include "lane/scalar.hpp"
#include "runtime/cpu_kernels.h"

#define SURF_WHOLE double

HWY_BEFORE_NAMESPACE();
namespace bifocal::HWY_NAMESPACE {
namespace {

using namespace features;  // the structs of arguments

template <class Real>
struct surf_source {
  static constexpr int GROUP_SIZE = 1;
  static runtime::Constants constants() { return {}; }
#include "lane/cpp_begin.h"
#include "features/surf/surf.list"
#include "lane/cpp_end.h"
};
template <class Real>
struct surf_points_source {
  static constexpr int GROUP_SIZE = 1;
  static runtime::Constants constants() { return {}; }
#include "lane/cpp_begin.h"
  group_fn real exp(real v) { return std::exp(v); }
  group_fn real cos(real v) { return std::cos(v); }
  group_fn real sin(real v) { return std::sin(v); }
#include "features/surf/surf_points.list"
#include "lane/cpp_end.h"
};
template <class Real>
struct order_source {
  static constexpr int GROUP_SIZE = 1;
  static runtime::Constants constants() { return {}; }
#include "lane/cpp_begin.h"
#define lane_keep_loop
#include "features/order.list"
#include "lane/cpp_end.h"
};
CPU_KERNELS(SURF_KERNELS)
CPU_KERNELS(SURF_POINTS_KERNELS)
CPU_KERNELS(ORDER_KERNELS)

void surf_rows(runtime::CpuTable& table) {
  CPU_VARIANT(surf, SURF_KERNELS, surf_source<float>)
  CPU_VARIANT(surf_points, SURF_POINTS_KERNELS, surf_points_source<float>)
  CPU_VARIANT(order, ORDER_KERNELS, order_source<float>)
}

}  // namespace
}  // namespace bifocal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal {
HWY_EXPORT(surf_rows);
CPU_TABLE(surf_cpu) { HWY_DYNAMIC_DISPATCH(surf_rows)(table); }
}  // namespace bifocal
#endif
