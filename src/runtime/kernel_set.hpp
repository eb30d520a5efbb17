// SPDX-License-Identifier: BSD-3-Clause
// The kernels of a catalogue on the host: a class of typed launches, made of src/ROOM/NAME.kernels
// by bifocal_kernels(NAME ROOM ...) (cmake/BifocalKernels.cmake).
//
//   #include "stereo/filter.kernels.hpp"                 // generated
//   static const kernels::filter::launch<float> launch(256, {{"SIDE", 3}});
//   launch.filter_borders(queue, {.count = pairs}, disparity, width, height, range, labels);
//
// The class template's parameter is the text's `real`. A set is looked up once and can be kept as
// long as the process lives; making one is cheap where its kernels have been made before.
#pragma once

#include <initializer_list>
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
  [[nodiscard]] const Argument& argument() const { return argument_; }

 private:
  Argument argument_;
};
// A T that is not to be deduced, so that arrays convert.
template <class T>
[[nodiscard]] inline const Argument& kernel_argument(const Array<T>& array) {
  return array.argument();
}
template <class T>
[[nodiscard]] inline Argument kernel_argument(const T& value) {
  return value;
}

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
