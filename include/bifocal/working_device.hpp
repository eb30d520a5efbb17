// SPDX-License-Identifier: BSD-3-Clause
// The best device that works, for programs that must not fail because a GPU is busy or broken.
//
//   const WorkingDevice best = best_working_device();
//   if (!best.warning.empty()) fmt::print(stderr, "{}\n", best.warning);
//   Queue queue(best.device);
#pragma once

#include <bifocal/device.hpp>

#include <functional>
#include <string>

namespace bifocal {

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
