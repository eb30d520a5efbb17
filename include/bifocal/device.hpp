// SPDX-License-Identifier: BSD-3-Clause
// Devices, queues and device memory, which determine where functions compute.
//
//   Device gpu("cuda:0");                        // or "cpu", "opencl:1", "auto"
//   Queue queue(gpu);
//   Buffer<float> x(gpu, n);
//   x.upload(queue, host);                       // ordered, asynchronous
//   svd(queue, {x, 9, 9, count}, ...);           // see linalg.hpp
//   queue.wait();
//
// OpenCL programs are compiled on first use and cached in $XDG_CACHE_HOME/bifocal, by default
// ~/.cache/bifocal. The environment variable BIFOCAL_CACHE=off disables the cache.
#pragma once

#include <bifocal/error.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace bifocal {

enum class DeviceKind { cpu, cuda, opencl };

// Properties that a device reports; zero or empty if it does not report one.
struct DeviceInfo {
  std::string id;  // as given to --device: "cpu", "cuda:0", "opencl:1"
  DeviceKind kind = DeviceKind::cpu;
  std::string name;         // given by the manufacturer
  std::string driver;       // version of the driver; for OpenCL with the platform
  std::string simd;         // CPU: instruction set in use: "AVX3" (AVX-512), "AVX2", "SSE4", ...
  int cores = 0;            // CPU: hardware threads this process may use; else compute units
  std::int64_t memory = 0;  // bytes
  std::int64_t largest_buffer = 0;  // bytes
  std::int64_t local_memory = 0;    // bytes of memory shared within a group
  int max_group = 0;                // largest number of members in a group
  bool has_double = true;
  bool is_gpu = false;
  // How threads of a kernel can cooperate, as queried from the device.
  int lockstep = 1;  // threads that run in lockstep and can read each other's registers (a warp)
  int subgroup = 0;  // OpenCL: members of the largest sub-group; 0: none, or not reported
  bool inline_ptx = false;    // the OpenCL compiler accepts inline PTX
  bool tensor_cores = false;  // matrix multiplication instructions
  // Whether a group of threads shares a larger problem instance such as a pair or a matrix;
  // otherwise one thread works on each. True for GPUs: it follows from the kind of device and is
  // not measured.
  bool group_code = false;
};

// Lists the devices of this machine that this build can use. The CPU is always first.
[[nodiscard]] std::vector<DeviceInfo> list_devices();

// A kind of device that is unavailable, completely or from one of its drivers, with the reason and
// the remedy.
struct MissingDevices {
  DeviceKind kind;
  std::string reason, remedy;
};
// Lists the unavailable kinds of devices.
[[nodiscard]] std::vector<MissingDevices> missing_devices();

namespace runtime {
class Backend;       // one device of one kind (src/runtime)
struct Inside;       // what the library alone sees of these classes
class BackendQueue;  // an ordered stream of work
class BackendMemory;
}  // namespace runtime

// One device of this machine. Copies are cheap and refer to the same device.
class Device {
 public:
  Device();  // the CPU
  // Opens a device by name. "auto" is the first CUDA device, else the first OpenCL GPU, else the
  // CPU; "cuda" means "cuda:0" and "opencl" means "opencl:0". Throws Error(device) with the
  // available devices and the reason if the device is missing.
  explicit Device(std::string_view id);
  [[nodiscard]] const DeviceInfo& info() const;
  [[nodiscard]] bool operator==(const Device& other) const { return backend_ == other.backend_; }

 private:
  friend struct runtime::Inside;
  std::shared_ptr<runtime::Backend> backend_;
};

// An ordered stream of work and copies on one device. Calls return before their work is done,
// except on the CPU, which runs it immediately. Two queues of a device may overlap. Errors of
// earlier work are thrown by a later call, at the latest by wait(). A queue must not be used from
// two threads simultaneously.
class Queue {
 public:
  explicit Queue(const Device& device = {});
  ~Queue();  // waits
  Queue(Queue&&) noexcept;
  Queue& operator=(Queue&&) noexcept;
  void wait();
  [[nodiscard]] const Device& device() const { return device_; }

