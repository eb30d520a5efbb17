// SPDX-License-Identifier: BSD-3-Clause
// Devices, their queues and their memory say where to compute.
//
//   Device gpu("cuda:0");                        // or "cpu", "opencl:1", "auto"
//   Queue queue(gpu);
//   Buffer<float> x(gpu, n);
//   x.upload(queue, host);                       // ordered, asynchronous
//   svd(queue, {x, 9, 9, count}, ...);           // see linalg.hpp
//   queue.wait();
//
// OpenCL programs are compiled when they are first used and kept in $XDG_CACHE_HOME/bifocal (or
// ~/.cache/bifocal); BIFOCAL_CACHE=off in the environment keeps none and reads none.
#pragma once

#include <bifocal/error.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace bifocal {

enum class DeviceKind { cpu, cuda, opencl };

// A device says this of itself; zero or empty is what it does not say.
struct DeviceInfo {
  std::string id;  // as given to --device: "cpu", "cuda:0", "opencl:1"
  DeviceKind kind = DeviceKind::cpu;
  std::string name;         // of the maker
  std::string driver;       // its version; for OpenCL the platform too
  std::string simd;         // CPU: instruction set in use: "AVX3" (AVX-512), "AVX2", "SSE4", ...
  int cores = 0;            // CPU: hardware threads this process may use; else compute units
  std::int64_t memory = 0;  // bytes
  std::int64_t largest_buffer = 0;  // bytes
  std::int64_t local_memory = 0;    // bytes that the members of one group share
  int max_group = 0;                // members of one group at most
  bool has_double = true;
  bool is_gpu = false;
  // The device was asked how its kernels may work together.
  int lockstep = 1;  // threads that run in step and can read each other's registers: a warp
  int subgroup = 0;  // OpenCL: members of the largest sub-group; 0: it has none or does not say
  bool inline_ptx = false;    // its compiler takes PTX in the text
  bool tensor_cores = false;  // multiply small matrices in one instruction
  // A larger thing (a pair, a matrix) is the work of a group of threads; else of one thread. True
  // for GPUs: it follows the kind of device and is not measured.
  bool group_code = false;
};

// Every device of this machine that this build can use; the CPU is always the first.
[[nodiscard]] std::vector<DeviceInfo> list_devices();

// A kind of device that there is none of, or of which a driver is left out: why, and the remedy.
struct MissingDevices {
  DeviceKind kind;
  std::string reason, remedy;
};
[[nodiscard]] std::vector<MissingDevices> missing_devices();

namespace runtime {
class Backend;       // one device of one kind (src/runtime)
class BackendQueue;  // an ordered stream of work
class BackendMemory;
}  // namespace runtime

// One device of this machine. Cheap to copy; copies are the same device.
class Device {
 public:
  Device();  // the CPU
  // "auto": the first CUDA device, else the first OpenCL GPU, else the CPU; "cuda" is "cuda:0",
  // "opencl" is "opencl:0". Throws Error(device) naming what there is and what is missing.
  explicit Device(std::string_view id);
  [[nodiscard]] const DeviceInfo& info() const;
  [[nodiscard]] bool operator==(const Device& other) const { return backend_ == other.backend_; }

  [[nodiscard]] const std::shared_ptr<runtime::Backend>& backend() const { return backend_; }

 private:
  std::shared_ptr<runtime::Backend> backend_;
};

// Work and copies given to one queue run in their order; host code does not wait for them, except
// on the CPU, which works at once. Two queues of a device may overlap. An error of earlier work is
// thrown by a later call, wait() at the latest. Not for two threads at once.
class Queue {
 public:
  explicit Queue(const Device& device = {});
  ~Queue();  // waits
  Queue(Queue&&) noexcept;
  Queue& operator=(Queue&&) noexcept;
  void wait();
  [[nodiscard]] const Device& device() const { return device_; }

  [[nodiscard]] runtime::BackendQueue& backend() const { return *queue_; }

