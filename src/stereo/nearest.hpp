// SPDX-License-Identifier: BSD-3-Clause
// Fill::background on CPUs, from the nearest known disparities in eight directions.
#pragma once

#include <bifocal/image.hpp>

#include <cstdint>
#include <vector>

namespace bifocal::stereo {

// Scratch memory kept between calls, so that calls for images of one size allocate only once.
struct NearestMemory {
  std::vector<std::uint16_t> nearest;  // nearest known disparities above (or below) a row
  ImageU16 second;                     // second lowest of the disparities in other rows
};

// Copies `disparity` to `out` and fills the unknown pixels from which at least one of the eight
// directions leads to a known pixel.
void fill_from_nearest(ImageView<const std::uint16_t> disparity, NearestMemory& memory,
                       ImageView<std::uint16_t> out);

}  // namespace bifocal::stereo