 private:
  friend struct runtime::Inside;
  Device device_;
  std::unique_ptr<runtime::BackendQueue> queue_;
};

namespace runtime {
[[nodiscard]] std::shared_ptr<BackendMemory> allocate(const Device& device, std::size_t bytes);
// Returns nullptr for OpenCL, where memory has no address on the host.
[[nodiscard]] void* address(const BackendMemory& memory);
void upload(Queue& queue, BackendMemory& to, std::size_t offset, const void* from,
            std::size_t bytes);
void download(Queue& queue, const BackendMemory& from, std::size_t offset, void* to,
              std::size_t bytes);
[[nodiscard]] void* allocate_host(const Device& device, std::size_t bytes);
void free_host(const Device& device, void* memory) noexcept;
}  // namespace runtime

// Uninitialised memory of a device for `size` numbers. Throws Error(device) with the requested and
// the free bytes if memory does not suffice. The environment variable BIFOCAL_DEVICE_MEMORY, such
// as 2G, limits the memory of each GPU.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  Buffer(const Device& device, std::size_t size)
      : memory_(size == 0 ? nullptr : runtime::allocate(device, checked_bytes(size))),
        size_(size) {}
  // Wraps existing memory, such as a slice of a larger buffer. For use inside the library.
  Buffer(std::shared_ptr<runtime::BackendMemory> memory, std::size_t size)
      : memory_(std::move(memory)), size_(size) {}
  [[nodiscard]] std::size_t size() const { return size_; }

  // Copies from.size() or to.size() numbers to or from the front of the buffer. The host's memory
  // must live until the queue has done the copy (wait()). Only page-locked memory (HostBuffer) is
  // copied while other work runs. Throws Error(usage) if the copy is larger than size().
  void upload(Queue& queue, std::span<const T> from) {
    check(from.size());
    if (!from.empty()) runtime::upload(queue, *memory_, 0, from.data(), from.size_bytes());
  }
  void download(Queue& queue, std::span<T> to) const {
    check(to.size());
    if (!to.empty()) runtime::download(queue, *memory_, 0, to.data(), to.size_bytes());
  }
  // Returns the address in the device's memory (CPU, CUDA), and nullptr for OpenCL.
  [[nodiscard]] T* data() const {
    return memory_ ? static_cast<T*>(runtime::address(*memory_)) : nullptr;
  }
  [[nodiscard]] const std::shared_ptr<runtime::BackendMemory>& memory() const { return memory_; }

 private:
  static std::size_t checked_bytes(std::size_t size) {
    if (size > static_cast<std::size_t>(PTRDIFF_MAX) / sizeof(T))
      throw Error(ErrorCode::usage, "Buffer: " + std::to_string(size) + " numbers are too many");
    return size * sizeof(T);
  }
  void check(std::size_t count) const {
    if (count > size_)
      throw Error(ErrorCode::usage, "Buffer: a copy of " + std::to_string(count) +
                                        " numbers, but it holds " + std::to_string(size_));
  }
  std::shared_ptr<runtime::BackendMemory> memory_;
  std::size_t size_ = 0;
};

// Page-locked host memory, from and to which a GPU copies while other work runs. For the CPU,
// ordinary memory.
template <class T>
class HostBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  HostBuffer(const Device& device, std::size_t size)
      : device_(device),
        data_(size == 0 ? nullptr
                        : static_cast<T*>(runtime::allocate_host(device, size * sizeof(T)))),
        size_(size) {}
  ~HostBuffer() {
    if (data_) runtime::free_host(device_, data_);
  }
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  [[nodiscard]] std::span<T> span() const { return {data_, size_}; }
  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  Device device_;
  T* data_;
  std::size_t size_;
};

