// SPDX-License-Identifier: BSD-3-Clause
// A unit of cases on CPUs, on scalars and on the registers of every SIMD target. This is the body
// of a source (CMakeLists.txt) that defines UNIT (its name), UNIT_LIST, UNIT_CASES, UNIT_PROBLEM,
// and PROBLEM if the list needs it.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lane/case_unit.hpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "lane/cases.hpp"
#include "lane/simd-inl.h"
#include "runtime/cpu_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace bifocal {
namespace HWY_NAMESPACE {
namespace {

using namespace robust;  // the structs of a pair

template <class Real>
struct case_text {
  using uniform = case_text<typename lane::traits<Real>::element>;
#include "lane/cpp_begin.h"

#include UNIT_LIST

#include "lane/cpp_end.h"
  static runtime::Constants constants() {
    return {{"REAL_IS_FLOAT", sizeof(scalar) == 4}, {"SIMD", !std::is_same_v<real, scalar>}};
  }
  static void describe(test::CaseUnit& unit) {
#define LANE_CASE(name, inputs, outputs, kind, share_double, share_float) \
  unit.lanes.push_back({#name, inputs, outputs, 0, test::Inputs::kind, share_double, share_float});
#define SOLUTIONS_CASE(name, inputs, rows, most, kind, share_double, share_float) \
  unit.lanes.push_back(                                                           \
      {#name, inputs, (rows) * (most) + 1, rows, test::Inputs::kind, share_double, share_float});
#define GROUP_CASE(name, outputs) unit.groups.push_back({#name, outputs});
#include UNIT_CASES
  }
};

#define LANE_CASE(name, ...) CPU_MAP_(run_##name, LANE_CASE_ARGUMENTS)
#define SOLUTIONS_CASE(name, ...) CPU_MAP_(run_##name, LANE_CASE_ARGUMENTS)
#define GROUP_CASE(name, ...) CPU_GROUP_(run_##name, GROUP_CASE_ARGUMENTS)
#include UNIT_CASES

template <class Source_>
void add_rows(runtime::CpuTable& table) {
  [[maybe_unused]] constexpr const char* catalogue_ = "";
#define LANE_CASE(name, ...) CPU_ROW_(run_##name, )
#define SOLUTIONS_CASE(name, ...) CPU_ROW_(run_##name, )
#define GROUP_CASE(name, ...) CPU_ROW_(run_##name, )
#include UNIT_CASES
}

void add_simd(runtime::CpuTable& table) {
  add_rows<case_text<simd<float>>>(table);
  add_rows<case_text<simd<double>>>(table);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace bifocal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#define UNIT_WORD_(unit, word) unit##word
#define UNIT_WORD(unit, word) UNIT_WORD_(unit, word)
#if UNIT_HAS_CUDA
#define ADD_CUDA UNIT_WORD(bifocal_cuda_table_, UNIT_WORD(UNIT, _cases))
void ADD_CUDA(bifocal::runtime::CudaTable& table);
#else
#define ADD_CUDA nullptr
#endif

namespace bifocal {
HWY_EXPORT(add_simd);
namespace test {
namespace {

using Scalars = HWY_NAMESPACE::case_text<double>;

void add_cpu(runtime::CpuTable& table) {
  HWY_DYNAMIC_DISPATCH(add_simd)(table);
  HWY_NAMESPACE::add_rows<Scalars>(table);
}

}  // namespace

#define UNIT_NAME_(unit) #unit
#define UNIT_NAME(unit) UNIT_NAME_(unit)
CaseUnit UNIT_WORD(UNIT, _unit)();
CaseUnit UNIT_WORD(UNIT, _unit)() {
  CaseUnit unit{UNIT_NAME(UNIT), UNIT_SOURCE, UNIT_PROBLEM, {}, {}, add_cpu, ADD_CUDA};
  Scalars::describe(unit);
  return unit;
}

}  // namespace test
}  // namespace bifocal
#endif
