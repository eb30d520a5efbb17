// SPDX-License-Identifier: BSD-3-Clause
// A kernel is declared once: the name of its entry point and of the text it is in, its constants,
// and for the compiled backends the function itself. The queue launches it on whatever its device
// is.
#pragma once

#include <bifocal/device.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>

#include "runtime/kernel_table.hpp"

namespace bifocal::runtime {

struct Kernel {
  // OpenCL: `entry` is a kernel function in the embedded text `text` (opencl_text(), see
  // cmake/BifocalEmbed.cmake), built with -D NAME=VALUE for every constant.
  std::string entry, text;
  Constants constants;           // REAL_IS_FLOAT, GROUP_SIZE, SIZE, ...
  std::string opencl_line = {};  // under the text: defines the function (lane/opencl_kernels.h)
  const void* cuda = nullptr;    // address of the __global__ function
  CpuFunction cpu = nullptr;
  int cpu_block = 64;  // instances of one CPU work package
};

// A launch: `groups` groups of `group_size` members (CUDA blocks, OpenCL work-groups); on the CPU
// instances [0, count) in work packages on all threads.
struct Launch {
  int count = 0;  // instances
  int groups = 0, group_size = 0;
  std::size_t local_bytes = 0;  // CUDA: dynamic shared memory. OpenCL: a `local` buffer of this
                                // size is the last argument.
};

// One argument: an address in memory of the queue's device, or a plain value.
class Argument {
 public:
  Argument() : Argument(Memory<char>()) {}
  template <class T>
  Argument(const Memory<T>& m)
      : memory_(m.owner()),
        pointer_(const_cast<void*>(static_cast<const void*>(m.pointer()))),
        is_memory_(true),
        on_host_(m.pointer() && !m.is_on_device()) {}
  template <class T>
  Argument(const Buffer<T>& b) : memory_(b.memory()), pointer_(b.data()), is_memory_(true) {}
  Argument(int v) : size_(sizeof v) { std::memcpy(value_, &v, sizeof v); }
  Argument(std::uint32_t v) : size_(sizeof v) { std::memcpy(value_, &v, sizeof v); }
  Argument(std::int64_t v) : size_(sizeof v) { std::memcpy(value_, &v, sizeof v); }
  Argument(float v) : size_(sizeof v) { std::memcpy(value_, &v, sizeof v); }
  Argument(double v) : size_(sizeof v) { std::memcpy(value_, &v, sizeof v); }

  [[nodiscard]] bool is_memory() const { return is_memory_; }
  // An address in the host's memory, which only kernels of the CPU can use.
  [[nodiscard]] bool on_host() const { return on_host_; }
  [[nodiscard]] const std::shared_ptr<BackendMemory>& memory() const { return memory_; }
  // The argument's value lies here: the address, or the plain value (CUDA, CPU).
  [[nodiscard]] const void* value() const {
    return is_memory_ ? static_cast<const void*>(&pointer_) : value_;
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::shared_ptr<BackendMemory> memory_;
  void* pointer_ = nullptr;
  alignas(8) unsigned char value_[8] = {};
  std::size_t size_ = sizeof(void*);
  bool is_memory_ = false, on_host_ = false;
};

inline constexpr std::size_t kMostArguments = 40;  // of a kernel

// The arguments of one launch. Allocates nothing.
class ArgumentList {
 public:
  void push_back(const Argument& argument) { arguments_.at(size_++) = argument; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const Argument& operator[](std::size_t i) const { return arguments_[i]; }
  operator std::span<const Argument>() const { return {arguments_.data(), size_}; }

 private:
  std::array<Argument, kMostArguments> arguments_;
  std::size_t size_ = 0;
};

// Asynchronous and ordered. Throws Error(device) when the device lacks the kernel (a CUDA variant
// that this build does not hold), its text does not build (with the driver's log) or the launch
// fails.
void launch(Queue& queue, const Kernel& kernel, const Launch& launch,
            std::span<const Argument> arguments);

}  // namespace bifocal::runtime
