// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "runtime/backend.hpp"

namespace bifocal::runtime {

// Bytes of BIFOCAL_DEVICE_MEMORY, the most that this process takes of each GPU or OpenCL device;
// nothing where it is not set. Throws Error(usage) for what is no size.
[[nodiscard]] std::optional<std::int64_t> memory_limit();

// Memory of the device within that limit. Throws Error(device) with the bytes asked for and free.
[[nodiscard]] std::shared_ptr<BackendMemory> allocate_within_limit(Backend& backend,
                                                                   std::size_t bytes);

}  // namespace bifocal::runtime
