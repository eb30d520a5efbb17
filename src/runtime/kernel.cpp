// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/kernel.hpp"

#include <fmt/format.h>

#include "runtime/backend.hpp"

namespace bifocal::runtime {
namespace {

// Where launches of this thread report their resources; null outside of resources_of().
thread_local std::vector<KernelResources>* observed = nullptr;

[[noreturn]] void refuse(ErrorCode code, const DeviceInfo& device, const Kernel& kernel,
                         const std::string& why) {
  throw Error(code,
              fmt::format("{} ({}): kernel {}: {}", device.id, device.name, kernel.entry, why));
}

void check_arguments(const Backend& device, const Kernel& kernel,
                     std::span<const Argument> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    if (argument.memory() && &argument.memory()->owner() != &device)
      refuse(ErrorCode::usage, device.info(), kernel,
             fmt::format("argument {} is memory of {}", i, argument.memory()->owner().info().id));
    if (argument.on_host() && device.info().kind != DeviceKind::cpu)
      refuse(ErrorCode::usage, device.info(), kernel,
             fmt::format("argument {} is memory of the host", i));
  }
}

void check_sizes(const DeviceInfo& device, const Kernel& kernel, const Launch& launch) {
  if (launch.group_size < 1 || launch.group_size > device.max_group)
    refuse(ErrorCode::device, device, kernel,
           fmt::format("groups of {}; the device allows 1 to {}", launch.group_size,
                       device.max_group));
  if (launch.local_bytes > static_cast<std::size_t>(device.local_memory))
    refuse(ErrorCode::device, device, kernel,
           fmt::format("{} bytes of local memory a group; the device has {}", launch.local_bytes,
                       device.local_memory));
}

}  // namespace

void launch(Queue& queue, const Kernel& kernel, const Launch& launch,
            std::span<const Argument> arguments) {
  const Backend& device = *runtime::backend_of(queue.device());
  check_arguments(device, kernel, arguments);
  const bool is_cpu = device.info().kind == DeviceKind::cpu;
  if ((is_cpu ? launch.count : launch.groups) <= 0) return;
  if (!is_cpu) check_sizes(device.info(), kernel, launch);
  wait_on_failure(*runtime::backend_of(queue.device()),
                  [&] { runtime::backend_of(queue).launch(kernel, launch, arguments); });
  if (observed) observed->push_back(runtime::backend_of(queue).resources(kernel, launch));
}

std::vector<KernelResources> resources_of(const std::function<void()>& work) {
  struct Restored {  // also if `work` throws
    ~Restored() { observed = before; }
    std::vector<KernelResources>* before = observed;
  } const restored;
  std::vector<KernelResources> launches;
  observed = &launches;
  work();
  return launches;
}

}  // namespace bifocal::runtime
