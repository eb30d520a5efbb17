// SPDX-License-Identifier: BSD-3-Clause
// Can a queue's device use memory that the caller gave?
#pragma once

#include <bifocal/device.hpp>

#include <fmt/format.h>

#include <string>

#include "runtime/backend.hpp"

namespace bifocal::runtime {

// In words why not; empty when it can, or when the memory is the host's, which is up to the caller.
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
