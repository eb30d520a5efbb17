// SPDX-License-Identifier: BSD-3-Clause
// The kernel functions that this build holds, for CPUs and for CUDA devices: filled by the units of
// every catalogue (runtime/cpu_kernels.h, runtime/cuda_kernels.h), whose names
// cmake/BifocalKernels.cmake knows.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bifocal::runtime {

// A kernel is compiled with constants: {"SIZE", 9}, {"REAL_IS_FLOAT", 1}, ...
using Constants = std::vector<std::pair<std::string, int>>;

// A kernel function of the CPU gets instances (or groups) [begin, end), and the arguments as given
// to launch(), each a pointer to a value or to a memory address.
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

// Calls `add` with the tables that launches choose from: for kernels outside of the library.
void add_kernels(void (*add)(KernelTables& tables));

}  // namespace bifocal::runtime
