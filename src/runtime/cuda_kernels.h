// SPDX-License-Identifier: BSD-3-Clause
// CUDA functions of a catalogue of kernels. A .cu file has an unnamed namespace with the class
// template of the source, and a table:
//
//   namespace {
//   template <class Real>
//   struct filter_source {
//     static constexpr int GROUP_SIZE = 256;
//     static bifocal::runtime::Constants constants() { return {{"GROUP_SIZE", GROUP_SIZE}}; }
//   #include "lane/cuda_begin.h"
//   #include "stereo/filter.list"
//   #include "lane/cpp_end.h"
//   };
//   CUDA_KERNELS(FILTER_KERNELS)  // the __global__ functions, templates over the class
//   }
//   CUDA_TABLE(filter) {          // the name of the file
//     CUDA_VARIANT(filter, FILTER_KERNELS, filter_source<float>)  // one line per set of constants
//   }
//
// A launch selects the variant whose `constants` all have the requested values.
#pragma once

#include "lane/scalar.hpp"
#include "runtime/kernel_table.hpp"

#define CUDA_IN_(type, name) , const typename Source::kernel_##type* name
#define CUDA_OUT_(type, name) , typename Source::kernel_##type* name
#define CUDA_VALUE_(type, name) , typename Source::kernel_##type name
#define CUDA_READ_(type, name) , const typename Source::kernel_##type* __restrict__ name
#define CUDA_STRUCT_(type, name, members) members
#define CUDA_NO_PARAMETER_(type, name)
#define CUDA_NO_SIZED_(type, name, size)
#define CUDA_NAME_(type, name) , name
#define CUDA_SIZED_NAME_(type, name, size) , name
#define CUDA_LOCAL_(type, name, size) __shared__ typename Source::kernel_##type name[Source::size];
#define CUDA_DYNAMIC_(type, name)            \
  extern __shared__ double2 shared_memory[]; \
  auto* name = reinterpret_cast<typename Source::kernel_##type*>(shared_memory);
#define CUDA_PARAMETERS_(LIST)                                                           \
  LIST(CUDA_IN_, CUDA_OUT_, CUDA_VALUE_, CUDA_NO_SIZED_, CUDA_NO_PARAMETER_, CUDA_READ_, \
       CUDA_STRUCT_)
#define CUDA_NAMES_(LIST) \
  LIST(CUDA_NAME_, CUDA_NAME_, CUDA_NAME_, CUDA_SIZED_NAME_, CUDA_NAME_, CUDA_NAME_, CUDA_STRUCT_)
#define CUDA_LOCAL_MEMORY_(LIST)                                                               \
  LIST(CUDA_NO_PARAMETER_, CUDA_NO_PARAMETER_, CUDA_NO_PARAMETER_, CUDA_LOCAL_, CUDA_DYNAMIC_, \
       CUDA_NO_PARAMETER_, CUDA_STRUCT_)

#define CUDA_MAP_(name, LIST, ...)                                             \
  template <class Source>                                                      \
  __global__ void __VA_ARGS__ name(int count_ CUDA_PARAMETERS_(LIST)) {        \
    const int item_ = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); \
    CUDA_LOCAL_MEMORY_(LIST)                                                   \
    if (item_ < count_) Source::name##_body(item_ CUDA_NAMES_(LIST));          \
  }
#define CUDA_GROUP_(name, LIST, ...)                                     \
  template <class Source>                                                \
  __global__ void __VA_ARGS__ name(int CUDA_PARAMETERS_(LIST)) {         \
    CUDA_LOCAL_MEMORY_(LIST)                                             \
    Source::name##_body(static_cast<int>(blockIdx.x) CUDA_NAMES_(LIST)); \
  }
#define CUDA_THREAD_(name, LIST, ...)                                                 \
  template <class Source>                                                             \
  __global__ void __VA_ARGS__ name(int count_ CUDA_PARAMETERS_(LIST)) {               \
    CUDA_LOCAL_MEMORY_(LIST)                                                          \
    Source::name##_body(blockIdx.x* blockDim.x + threadIdx.x, gridDim.x * blockDim.x, \
                        count_ CUDA_NAMES_(LIST));                                    \
  }
#define CUDA_KERNELS(KERNELS) KERNELS(CUDA_MAP_, CUDA_GROUP_, CUDA_THREAD_)

// Defines a file's rows in the table of all CUDA functions. Must stand outside all namespaces.
#define CUDA_TABLE(file)                                              \
  void bifocal_cuda_table_##file(bifocal::runtime::CudaTable& table); \
  void bifocal_cuda_table_##file(bifocal::runtime::CudaTable& table)
#define CUDA_VARIANT(catalogue, KERNELS, ...)      \
  {                                                \
    using Source_ = __VA_ARGS__;                   \
    constexpr const char* catalogue_ = #catalogue; \
    KERNELS(CUDA_ROW_, CUDA_ROW_, CUDA_ROW_)       \
  }
#define CUDA_ROW_(name, LIST, ...) \
  table.push_back(                 \
      {catalogue_, #name, Source_::constants(), reinterpret_cast<const void*>(&name<Source_>)});
