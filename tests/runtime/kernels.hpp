// SPDX-License-Identifier: BSD-3-Clause
// Small kernels on every backend, for the tests of the runtime.
#pragma once

#include <bifocal/device.hpp>

#include <string>
#include <vector>

#include "runtime/kernel.hpp"

namespace bifocal::test {

inline constexpr int kGroup = 64;

// Computes y[i] = a y[i] + x[i] + k + shift (int64) + SHIFT (a constant of 1 here). x may be null,
// and y is not read if a is 0.
// Arguments: x, y, a, k, shift, n.
[[nodiscard]] runtime::Kernel combine_kernel();
// Sums groups of kGroup numbers in local memory. Arguments: x, sums, n.
[[nodiscard]] runtime::Kernel sum_groups_kernel();

[[nodiscard]] inline runtime::Launch launch_of(int n) {
  return {.count = n, .groups = (n + kGroup - 1) / kGroup, .group_size = kGroup};
}

// Returns every device of this machine, the CPU first.
[[nodiscard]] inline std::vector<std::string> device_ids() {
  std::vector<std::string> ids;
  for (const DeviceInfo& info : list_devices()) ids.push_back(info.id);
  return ids;
}

// Addresses of the functions of cuda_kernels.cu; nullptr in a build without CUDA.
[[nodiscard]] const void* cuda_combine();
[[nodiscard]] const void* cuda_sum_groups();

}  // namespace bifocal::test
