// SPDX-License-Identifier: BSD-3-Clause
// Values for unknown pixels on CUDA and OpenCL devices, to the bits of fill.hpp. These functions
// put work on a queue and allocate nothing. Maps are [height][width], and no two of one call the
// same.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/stereo.hpp>

#include <cstdint>

#include "stereo/winners.hpp"

namespace bifocal::stereo {

// Numbers of FillScratch::ends.
[[nodiscard]] std::size_t fill_entries(PictureSize size);

// Memory that filling needs besides.
struct FillScratch {
  DisparityBuffer disparity;   // [height][width]
  Buffer<std::uint32_t> ends;  // [fill_entries]; of background and planes
  Buffer<int> row_known;       // [height]; of those too
};
// Fills `disparity` into `filled`, which Fill::none does not write. Fill::planes does what
// Fill::background does, to disparities that have their planes (planes_device.hpp); these may be in
// `filled`.
void fill_unknown(Queue& queue, PictureSize size, Fill fill, int window,
                  const DisparityBuffer& disparity, const FillScratch& scratch,
                  const DisparityBuffer& filled);

}  // namespace bifocal::stereo
