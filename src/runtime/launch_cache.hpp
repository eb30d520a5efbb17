// SPDX-License-Identifier: BSD-3-Clause
// Cache for the launch objects of a catalogue (kernel_set.hpp) by group size and constants; each is
// created once per process.
#pragma once

#include <bifocal/device.hpp>

#include <map>
#include <mutex>
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

}  // namespace bifocal::runtime
