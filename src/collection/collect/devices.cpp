// SPDX-License-Identifier: BSD-3-Clause
#include "collection/collect/stages.hpp"

namespace bifocal::collection {

std::int64_t memory_of(const Job& job, const Device& device) {
  if (device.info().is_gpu) return job.options.max_memory;
  const auto& all = job.devices.devices();
  return job.options.max_memory /
         std::count_if(all.begin(), all.end(), [](const Device& d) { return !d.info().is_gpu; });
}

int images_on_each(const Job& job, std::int64_t images, std::int64_t bytes_of_image) {
  std::int64_t fit = std::max<std::int64_t>(2, images);
  for (const Device& device : job.devices.devices())
    fit = std::min(fit, memory_of(job, device) / 2 / std::max<std::int64_t>(1, bytes_of_image));
  return static_cast<int>(std::max<std::int64_t>(2, fit));
}

std::int64_t host_memory(const Job& job) {
  return job.options.max_memory / static_cast<std::int64_t>(job.devices.devices().size());
}

}  // namespace bifocal::collection
