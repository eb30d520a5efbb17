// SPDX-License-Identifier: BSD-3-Clause
// Fill::background from the nearest known disparities in eight directions, on CPUs.
#pragma once

#include <bifocal/image.hpp>

#include <cstdint>
#include <vector>

namespace bifocal::stereo {

// Kept from call to call, so that calls for pictures of one size allocate only once.
struct NearestMemory {
  std::vector<std::uint16_t> nearest;  // known disparities above (or below) the pixels of a row
  ImageU16 second;                     // the second lowest of those in other rows
};

// Copies `disparity` to `out`, with values for the unknown pixels from which a direction leads to a
// known one.
void fill_from_nearest(ImageView<const std::uint16_t> disparity, NearestMemory& memory,
                       ImageView<std::uint16_t> out);

}  // namespace bifocal::stereo
