// SPDX-License-Identifier: BSD-3-Clause
// Tables of the kernel functions in this build, for CPUs and CUDA devices. The compiled units of
// every catalogue (runtime/cpu_kernels.h, runtime/cuda_kernels.h) fill them;
// cmake/BifocalKernels.cmake lists their names.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bifocal::runtime {

// Constants that a kernel is compiled with: {"SIZE", 9}, {"REAL_IS_FLOAT", 1}, ...
using Constants = std::vector<std::pair<std::string, int>>;

// A CPU kernel function. It processes instances (or groups) [begin, end); the arguments are as in
// launch(), each a pointer to a value or to a memory address.
using CpuFunction = void (*)(const void* const* arguments, int begin, int end);

template <class Function>
struct KernelFunction {
  const char* catalogue;
  const char* entry;
  Constants constants;
  Function function;
};
using CpuTable = std::vector<KernelFunction<CpuFunction>>;
using CudaTable = std::vector<KernelFunction<const void*>>;
struct KernelTables {
  CpuTable cpu;
  CudaTable cuda;
};

// Adds kernels from outside the library: calls `add` with the tables that launches select from.
void add_kernels(void (*add)(KernelTables& tables));

}  // namespace bifocal::runtime
