// SPDX-License-Identifier: BSD-3-Clause
// Fills unknown pixels with values, on all devices. The functions enqueue their work, and allocate
// no memory on a GPU; on a CPU the first call allocates NearestMemory. Maps are [height][width];
// the maps of one call must be distinct.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/stereo.hpp>

#include <cstdint>

#include "stereo/nearest.hpp"
#include "stereo/winners.hpp"

namespace bifocal::stereo {

// Returns the number of elements of FillScratch::ends.
[[nodiscard]] std::size_t fill_entries(ImageSize size);

// Scratch memory of the fill.
struct FillScratch {
  DisparityBuffer disparity;   // [height][width]
  Buffer<std::uint32_t> ends;  // [fill_entries]; background and planes on a GPU
  Buffer<int> row_known;       // [height]; background and planes
  Buffer<int> row_source;      // [height]; background and planes
  NearestMemory nearest{};     // CPU only
};
// Fills `disparity` into `filled`. Fill::none does not write `filled`. Fill::planes works like
// Fill::background and expects disparities to which planes.hpp has added the planes; only these may
// be in `filled` already.
void fill_unknown(Queue& queue, ImageSize size, Fill fill, int window,
                  const DisparityBuffer& disparity, FillScratch& scratch,
                  const DisparityBuffer& filled);

}  // namespace bifocal::stereo
