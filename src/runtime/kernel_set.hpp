// SPDX-License-Identifier: BSD-3-Clause
// Host interface to the kernels of a catalogue: a class with a typed launch function for each
// kernel. bifocal_kernels(NAME ROOM ...) in cmake/BifocalKernels.cmake generates it from
// src/ROOM/NAME.kernels.
//
//   #include "stereo/filter.kernels.hpp"                 // generated
//   static const kernels::filter::launch<float> launch(256, {{"SIDE", 3}});
//   launch.filter_px(queue, {.count = pixels},
//                    {.disparity = disparity, .min_disparity = 0, .map = map});
//
// The template parameter of the class is the kernels' type `real`. The arguments of kernel NAME
// form the struct launch<Real>::NAME_args. A launch with a missing or narrowed argument does not
// compile. A STRUCT in the argument list becomes a member of struct type. A set is looked up once
// and can be kept for the whole process; repeated construction is cheap once its kernels exist.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "runtime/kernel.hpp"

namespace bifocal::runtime {

// A kernel argument of type T*, in memory of the queue's device; may be null. Converts from
// Memory<T> and Buffer<T>, and for const T also from the non-const types.
template <class T>
class Array {
 public:
  using Number = std::remove_const_t<T>;
  Array(const Memory<T>& memory) : argument_(memory) {}
  Array(const Memory<Number>& memory) requires(std::is_const_v<T>) : argument_(memory) {}
  Array(const Buffer<Number>& buffer) : argument_(buffer) {}
  Array(std::nullptr_t) : argument_(Memory<T>()) {}
  // Accepts an argument that the caller guarantees to hold T.
  explicit Array(const Argument& argument) : argument_(argument) {}
  void append(ArgumentList& arguments) const { arguments.push_back(argument_); }

 private:
  Argument argument_;
};

// A kernel argument of type T. Converts from numbers that need no narrowing.
template <class T>
class Value {
 public:
  template <class Number>
  requires requires(Number number) { T{number}; }
  Value(Number number) : value_{number} {}
  operator T() const { return value_; }
  void append(ArgumentList& arguments) const { arguments.push_back(value_); }

 private:
  T value_;
};

enum class KernelKind { map, group, thread };  // see lane/kernel_words.h

class KernelSet {
 public:
  [[nodiscard]] int group_size() const { return group_size_; }

 protected:
  KernelSet(const char* catalogue, bool is_float, int group_size, Constants constants);
  [[nodiscard]] const Kernel* find(KernelKind kind, const char* entry, const char* list) const;
  // Launches a kernel. Unset members of `launch` get defaults: the set's group size, and the number
  // of groups that covers the count.
  void start(Queue& queue, KernelKind kind, const Kernel& kernel, Launch launch,
             std::span<const Argument> arguments) const;

 private:
  const char* catalogue_;
  int group_size_;
  Constants constants_;
};

}  // namespace bifocal::runtime

// Defines the members of an argument struct from a kernel's argument list; Real must be a type.
// Members have no defaults. append() adds them in the order of the kernel's parameters. Their types
// are the following and types that the source defines next to the list.
#define KERNEL_TYPES_                  \
  using kernel_int = int;              \
  using kernel_float = float;          \
  using kernel_double = double;        \
  using kernel_real = Real;            \
  using kernel_scalar = Real;          \
  using kernel_offset = std::int64_t;  \
  using kernel_bits8 = std::uint8_t;   \
  using kernel_bits16 = std::uint16_t; \
  using kernel_bits32 = std::uint32_t;
#define KERNEL_MEMBER_IN_(type, name) ::bifocal::runtime::Array<const kernel_##type> name;
#define KERNEL_MEMBER_OUT_(type, name) ::bifocal::runtime::Array<kernel_##type> name;
#define KERNEL_MEMBER_VALUE_(type, name) ::bifocal::runtime::Value<kernel_##type> name;
#define KERNEL_MEMBER_STRUCT_(type, name, members) type<Real> name;
#define KERNEL_APPEND_(type, name) name.append(arguments_);
#define KERNEL_APPEND_STRUCT_(type, name, members) name.append(arguments_);
#define KERNEL_NOTHING_(type, name)
#define KERNEL_NOTHING_SIZED_(type, name, size)
#define KERNEL_MEMBERS_(LIST)                                                                    \
  KERNEL_TYPES_                                                                                  \
  LIST(KERNEL_MEMBER_IN_, KERNEL_MEMBER_OUT_, KERNEL_MEMBER_VALUE_, KERNEL_NOTHING_SIZED_,       \
       KERNEL_NOTHING_, KERNEL_MEMBER_IN_, KERNEL_MEMBER_STRUCT_)                                \
  void append(::bifocal::runtime::ArgumentList& arguments_) const {                              \
    LIST(KERNEL_APPEND_, KERNEL_APPEND_, KERNEL_APPEND_, KERNEL_NOTHING_SIZED_, KERNEL_NOTHING_, \
         KERNEL_APPEND_, KERNEL_APPEND_STRUCT_)                                                  \
  }
// Defines struct type<Real> from a list that other lists contain as one member.
#define KERNEL_STRUCT(type, LIST) \
  template <class Real>           \
  struct type {                   \
    KERNEL_MEMBERS_(LIST)         \
  };
