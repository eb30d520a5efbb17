// SPDX-License-Identifier: BSD-3-Clause
// This bounds the memory of a device that a process takes, and tells whether a queue can use what
// the caller gave.
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

// Bytes of BIFOCAL_DEVICE_MEMORY, the most that this process takes of each GPU or OpenCL device;
// nothing where it is not set. Throws Error(usage) for what is no size.
[[nodiscard]] std::optional<std::int64_t> memory_limit();

// Memory of the device within that limit. Throws Error(device) with the bytes asked for and free.
[[nodiscard]] std::shared_ptr<BackendMemory> allocate_within_limit(Backend& backend,
                                                                   std::size_t bytes);

// Tells whether an error is that of a device, or of a limit of ours, without memory.
[[nodiscard]] bool is_out_of_memory(const Error& error);

// Says in words why a queue cannot use memory; the text is empty when it can, or when the memory is
// the host's, which is up to the caller.
template <class T>
[[nodiscard]] std::string why_foreign(const Queue& queue, const char* name,
                                      const Memory<T>& memory) {
  const DeviceInfo& device = queue.device().info();
  if (memory.owner() && &memory.owner()->owner() != queue.device().backend().get())
    return fmt::format("{} is memory of {}, the queue is of {}", name,
                       memory.owner()->owner().info().id, device.id);
  if (memory.is_on_device() && !memory.owner() && memory.pointer() &&
      device.kind != DeviceKind::cuda)
    return fmt::format("{} is an address in a CUDA device's memory, the queue is of {}", name,
                       device.id);
  return {};
}

}  // namespace bifocal::runtime
