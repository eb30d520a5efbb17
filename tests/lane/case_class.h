// SPDX-License-Identifier: BSD-3-Clause
// The class template that holds every lane function and its case, and the loop that runs one case
// over many instances. Re-included for every SIMD target.
#if defined(BIFOCAL_TEST_CASE_CLASS_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BIFOCAL_TEST_CASE_CLASS_H_
#undef BIFOCAL_TEST_CASE_CLASS_H_
#else
#define BIFOCAL_TEST_CASE_CLASS_H_
#endif

#include <cstdio>
#include <string>

#include "lane/scalar.hpp"

#ifdef HWY_NAMESPACE
HWY_BEFORE_NAMESPACE();
namespace bifocal::HWY_NAMESPACE {
#else
namespace bifocal::test {
#endif

template <class Real>
struct case_class {
  using uniform = case_class<typename bifocal::lane::traits<Real>::element>;
#include "lane/cpp_begin.h"
#include "lane/case_lists.h"
#include "lane/cpp_end.h"
};

// in [inputs][n], out [outputs][n], elements of the lane type; n a multiple of the register's
// width.
template <class C>
void run_lane_case(const std::string& name, int inputs, int outputs, const typename C::scalar* in,
                   typename C::scalar* out, int n) {
  void (*function)(const typename C::real*, typename C::real*) = nullptr;
#define LANE_CASE(case_name, ...) \
  if (name == #case_name) function = C::case_##case_name;
#include "lane/cases.def"
#undef LANE_CASE
  typename C::real a[96], b[256];
  for (int i = 0; i < n; i += C::group_width) {
    for (int k = 0; k < inputs; ++k) a[k] = C::group_load(in, k * n + i);
    function(a, b);
    for (int k = 0; k < outputs; ++k) C::lane_ops::store(b[k], out + k * n + i);
  }
}

// points [columns][n]; one group works on all of them.
template <class C>
void run_group_case(const std::string& name, const typename C::scalar* points, int n,
                    const typename C::scalar* model, typename C::scalar* out) {
#define GROUP_CASE(case_name, ...) \
  if (name == #case_name) C::group_case_##case_name(points, n, model, out);
#include "lane/group_cases.def"
#undef GROUP_CASE
}

#ifdef HWY_NAMESPACE
}  // namespace bifocal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#else
}  // namespace bifocal::test
#endif
#endif
