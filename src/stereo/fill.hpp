// SPDX-License-Identifier: BSD-3-Clause
// Values for unknown pixels on the CPU; fill_device.hpp does the same on GPUs. Disparities are
// fixed-point (disparity.lane.h).
#pragma once

#include <vector>

#include <bifocal/stereo.hpp>

namespace bifocal::stereo {

// Kept from call to call, so that calls for pictures of one size allocate only once.
struct FillMemory {
  std::vector<char> row_known;         // has the row any value?
  std::vector<std::uint16_t> nearest;  // known disparities above (or below) the pixels of a row
  ImageU16 next;
};

// Fills `disparity` into `out`. Fill::planes does what Fill::background does, to disparities that
// have their planes (planes.hpp).
void fill_unknown(const ImageU16& disparity, Fill fill, int window, FillMemory& memory,
                  ImageU16& out);

}  // namespace bifocal::stereo
