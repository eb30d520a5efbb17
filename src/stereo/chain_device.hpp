// SPDX-License-Identifier: BSD-3-Clause
// What happens to disparities after the winners are known (chain.hpp), on CUDA and OpenCL devices:
// the same bits. These functions put work on a queue and allocate nothing. `steps` as in
// disparity.lane.h; arrays are packed, [height][width] unless told otherwise, and no two of one
// call the same.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/stereo.hpp>

#include <cstdint>

namespace bifocal::stereo {

struct ChainSize {
  int width = 0, height = 0;  // px: their product + 255 fits an int
  [[nodiscard]] int pixels() const { return width * height; }
};

using StepsBuffer = Buffer<std::uint16_t>;

// Known pixels whose right pixel's winner (index of its disparity, 0xffff none) differs by more
// than `tolerance` steps become unknown. Negative: no work.
void check_directions(Queue& queue, ChainSize size, const StepsBuffer& steps,
                      const StepsBuffer& right_index, int min_disparity, int tolerance);

// 1 where no right pixel's winner leads to, else 0.
void mark_occluded(Queue& queue, ChainSize size, const StepsBuffer& right_index, int min_disparity,
                   const Buffer<std::uint8_t>& occluded);

// What filling needs besides.
struct FillScratch {
  StepsBuffer steps;      // [height][width]; of mean and edge_aware
  Buffer<int> row_known;  // [height]; of background and edge_aware
};
// As fill_unknown: `filled` from `steps`. `brightness` of the left picture and `occluded`:
// Fill::edge_aware only. Fill::none: `filled` is not written.
void fill_unknown(Queue& queue, ChainSize size, Fill fill, int window, const StepsBuffer& steps,
                  const Memory<const std::uint8_t>& brightness,
                  const Buffer<std::uint8_t>& occluded, const FillScratch& scratch,
                  const StepsBuffer& filled);

// The end of a background fill whose rows are filled: those without any value.
void fill_blank_rows(Queue& queue, ChainSize size, const Buffer<int>& row_known,
                     const StepsBuffer& filled);

}  // namespace bifocal::stereo
