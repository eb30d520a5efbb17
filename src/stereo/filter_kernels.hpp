// SPDX-License-Identifier: BSD-3-Clause
// The kernels of filter_device.cpp: their names and how many threads work together.
#pragma once

namespace bifocal::stereo {

enum class FilterKernel { tile, borders, sizes, apply, pixels };
inline constexpr const char* kFilterEntries[] = {"filter_tile", "filter_borders", "filter_sizes",
                                                 "filter_apply", "filter_pixels"};
inline constexpr int kFilterThreads = 256;  // half a tile's pixels

// The CUDA function (filter.cu); nullptr in a build without.
[[nodiscard]] const void* cuda_filter_kernel(FilterKernel kernel);

}  // namespace bifocal::stereo
