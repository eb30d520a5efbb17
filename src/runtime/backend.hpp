// SPDX-License-Identifier: BSD-3-Clause
// Every kind of device has to provide this: memory, ordered queues and launches. One file a kind:
// cpu_backend.cpp, cuda_backend.cpp, opencl/backend.cpp.
#pragma once

#include <bifocal/device.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "runtime/kernel.hpp"

namespace bifocal::runtime {

// A rectangle has `rows` rows of `row_bytes` each: in the device's memory from `offset` on and
// `pitch` bytes apart, in the host's `host_pitch` bytes apart. Pitches matter to more than one row
// only.
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

// Part of a memory whose addresses are those of a process.
class MemorySlice final : public BackendMemory {
 public:
  MemorySlice(std::shared_ptr<BackendMemory> whole, std::size_t offset, std::size_t bytes)
      : BackendMemory(whole->owner(), static_cast<char*>(whole->address()) + offset, bytes),
        whole_(std::move(whole)) {}

 private:
  std::shared_ptr<BackendMemory> whole_;
};

// Work of a queue that can be done again (recording.hpp).
class BackendGraph {
 public:
  BackendGraph() = default;
  virtual ~BackendGraph() = default;
  BackendGraph(const BackendGraph&) = delete;
  BackendGraph& operator=(const BackendGraph&) = delete;
  virtual void launch() = 0;
};

// Kernels, arguments and rectangles are checked before they come here; a launch has work to do.
class BackendQueue {
 public:
  BackendQueue();
  virtual ~BackendQueue();  // derived ones wait first
  BackendQueue(const BackendQueue&) = delete;
  BackendQueue& operator=(const BackendQueue&) = delete;
  virtual void wait() = 0;
  virtual void upload(BackendMemory& to, const Rectangle& rectangle, const void* from) = 0;
  virtual void download(const BackendMemory& from, const Rectangle& rectangle, void* to) = 0;
  virtual void launch(const Kernel& kernel, const Launch& launch,
                      std::span<const Argument> arguments) = 0;
  // Keeps what `work` gives to this queue instead of doing it; returns nullptr when the device
  // can't.
  [[nodiscard]] virtual std::unique_ptr<BackendGraph> record(const std::function<void()>& work);

  // Kept from call to call (workspace.hpp, staging.hpp).
  std::unique_ptr<Arena> arena;
  std::unique_ptr<Staging> staging;
};

class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] const DeviceInfo& info() const { return info_; }
  [[nodiscard]] std::string label() const { return info_.id + " (" + info_.name + ")"; }
  [[nodiscard]] virtual std::shared_ptr<BackendMemory> allocate(std::size_t bytes) = 0;
  // Part of a memory, which it keeps alive. `offset` is a multiple of kSliceAlignment.
  [[nodiscard]] virtual std::shared_ptr<BackendMemory> slice(
      const std::shared_ptr<BackendMemory>& memory, std::size_t offset, std::size_t bytes) = 0;
  [[nodiscard]] virtual std::unique_ptr<BackendQueue> make_queue() = 0;
  [[nodiscard]] virtual void* allocate_host(std::size_t bytes) = 0;
  virtual void free_host(void* memory) noexcept = 0;
  // Tells whether copies from and to this address run while other work does.
  [[nodiscard]] virtual bool is_page_locked(const void* address) const = 0;
  // Waits for all that was given to its queues, and passes over failures: before an exception frees
  // memory of the host that copies under way use.
  void settle() noexcept;
  void add(BackendQueue& queue);  // each queue of a device that works by itself
  void remove(BackendQueue& queue) noexcept;
  std::atomic<std::int64_t> limited = 0;  // bytes taken under a limit (memory_limit.hpp)

 protected:
  explicit Backend(DeviceInfo info);  // its memory at most memory_limit()
  DeviceInfo info_;

 private:
  std::mutex queues_mutex_;
  std::set<BackendQueue*> queues_;
};

// Does what may fail on a device; when it does, what was given to its queues is done first.
template <class Work>
auto or_settled(Backend& backend, const Work& work) {
  try {
    return work();
  } catch (...) {
    backend.settle();
    throw;
  }
}

inline constexpr std::size_t kSliceAlignment = 512;

// The devices of a kind; none: why, and what would bring them.
struct Devices {
  std::vector<std::shared_ptr<Backend>> backends;
  std::string reason, remedy;
};
[[nodiscard]] std::shared_ptr<Backend> make_cpu_backend();
[[nodiscard]] Devices find_cuda_devices();    // cuda_backend.cpp, where this build has it
[[nodiscard]] Devices find_opencl_devices();  // opencl/backend.cpp, where this build has it

// Rectangular copies of a queue, with the checks of the public ones.
void upload(Queue& queue, BackendMemory& to, const Rectangle& rectangle, const void* from);
void download(Queue& queue, const BackendMemory& from, const Rectangle& rectangle, void* to);

}  // namespace bifocal::runtime
