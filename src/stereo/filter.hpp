// SPDX-License-Identifier: BSD-3-Clause
// The CPU does this to disparities after the winners are known; filter_device.hpp does the same on
// GPUs. Disparities are fixed-point (disparity.lane.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <bifocal/stereo.hpp>

#include "stereo/fill.hpp"
#include "stereo/planes/planes.hpp"
#include "stereo/regions.hpp"
#include "stereo/winners.hpp"

namespace bifocal::stereo {

// Bytes that a matcher takes for a pixel after its search: disparities, confidence, marks, and what
// the filters keep.
[[nodiscard]] constexpr std::size_t filter_bytes(Fill fill) {
  return fill == Fill::planes ? 23 : 19;
}

// The functions below keep this from call to call, so that calls for pictures of one size allocate
// nothing after the first (speckles: unless there are more of them than in any call before).
struct FilterMemory {
  Regions regions;                     // of the speckles, then of the planes
  std::vector<std::uint16_t> windows;  // rows of the median, for each thread
  FillMemory fill;
  PlanesMemory planes;
  ImageU16 with_planes, filled;
};

// Keeps the winners of a row that the right picture's winners confirm (Rules::cross_checked).
void check_row(const WinnerRow& row, int width, int min_disparity, int tolerance,
               std::uint16_t* disparity);

// The median of the known neighbours of known pixels in a square of `side` (3 or 5).
void median_known(const ImageU16& disparity, int side, FilterMemory& memory, ImageU16& out);

// Regions (of 4-neighbours that differ by at most `range`, 1/32 px) of fewer than `size` pixels
// become unknown.
void remove_speckles(ImageU16& disparity, int size, int range, FilterMemory& memory);

// Median, speckles and fill in their order. brightness: of the left picture, 0 to 255. The result
// of the fill is memory.filled (Fill::none: a copy).
void filter_disparity(ImageU16& disparity, ImageView<const std::uint8_t> brightness,
                      const DisparityFilter& filter, FilterMemory& memory);

}  // namespace bifocal::stereo
