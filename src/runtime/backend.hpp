// SPDX-License-Identifier: BSD-3-Clause
// Interface that every kind of device implements: memory, ordered queues and launches. One file per
// kind: cpu_backend.cpp, cuda_backend.cpp, opencl/backend.cpp.
#pragma once

#include <bifocal/device.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "runtime/kernel.hpp"

namespace bifocal::runtime {

// A rectangle of `rows` rows with `row_bytes` each. In device memory it starts at `offset` with
// rows `pitch` bytes apart; in host memory rows are `host_pitch` bytes apart. Pitches are ignored
// for a single row.
struct Rectangle {
  std::size_t offset = 0, row_bytes = 0, rows = 1, pitch = 0, host_pitch = 0;
};

struct Arena;
struct Staging;

class BackendMemory {
 public:
  BackendMemory(const Backend& owner, void* address, std::size_t bytes)
      : owner_(&owner), address_(address), bytes_(bytes) {}
  virtual ~BackendMemory() = default;
  BackendMemory(const BackendMemory&) = delete;
  BackendMemory& operator=(const BackendMemory&) = delete;
  [[nodiscard]] const Backend& owner() const { return *owner_; }
  [[nodiscard]] void* address() const { return address_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  const Backend* owner_;
  void* address_;
  std::size_t bytes_;
};

// Part of a memory whose addresses allow pointer arithmetic in the process (host and CUDA).
class MemorySlice final : public BackendMemory {
 public:
  MemorySlice(std::shared_ptr<BackendMemory> whole, std::size_t offset, std::size_t bytes)
      : BackendMemory(whole->owner(), static_cast<char*>(whole->address()) + offset, bytes),
        whole_(std::move(whole)) {}

 private:
  std::shared_ptr<BackendMemory> whole_;
};

// Recorded work of a queue that can be repeated (recording.hpp).
class BackendGraph {
 public:
  BackendGraph() = default;
  virtual ~BackendGraph() = default;
  BackendGraph(const BackendGraph&) = delete;
  BackendGraph& operator=(const BackendGraph&) = delete;
  virtual void launch() = 0;
};

// An ordered queue of a device. Kernels, arguments and rectangles are checked by the callers; a
// launch is never empty.
class BackendQueue {
 public:
  BackendQueue();
  virtual ~BackendQueue();  // derived classes wait first
  BackendQueue(const BackendQueue&) = delete;
  BackendQueue& operator=(const BackendQueue&) = delete;
  virtual void wait() = 0;
  virtual void upload(BackendMemory& to, const Rectangle& rectangle, const void* from) = 0;
  virtual void download(const BackendMemory& from, const Rectangle& rectangle, void* to) = 0;
  virtual void launch(const Kernel& kernel, const Launch& launch,
                      std::span<const Argument> arguments) = 0;
  // Returns the resources of a kernel that was launched before.
  [[nodiscard]] virtual KernelResources resources(const Kernel& kernel, const Launch& launch);
  // Records the work that `work` submits to this queue instead of executing it; returns nullptr if
  // the device cannot record.
  [[nodiscard]] virtual std::unique_ptr<BackendGraph> record(const std::function<void()>& work);

  // Memory kept between calls (workspace.hpp, staging.hpp).
  std::unique_ptr<Arena> arena;
  std::unique_ptr<Staging> staging;
};

class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] const DeviceInfo& info() const { return info_; }
  [[nodiscard]] std::string label() const { return info_.id + " (" + info_.name + ")"; }
  [[nodiscard]] virtual std::shared_ptr<BackendMemory> allocate(std::size_t bytes) = 0;
  // Returns a part of a memory; the part keeps the whole alive. `offset` is a
  // multiple of kSliceAlignment.
  [[nodiscard]] virtual std::shared_ptr<BackendMemory> slice(
      const std::shared_ptr<BackendMemory>& memory, std::size_t offset, std::size_t bytes) = 0;
  [[nodiscard]] virtual std::unique_ptr<BackendQueue> make_queue() = 0;
  [[nodiscard]] virtual void* allocate_host(std::size_t bytes) = 0;
  virtual void free_host(void* memory) noexcept = 0;
  // Returns whether copies from and to this address overlap other work.
  [[nodiscard]] virtual bool is_page_locked(const void* address) const = 0;
  // Returns whether the device can run a CUDA function, because this build has code for it.
  [[nodiscard]] virtual bool can_run(const void*) { return false; }
  // Waits for all work of the device's queues and ignores failures. Called before an exception
  // frees host memory that pending copies use.
  void wait_for_queues() noexcept;
  void add(BackendQueue& queue);  // called by each queue of an asynchronous device
  void remove(BackendQueue& queue) noexcept;
  std::atomic<std::int64_t> limited = 0;  // bytes allocated under a limit (memory_limit.hpp)

 protected:
  explicit Backend(DeviceInfo info);  // info.memory is capped by memory_limit()
  DeviceInfo info_;

 private:
  std::mutex queues_mutex_;
  std::set<BackendQueue*> queues_;
};

// Runs `work`, which may fail on a device. If it throws, waits for the device's
// queues before rethrowing.
template <class Work>
auto wait_on_failure(Backend& backend, const Work& work) {
  try {
    return work();
  } catch (...) {
    backend.wait_for_queues();
    throw;
  }
}

inline constexpr std::size_t kSliceAlignment = 512;

// The devices of a kind. Without devices: the reason, and a remedy.
struct Devices {
  std::vector<std::shared_ptr<Backend>> backends;
  std::string reason, remedy;
};
struct Inside {
  static const std::shared_ptr<Backend>& backend(const Device& device) { return device.backend_; }
  static BackendQueue& backend(const Queue& queue) { return *queue.queue_; }
};
[[nodiscard]] inline const std::shared_ptr<Backend>& backend_of(const Device& device) {
  return Inside::backend(device);
}
[[nodiscard]] inline BackendQueue& backend_of(const Queue& queue) { return Inside::backend(queue); }

[[nodiscard]] std::shared_ptr<Backend> make_cpu_backend();
[[nodiscard]] Devices find_cuda_devices();    // cuda_backend.cpp, if this build includes CUDA
[[nodiscard]] Devices find_opencl_devices();  // opencl/backend.cpp, if this build includes OpenCL

// Rectangular copies in a queue, with the same checks as the public copies.
void upload(Queue& queue, BackendMemory& to, const Rectangle& rectangle, const void* from);
void download(Queue& queue, const BackendMemory& from, const Rectangle& rectangle, void* to);

// Bytes that this process copied between the host and GPUs or OpenCL devices, for tests that data
// stay on a device.
struct Transfers {
  std::int64_t uploaded = 0, downloaded = 0;
};
// Returns the sums over all devices since the start of the process.
[[nodiscard]] Transfers transfers();

}  // namespace bifocal::runtime
