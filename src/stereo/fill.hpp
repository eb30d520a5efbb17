// SPDX-License-Identifier: BSD-3-Clause
// Values for unknown pixels on the CPU; fill_device.hpp does the same on GPUs. Disparities are
// fixed-point (disparity.lane.h).
#pragma once

#include <vector>

#include <bifocal/stereo.hpp>

namespace bifocal::stereo {

// Kept from call to call, so that calls for pictures of one size allocate only once.
struct FillMemory {
  std::vector<char> row_known;  // has the row any value?
  ImageU16 next;
};

// Fills `disparity` into `out`. `brightness` of the left picture, and `occluded`, 1 where no right
// pixel's winner leads to the pixel, are used by Fill::edge_aware only.
void fill_unknown(const ImageU16& disparity, Fill fill, int window,
                  ImageView<const std::uint8_t> brightness, const ImageU8& occluded,
                  FillMemory& memory, ImageU16& out);

}  // namespace bifocal::stereo
