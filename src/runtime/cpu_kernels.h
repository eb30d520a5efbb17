// SPDX-License-Identifier: BSD-3-Clause
// CPU functions of a catalogue of kernels, compiled from the source that GPUs compile. The file is
// a frame for every SIMD target (docs/develop/lanes.md) with the class template of the source, the
// functions and their table rows:
//
//   HWY_BEFORE_NAMESPACE();
//   namespace bifocal::HWY_NAMESPACE {
//   template <class Real> struct filter_source { ... };          // as in runtime/cuda_kernels.h
//   CPU_KERNELS(FILTER_KERNELS)
//   void filter_rows(runtime::CpuTable& table) {
//     CPU_VARIANT(filter, FILTER_KERNELS, filter_source<simd<float>>)
//   }
//   }
//   HWY_AFTER_NAMESPACE();
//   #if HWY_ONCE
//   namespace bifocal {
//   HWY_EXPORT(filter_rows);
//   CPU_TABLE(filter_cpu) { HWY_DYNAMIC_DISPATCH(filter_rows)(table); }  // the name of the file
//   }
//   #endif
//
// A group occupies a register. In a map kernel a register holds consecutive items from item i on,
// which group_load and group_store access; with scalar code it is a single item.
#pragma once

#include "runtime/kernel_table.hpp"

#define CPU_IN_(type, name)                    \
  const typename Source::kernel_##type* name = \
      *static_cast<const typename Source::kernel_##type* const*>(arguments[at_++]);
#define CPU_OUT_(type, name)             \
  typename Source::kernel_##type* name = \
      *static_cast<typename Source::kernel_##type* const*>(arguments[at_++]);
#define CPU_VALUE_(type, name)                \
  const typename Source::kernel_##type name = \
      *static_cast<const typename Source::kernel_##type*>(arguments[at_++]);
#define CPU_LOCAL_(type, name, size) typename Source::kernel_##type name[Source::size];
#define CPU_DYNAMIC_(type, name)  // a kernel with dynamic memory has no CPU version
#define CPU_STRUCT_(type, name, members) members
#define CPU_NAME_(type, name) , name
#define CPU_SIZED_NAME_(type, name, size) , name
#define CPU_FUNCTION_(name, LIST, step)                                                        \
  template <class Source>                                                                      \
  void name(const void* const* arguments, int begin_, int end_) {                              \
    int at_ = 1; /* after the count */                                                         \
    LIST(CPU_IN_, CPU_OUT_, CPU_VALUE_, CPU_LOCAL_, CPU_DYNAMIC_, CPU_IN_, CPU_STRUCT_)        \
    for (int i_ = begin_; i_ < end_; i_ += (step))                                             \
      Source::name##_body(i_ LIST(CPU_NAME_, CPU_NAME_, CPU_NAME_, CPU_SIZED_NAME_, CPU_NAME_, \
                                  CPU_NAME_, CPU_STRUCT_));                                    \
  }
#define CPU_MAP_(name, LIST, ...) CPU_FUNCTION_(name, LIST, Source::group_width)
#define CPU_GROUP_(name, LIST, ...) CPU_FUNCTION_(name, LIST, 1)
#define CPU_NO_THREAD_(name, LIST, ...)
#define CPU_KERNELS(KERNELS) KERNELS(CPU_MAP_, CPU_GROUP_, CPU_NO_THREAD_)

#define CPU_TABLE(file)                            \
  void cpu_table_##file(runtime::CpuTable& table); \
  void cpu_table_##file(runtime::CpuTable& table)
#define CPU_VARIANT(catalogue, KERNELS, ...)       \
  {                                                \
    using Source_ = __VA_ARGS__;                   \
    constexpr const char* catalogue_ = #catalogue; \
    KERNELS(CPU_ROW_, CPU_ROW_, CPU_NO_THREAD_)    \
  }
#define CPU_ROW_(name, LIST, ...) \
  table.push_back({catalogue_, #name, Source_::constants(), &name<Source_>});
