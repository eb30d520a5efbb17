// SPDX-License-Identifier: BSD-3-Clause
// Values for unknown pixels, on all devices. The functions put work on a queue and allocate
// nothing. Maps are [height][width], and no two of one call the same.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/stereo.hpp>

#include <cstdint>

#include "stereo/nearest.hpp"
#include "stereo/winners.hpp"

namespace bifocal::stereo {

// Numbers of FillScratch::ends.
[[nodiscard]] std::size_t fill_entries(PictureSize size);

// Scratch memory of the fill.
struct FillScratch {
  DisparityBuffer disparity;   // [height][width]
  Buffer<std::uint32_t> ends;  // [fill_entries]; of background and planes on a GPU
  Buffer<int> row_known;       // [height]; of background and planes
  Buffer<int> row_source;      // [height]; of background and planes
  NearestMemory nearest{};     // of a CPU
};
// Fills `disparity` into `filled`, which Fill::none does not write. Fill::planes does the same as
// Fill::background, to disparities that have their planes (planes.hpp) and may be in `filled`.
void fill_unknown(Queue& queue, PictureSize size, Fill fill, int window,
                  const DisparityBuffer& disparity, FillScratch& scratch,
                  const DisparityBuffer& filled);

}  // namespace bifocal::stereo
