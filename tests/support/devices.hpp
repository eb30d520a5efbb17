// SPDX-License-Identifier: BSD-3-Clause
// Iterates over the devices of this machine, for tests that compare devices.
#pragma once

#include <bifocal/device.hpp>

#include <functional>
#include <string>

namespace bifocal::test {

// Calls test(queue, "cuda:0 (NAME)") for each device, the CPU first.
inline void for_each_device(const std::function<void(Queue& queue, const std::string& id)>& test) {
  for (const DeviceInfo& info : list_devices()) {
    Queue queue{Device(info.id)};
    test(queue, info.id + " (" + info.name + ")");
  }
}
// Calls test() for each device except the CPU.
inline void for_each_gpu_or_opencl(
    const std::function<void(Queue& queue, const std::string& id)>& test) {
  for_each_device([&](Queue& queue, const std::string& id) {
    if (queue.device().info().kind != DeviceKind::cpu) test(queue, id);
  });
}

}  // namespace bifocal::test
