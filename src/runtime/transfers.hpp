// SPDX-License-Identifier: BSD-3-Clause
// Counts of the bytes that this process copied between the host and devices, for tests that data
// stay on a device.
#pragma once

#include <cstdint>

namespace bifocal::runtime {

struct Transfers {
  std::int64_t uploaded = 0, downloaded = 0;  // bytes
};
// Returns the sums over all GPUs and OpenCL devices since the start of the process.
[[nodiscard]] Transfers transfers();

}  // namespace bifocal::runtime
