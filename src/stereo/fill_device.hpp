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

// Marks, 1 or 0, of pixels that no right pixel's winner leads to.
void mark_occluded(Queue& queue, PictureSize size, const DisparityBuffer& right_index,
                   int min_disparity, const Buffer<std::uint8_t>& occluded);

// Memory that filling needs besides.
struct FillScratch {
  DisparityBuffer disparity;  // [height][width]; of Fill::mean and Fill::edge_aware
  Buffer<int> row_known;      // [height]; of Fill::background and Fill::edge_aware
};
// Fills `disparity` into `filled`, which Fill::none does not write. `brightness` of the left
// picture and `occluded` are used by Fill::edge_aware only.
void fill_unknown(Queue& queue, PictureSize size, Fill fill, int window,
                  const DisparityBuffer& disparity, const Memory<const std::uint8_t>& brightness,
                  const Buffer<std::uint8_t>& occluded, const FillScratch& scratch,
                  const DisparityBuffer& filled);

}  // namespace bifocal::stereo