 private:
  Device device_;
  std::unique_ptr<runtime::BackendQueue> queue_;
};

namespace runtime {
[[nodiscard]] std::shared_ptr<BackendMemory> allocate(const Device& device, std::size_t bytes);
// nullptr for OpenCL, whose memory has no address on the host.
[[nodiscard]] void* address(const BackendMemory& memory);
void upload(Queue& queue, BackendMemory& to, std::size_t offset, const void* from,
            std::size_t bytes);
void download(Queue& queue, const BackendMemory& from, std::size_t offset, void* to,
              std::size_t bytes);
[[nodiscard]] void* allocate_host(const Device& device, std::size_t bytes);
void free_host(const Device& device, void* memory) noexcept;
}  // namespace runtime

// Memory of a device for `size` numbers, not initialised. Throws Error(device) with the bytes asked
// for and free when there is not enough; BIFOCAL_DEVICE_MEMORY=2G bounds it for each GPU.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  Buffer(const Device& device, std::size_t size)
      : memory_(size == 0 ? nullptr : runtime::allocate(device, checked_bytes(size))),
        size_(size) {}
  // The library makes a Buffer of memory that exists already, such as a slice of a larger one.
  Buffer(std::shared_ptr<runtime::BackendMemory> memory, std::size_t size)
      : memory_(std::move(memory)), size_(size) {}
  [[nodiscard]] std::size_t size() const { return size_; }

  // Copies that many numbers to or from the front. The host's memory has to live until the queue
  // has come to it (wait()); only page-locked memory (HostBuffer) copies while other work runs.
  // Throws Error(usage) when there are more than size().
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

// Page-locked memory of the host, which a GPU copies from and to while other work runs. Plain
// memory for the CPU.
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

// The numbers of a batch lie here: in host memory (a plain pointer converts), in a Buffer, or at an
// address of a CUDA device that another library allocated (on_device).
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
  // Numbers that a Buffer holds; 0 for a pointer, whose extent nobody knows.
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  T* pointer_ = nullptr;
  std::shared_ptr<runtime::BackendMemory> owner_;
  std::size_t size_ = 0;
  bool device_ = false;
};

// Several devices of a machine that share the work on many images or pairs:
//
//   colmap::verify(DeviceSet("cuda:all"), "database.db", {});
//
// Work goes in pieces to whichever device is free; what is written is the same, byte for byte,
// whatever their number.

// Kinds of devices round the last bits otherwise, and chance decides which of them has a piece.
enum class MixedDevices {
  refused,
  allowed,  // results may differ from one run to the next, by as much as from kind to kind
};

class DeviceSet {
 public:
  // One. Queues of its own are made where several are needed.
  DeviceSet(const Device& device) : devices_{device} {}
  DeviceSet(const Queue& queue) : DeviceSet(queue.device()) {}
  // "cuda:0", "cuda:all", "cuda:0,cuda:1", "cpu,cpu": what Device takes, or all of a kind, with
  // commas between. One that is there twice has two pieces at the same time. Throws Error(usage)
  // for an empty place, and for devices that differ in kind, name or driver unless that is allowed;
  // Error(device) naming what there is and what is missing.
  explicit DeviceSet(std::string_view list, MixedDevices mixed = MixedDevices::refused);
  // The same for devices at hand; at least one.
  explicit DeviceSet(std::vector<Device> devices, MixedDevices mixed = MixedDevices::refused);

  [[nodiscard]] const std::vector<Device>& devices() const { return devices_; }
  [[nodiscard]] bool is_mixed() const;
  // "cuda:0,cuda:1"; with other names for "all", "cuda" and "auto".
  [[nodiscard]] std::string id() const;

 private:
  std::vector<Device> devices_;
};

// While one of these lives, every Bifocal call in the process uses at most `threads` threads (0:
// all cores). Results never depend on the number of threads. Throws Error(usage) on a negative
// count.
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

}  // namespace bifocal
