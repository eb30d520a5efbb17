// SPDX-License-Identifier: BSD-3-Clause
// What Bifocal can compute on. This version computes on the CPU only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bifocal {

struct Device {
  std::string id;           // as given to --device: "cpu"
  std::string name;         // of the maker
  std::string simd;         // instruction set in use: "AVX3" (AVX-512), "AVX2", "SSE4", "NEON", ...
  int cores = 0;            // hardware threads that this process may use
  std::int64_t memory = 0;  // bytes of the machine, 0 unknown
};

// Every device of this machine that this build can use; the CPU is always the first.
[[nodiscard]] std::vector<Device> list_devices();

}  // namespace bifocal
