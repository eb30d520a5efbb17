// SPDX-License-Identifier: BSD-3-Clause
// Cache for the launch objects of a catalogue (kernel_set.hpp) by group size and constants; each is
// created once per process. Queries for CUDA functions that only some builds and devices have.
#pragma once

#include <bifocal/device.hpp>

#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "runtime/kernel_set.hpp"

namespace bifocal::runtime {

// Example: launch_of<kernels::filter::launch<float>>(256, {{"SIDE", 3}}).filter_px(queue, ...);
template <class Launch>
const Launch& launch_of(int group_size, const Constants& constants = {}) {
  using Key = std::pair<int, Constants>;
  static std::mutex mutex;
  static auto& made = *new std::map<Key, Launch>;
  const std::lock_guard lock(mutex);
  return made.try_emplace(Key(group_size, constants), group_size, constants).first->second;
}

// Like launch_of, but with groups of one member for devices whose compiler cannot build group code.
template <class Launch>
const Launch& group_launch_of(const Device& device, int group_size,
                              const Constants& constants = {}) {
  return launch_of<Launch>(device.info().group_code ? group_size : 1, constants);
}

// Returns this build's CUDA function of a kernel with these constants; nullptr if there is none.
// Searches the table of all functions, so that callers keep the result.
[[nodiscard]] const void* cuda_function(std::string_view catalogue, std::string_view entry,
                                        const Constants& constants);
// Returns whether the device of the queue can run a CUDA function. It cannot run nullptr.
[[nodiscard]] bool can_run(Queue& queue, const void* cuda_function);

}  // namespace bifocal::runtime
