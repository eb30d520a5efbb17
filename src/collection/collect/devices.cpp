// SPDX-License-Identifier: BSD-3-Clause
#include <exception>
#include <thread>

#include "collection/collect/stages.hpp"
#include "runtime/cancel.hpp"

namespace bifocal::collection {

void DeviceTeam::run(const std::function<void(const Device&)>& work) {
  std::exception_ptr failure;
  std::mutex mutex;
  const auto guarded = [&](const Device& device) {
    try {
      work(device);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      failed_ = true;
    }
  };
  const std::vector<Device>& devices = devices_.devices();
  {
    std::vector<std::jthread> others;
    CancelScope::State* const scope = runtime::cancel_state();
    for (std::size_t i = 1; i < devices.size(); ++i)
      others.emplace_back([&guarded, &devices, i, scope] {
        const runtime::CancelledBy by(scope);
        guarded(devices[i]);
      });
    guarded(devices.front());
  }
  if (failure) std::rethrow_exception(failure);
}

std::int64_t memory_of(const Job& job, const Device& device) {
  if (device.info().is_gpu) return job.options.max_memory;
  const auto& all = job.devices.devices();
  return job.options.max_memory /
         std::count_if(all.begin(), all.end(), [](const Device& d) { return !d.info().is_gpu; });
}

int images_on(const Job& job, const Device& device, std::int64_t images,
              std::int64_t bytes_of_image) {
  return static_cast<int>(std::clamp<std::int64_t>(memory_of(job, device) / 2 / bytes_of_image, 2,
                                                   std::max<std::int64_t>(2, images)));
}

std::int64_t host_memory(const Job& job) {
  return job.options.max_memory / static_cast<std::int64_t>(job.devices.devices().size());
}

}  // namespace bifocal::collection
