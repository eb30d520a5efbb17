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

// Memory that filling needs besides.
struct FillScratch {
  DisparityBuffer disparity;     // [height][width]
  Buffer<std::uint32_t> lowest;  // [height][width]; of Fill::background
  Buffer<int> row_known;         // [height]; of Fill::background
};
// Fills `disparity` into `filled`, which Fill::none does not write.
void fill_unknown(Queue& queue, PictureSize size, Fill fill, int window,
                  const DisparityBuffer& disparity, const FillScratch& scratch,
                  const DisparityBuffer& filled);

}  // namespace bifocal::stereo
