// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/kernels.hpp"

#include "runtime/built_parts.h"

#if BIFOCAL_HAS_OPENCL
#include "runtime/opencl/source.hpp"
namespace bifocal::runtime {
OpenClSource opencl_source_test_kernels();
}
#endif

namespace bifocal::test {
namespace {

template <class T>
T value(const void* argument) {
  return *static_cast<const T*>(argument);
}

void combine(const void* const* arguments, int begin, int end) {
  const float* x = value<const float*>(arguments[0]);
  float* y = value<float*>(arguments[1]);
  const float a = value<float>(arguments[2]);
  const float k = static_cast<float>(value<double>(arguments[3]));
  const float shift = static_cast<float>(value<std::int64_t>(arguments[4]));
  for (int i = begin; i < end; ++i) y[i] = (a != 0 ? a * y[i] : 0) + (x ? x[i] : 0) + k + shift + 1;
}

// Instances are numbers, and a work package (cpu_block) is a group.
void sum_groups(const void* const* arguments, int begin, int end) {
  const float* x = value<const float*>(arguments[0]);
  float sum = 0;
  for (int i = begin; i < end; ++i) sum += x[i];
  value<float*>(arguments[1])[begin / kGroup] = sum;
}

void add_source() {
#if BIFOCAL_HAS_OPENCL
  runtime::add_opencl_source(runtime::opencl_source_test_kernels());
#endif
}

}  // namespace

#if !BIFOCAL_HAS_CUDA
const void* cuda_combine() { return nullptr; }
const void* cuda_sum_groups() { return nullptr; }
#endif

runtime::Kernel combine_kernel() {
  add_source();
  return {.entry = "combine",
          .source = "test_kernels",
          .constants = {{"REAL_IS_FLOAT", 1}, {"GROUP_SIZE", kGroup}, {"SHIFT", 1}},
          .cuda = cuda_combine(),
          .cpu = combine,
          .cpu_block = 7};
}

runtime::Kernel sum_groups_kernel() {
  add_source();
  return {.entry = "sum_groups",
          .source = "test_kernels",
          .constants = {{"REAL_IS_FLOAT", 1}, {"GROUP_SIZE", kGroup}, {"SHIFT", 1}},
          .cuda = cuda_sum_groups(),
          .cpu = sum_groups,
          .cpu_block = kGroup};
}

}  // namespace bifocal::test
