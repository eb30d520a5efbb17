// SPDX-License-Identifier: BSD-3-Clause
// The kernels of ssd_device.cpp: their names and what a group does.
#pragma once

namespace bifocal::stereo {

enum class SsdKernel { winners, finish };

// Columns and disparities that a group of ssd_winners searches at most; ssd.kernel.h has the same.
struct SsdTile {
  int outputs, lanes;
  constexpr explicit SsdTile(int window)
      : outputs((window <= 17 ? 64 : 80) - window / 2 * 2), lanes(window > 21 ? 64 : 128) {}
};
inline constexpr int kSsdFinishThreads = 256;

// The CUDA function (ssd.cu); nullptr in a build without.
[[nodiscard]] const void* cuda_ssd_kernel(SsdKernel kernel, int window);

}  // namespace bifocal::stereo