// The location of a batch's numbers: host memory (a plain pointer converts implicitly), a Buffer,
// or an address on a CUDA device that another library allocated (on_device).
template <class T>
class Memory {
 public:
  Memory() = default;
  Memory(T* host) : pointer_(host) {}
  template <class U, class = std::enable_if_t<std::is_same_v<std::remove_const_t<T>, U>>>
  Memory(const Buffer<U>& buffer)
      : pointer_(buffer.data()), owner_(buffer.memory()), size_(buffer.size()), device_(true) {}
  [[nodiscard]] static Memory on_device(T* address) {
    Memory m(address);
    m.device_ = true;
    return m;
  }
  [[nodiscard]] bool is_null() const { return !pointer_ && !owner_; }
  [[nodiscard]] bool is_on_device() const { return device_; }
  [[nodiscard]] T* pointer() const { return pointer_; }
  [[nodiscard]] const std::shared_ptr<runtime::BackendMemory>& owner() const { return owner_; }
  // Numbers that the Buffer holds; 0 for a plain pointer, whose extent is unknown.
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  T* pointer_ = nullptr;
  std::shared_ptr<runtime::BackendMemory> owner_;
  std::size_t size_ = 0;
  bool device_ = false;
};

// Several devices of one machine that share the work on many images or pairs.
//
//   colmap::verify(DeviceSet("cuda:all"), "database.db", {});
//
// Each part of the work goes to the next free device. With devices of one kind the output has the
// same bytes for any number of devices.

// Whether a DeviceSet may mix devices that differ in kind, name or driver. Such devices round the
// last bits differently, and timing determines which device computes which part.
enum class MixedDevices {
  refused,
  allowed,  // results may differ between runs as much as between the kinds of devices
};

class DeviceSet {
 public:
  // A set of one device. Functions that need several queues create them.
  DeviceSet(const Device& device) : devices_{device} {}
  DeviceSet(const Queue& queue) : DeviceSet(queue.device()) {}
  // Parses a comma-separated list of the names that Device accepts, "cuda:all" and "opencl:all":
  // "cuda:0", "cuda:all", "cuda:0,cuda:1", "cpu,cpu". A device that is listed twice works on two
  // parts simultaneously. Throws Error(usage) for an empty entry, and for devices that differ in
  // kind, name or driver unless `mixed` allows it. Throws Error(device) with the available devices
  // and the reason if a device is missing.
  explicit DeviceSet(std::string_view list, MixedDevices mixed = MixedDevices::refused);
  // Makes a set of existing devices. Throws Error(usage) if the list is empty or mixes devices
  // without permission.
  explicit DeviceSet(std::vector<Device> devices, MixedDevices mixed = MixedDevices::refused);

  [[nodiscard]] const std::vector<Device>& devices() const { return devices_; }
  [[nodiscard]] bool is_mixed() const;
  // Returns the names of the devices, such as "cuda:0,cuda:1", with "all", "cuda" and
  // "auto" resolved.
  [[nodiscard]] std::string id() const;

 private:
  std::vector<Device> devices_;
};

// Limits every Bifocal call in the process to `threads` threads (0: all cores) for the lifetime of
// the object. Results never depend on the number of threads. Throws Error(usage) on a
// negative count.
class ThreadLimit {
 public:
  explicit ThreadLimit(int threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The best device that works, for programs that must not fail because a GPU is busy or broken.
//
//   const WorkingDevice best = best_working_device();
//   if (!best.warning.empty()) fmt::print(stderr, "{}\n", best.warning);
//   Queue queue(best.device);
struct WorkingDevice {
  Device device;
  std::string warning;  // why Device("auto") is replaced by the CPU; empty if it is not
};

// Returns Device("auto") if a queue can be opened on it, and otherwise the CPU with a warning.
[[nodiscard]] WorkingDevice best_working_device();

// Returns the device if open(device) succeeds, and the CPU with a warning if it throws
// Error(device). Other errors are passed on.
[[nodiscard]] WorkingDevice working_or_cpu(const Device& device,
                                           const std::function<void(const Device&)>& open);

}  // namespace bifocal
