// SPDX-License-Identifier: BSD-3-Clause
// The CUDA functions that this build holds: filled by every .cu of the library
// (runtime/cuda_kernels.h), whose names cmake/BifocalKernels.cmake knows.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bifocal::runtime {

// What a kernel is compiled with: {"SIZE", 9}, {"REAL_IS_FLOAT", 1}, ...
using Constants = std::vector<std::pair<std::string, int>>;

struct CudaFunction {
  const char* catalogue;
  const char* entry;
  Constants constants;
  const void* function;
};
using CudaTable = std::vector<CudaFunction>;

}  // namespace bifocal::runtime
