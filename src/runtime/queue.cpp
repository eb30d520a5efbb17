// SPDX-License-Identifier: BSD-3-Clause
// Queues, memory and copies of the public API, with the checks common to all devices.
#include <fmt/format.h>

#include <atomic>

#include "runtime/backend.hpp"
#include "runtime/memory_limit.hpp"
#include "runtime/staging_slots.hpp"
#include "runtime/workspace.hpp"

namespace bifocal {
namespace runtime {
namespace {

void check(const Queue& queue, const BackendMemory& memory, const Rectangle& r) {
  const DeviceInfo& device = queue.device().info();
  if (&memory.owner() != runtime::backend_of(queue.device()).get())
    throw Error(ErrorCode::usage, fmt::format("a copy on a queue of {}, but the memory is of {}",
                                              device.id, memory.owner().info().id));
  const std::size_t end = r.offset + (r.rows - 1) * r.pitch + r.row_bytes;
  if (r.rows > 1 && (r.pitch < r.row_bytes || r.host_pitch < r.row_bytes))
    throw Error(ErrorCode::usage, fmt::format("a copy of rows of {} bytes, {} and {} bytes apart",
                                              r.row_bytes, r.pitch, r.host_pitch));
  if (end > memory.bytes())
    throw Error(ErrorCode::usage,
                fmt::format("a copy up to byte {} of a memory of {}", end, memory.bytes()));
}

std::atomic<std::int64_t> uploaded, downloaded;  // bytes

void count(const Queue& queue, const Rectangle& r, std::atomic<std::int64_t>& bytes) {
  if (queue.device().info().kind != DeviceKind::cpu)
    bytes.fetch_add(static_cast<std::int64_t>(r.rows * r.row_bytes), std::memory_order_relaxed);
}

}  // namespace

Transfers transfers() { return {uploaded, downloaded}; }

BackendQueue::BackendQueue() = default;
BackendQueue::~BackendQueue() = default;
KernelResources BackendQueue::resources(const Kernel& kernel, const Launch&) {
  return {.entry = kernel.entry};
}
std::unique_ptr<BackendGraph> BackendQueue::record(const std::function<void()>&) { return nullptr; }

void Backend::wait_for_queues() noexcept {
  const std::lock_guard lock(queues_mutex_);
  for (BackendQueue* queue : queues_) {
    try {
      queue->wait();
    } catch (const std::exception&) {  // a first exception is already propagating
    }
  }
}

void Backend::add(BackendQueue& queue) {
  const std::lock_guard lock(queues_mutex_);
  queues_.insert(&queue);
}

void Backend::remove(BackendQueue& queue) noexcept {
  const std::lock_guard lock(queues_mutex_);
  queues_.erase(&queue);
}

std::shared_ptr<BackendMemory> allocate(const Device& device, std::size_t bytes) {
  Backend& backend = *runtime::backend_of(device);
  return wait_on_failure(backend, [&] { return allocate_within_limit(backend, bytes); });
}

void* address(const BackendMemory& memory) { return memory.address(); }

void upload(Queue& queue, BackendMemory& to, const Rectangle& rectangle, const void* from) {
  if (rectangle.rows == 0 || rectangle.row_bytes == 0) return;
  check(queue, to, rectangle);
  count(queue, rectangle, uploaded);
  wait_on_failure(*runtime::backend_of(queue.device()),
                  [&] { runtime::backend_of(queue).upload(to, rectangle, from); });
}

void download(Queue& queue, const BackendMemory& from, const Rectangle& rectangle, void* to) {
  if (rectangle.rows == 0 || rectangle.row_bytes == 0) return;
  check(queue, from, rectangle);
  count(queue, rectangle, downloaded);
  wait_on_failure(*runtime::backend_of(queue.device()),
                  [&] { runtime::backend_of(queue).download(from, rectangle, to); });
}

void upload(Queue& queue, BackendMemory& to, std::size_t offset, const void* from,
            std::size_t bytes) {
  upload(queue, to, Rectangle{.offset = offset, .row_bytes = bytes}, from);
}

void download(Queue& queue, const BackendMemory& from, std::size_t offset, void* to,
              std::size_t bytes) {
  download(queue, from, Rectangle{.offset = offset, .row_bytes = bytes}, to);
}

void* allocate_host(const Device& device, std::size_t bytes) {
  Backend& backend = *runtime::backend_of(device);
  return wait_on_failure(backend, [&] { return backend.allocate_host(bytes); });
}

void free_host(const Device& device, void* memory) noexcept {
  runtime::backend_of(device)->free_host(memory);
}

}  // namespace runtime

Queue::Queue(const Device& device)
    : device_(device), queue_(runtime::backend_of(device)->make_queue()) {}
Queue::~Queue() = default;
Queue::Queue(Queue&&) noexcept = default;
Queue& Queue::operator=(Queue&&) noexcept = default;
void Queue::wait() { queue_->wait(); }

}  // namespace bifocal
