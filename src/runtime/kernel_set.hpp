// SPDX-License-Identifier: BSD-3-Clause
// The kernels of a catalogue on the host: a class of typed launches, made of src/ROOM/NAME.kernels
// by bifocal_kernels(NAME ROOM ...) (cmake/BifocalKernels.cmake).
//
//   #include "stereo/filter.kernels.hpp"                 // generated
//   static const kernels::filter::launch<float> launch(256, {{"SIDE", 3}});
//   launch.filter_px(queue, {.count = pixels},
//                    {.disparity = disparity, .min_disparity = 0, .map = map});
//
// The class template's parameter is the text's `real`. The arguments of kernel NAME are the struct
// launch<Real>::NAME_args, which the kernel's list makes: a launch that leaves a member out does
// not compile, nor does one whose number would be narrowed. A STRUCT of the list is a member that
// is a struct of its own. A set is looked up once and can be kept as long as the process lives;
// making one is cheap where its kernels have been made before.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "runtime/kernel.hpp"

namespace bifocal::runtime {

// An array of T for a kernel, in memory of the queue's device; may be null. Converts from Memory<T>
// and Buffer<T>, and those of a T that is not const.
template <class T>
class Array {
 public:
  using Number = std::remove_const_t<T>;
  Array(const Memory<T>& memory) : argument_(memory) {}
  Array(const Memory<Number>& memory) requires(std::is_const_v<T>) : argument_(memory) {}
  Array(const Buffer<Number>& buffer) : argument_(buffer) {}
  Array(std::nullptr_t) : argument_(Memory<T>()) {}
  // The argument is known to hold T.
  explicit Array(const Argument& argument) : argument_(argument) {}
  void append(ArgumentList& arguments) const { arguments.push_back(argument_); }

 private:
  Argument argument_;
};

// A number for a kernel, from what converts to a T without narrowing.
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
  // Fills in what the launch leaves open: groups of the set's size, as many as the count needs.
  void start(Queue& queue, KernelKind kind, const Kernel& kernel, Launch launch,
             std::span<const Argument> arguments) const;

 private:
  const char* catalogue_;
  int group_size_;
  Constants constants_;
};

}  // namespace bifocal::runtime

// The body of the struct that a list of arguments makes, where Real is a type. None of its members
// has a default. append() adds them in the order that the kernel takes them in.
// Its types are these and the text's own, which stand beside the list.
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
// struct type<Real> of a list that others take as one member.
#define KERNEL_STRUCT(type, LIST) \
  template <class Real>           \
  struct type {                   \
    KERNEL_MEMBERS_(LIST)         \
  };
