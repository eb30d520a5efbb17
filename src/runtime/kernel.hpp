// SPDX-License-Identifier: BSD-3-Clause
// Description of a kernel: the names of its entry point and its source, its constants, and the
// function itself for compiled backends. A queue launches it on any device.
#pragma once

#include <bifocal/device.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/kernel_table.hpp"

namespace bifocal::runtime {

struct Kernel {
  // OpenCL: `entry` is a kernel function in the embedded source `source` (opencl_source(), see
  // cmake/BifocalEmbed.cmake), which is built with -D NAME=VALUE for every constant.
  std::string entry, source;
  Constants constants;           // REAL_IS_FLOAT, GROUP_SIZE, SIZE, ...
  std::string opencl_line = {};  // defines the function after the source (lane/opencl_kernels.h)
  const void* cuda = nullptr;    // address of the __global__ function
  CpuFunction cpu = nullptr;
  int cpu_block = 64;  // instances per CPU work package
};

// Size of a launch. CUDA blocks or OpenCL work-groups: `groups` groups with `group_size` members.
// CPU: instances [0, count) in work packages on all threads.
struct Launch {
  int count = 0;  // instances
  int groups = 0, group_size = 0;
  // CUDA: dynamic shared memory. OpenCL: size of a `local` buffer, which is the last argument.
  std::size_t local_bytes = 0;
};

// An argument: an address in memory of the queue's device, or a plain value.
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
  // Returns whether the argument is an address in host memory, which only CPU kernels can use.
  [[nodiscard]] bool on_host() const { return on_host_; }
  [[nodiscard]] const std::shared_ptr<BackendMemory>& memory() const { return memory_; }
  // Returns a pointer to the argument: to the address, or to the plain value (CUDA, CPU).
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

inline constexpr std::size_t kMostArguments = 40;  // per kernel

// The arguments of one launch. Allocates no memory.
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

// Launches a kernel asynchronously, in the order of the queue. Throws Error(device) if this build
// lacks the CUDA variant, if the OpenCL source does not compile (with the driver's log), or if
// the launch fails.
void launch(Queue& queue, const Kernel& kernel, const Launch& launch,
            std::span<const Argument> arguments);

// The resources of one launch. Numbers that the device does not report are 0; a CPU reports none.
struct KernelResources {
  std::string entry;               // name of the kernel
  int groups = 0, group_size = 0;  // of the launch
  int registers = 0;               // per thread (CUDA)
  std::int64_t private_bytes = 0;  // per thread: arrays and registers that are kept in memory
  std::int64_t local_bytes = 0;    // shared memory per group
  int resident_groups = 0;         // groups that a multiprocessor holds at once (CUDA)
  // Theoretical occupancy: resident threads of a multiprocessor by the most that it can hold, if
  // the launch fills the device. launched_occupancy: threads of this launch by the most that the
  // whole device can hold, at most `occupancy`.
  double occupancy = 0, launched_occupancy = 0;
};

// Runs `work` and returns the resources of all kernels that it launches in this thread, in order.
[[nodiscard]] std::vector<KernelResources> resources_of(const std::function<void()>& work);

}  // namespace bifocal::runtime
