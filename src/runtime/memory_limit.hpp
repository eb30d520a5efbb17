// SPDX-License-Identifier: BSD-3-Clause
// Limits the memory that the process takes on a device, and checks whether a queue can use
// a caller's memory.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/error.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "runtime/backend.hpp"

namespace bifocal::runtime {

// Returns the bytes in the environment variable BIFOCAL_DEVICE_MEMORY, the limit for this process
// on each GPU or OpenCL device; nullopt if unset. Throws Error(usage) if it is no valid size.
[[nodiscard]] std::optional<std::int64_t> memory_limit();

// Allocates device memory within that limit. Throws Error(device) with the requested
// and free bytes.
[[nodiscard]] std::shared_ptr<BackendMemory> allocate_within_limit(Backend& backend,
                                                                   std::size_t bytes);

// Returns whether an error means that a device or our own limit is out of memory.
[[nodiscard]] bool is_out_of_memory(const Error& error);

// Returns in words why a queue cannot use `memory`. The text is empty if the queue can use it, and
// for host memory, which is the caller's responsibility. name: of the argument, for the text.
template <class T>
[[nodiscard]] std::string why_foreign(const Queue& queue, const char* name,
                                      const Memory<T>& memory) {
  const DeviceInfo& device = queue.device().info();
  if (memory.owner() && &memory.owner()->owner() != runtime::backend_of(queue.device()).get())
    return fmt::format("{} is memory of {}, the queue is of {}", name,
                       memory.owner()->owner().info().id, device.id);
  if (memory.is_on_device() && !memory.owner() && memory.pointer() &&
      device.kind != DeviceKind::cuda)
    return fmt::format("{} is an address in a CUDA device's memory, the queue is of {}", name,
                       device.id);
  return {};
}

}  // namespace bifocal::runtime
