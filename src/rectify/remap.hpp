// SPDX-License-Identifier: BSD-3-Clause
// Samples rows at fixed-point positions on the CPU.
#pragma once

#include <bifocal/image.hpp>

#include <cstddef>
#include <cstdint>

#include "lane/scalar.hpp"

namespace bifocal::rectification {

// Instance of remap.lane.h for one kind of pixel.
template <class Real, class Pixel, int kChannels>
struct remap_lanes {
  using pixel = Pixel;
  static constexpr int CHANNELS = kChannels;
#include "lane/cpp_begin.h"

#include "rectify/remap.lane.h"

#include "lane/cpp_end.h"
};

// Samples the output pixels of a row at positions x, y (1/256 px, -1 outside). `valid` may be null.
void remap_row(ImageView<const std::uint8_t> input, const std::int32_t* x, const std::int32_t* y,
               int width, std::uint8_t* output, std::uint8_t* valid);
void remap_row(ImageView<const std::uint16_t> input, const std::int32_t* x, const std::int32_t* y,
               int width, std::uint16_t* output, std::uint8_t* valid);

// Computes the input positions of the pixels in row y. m: input_from_output, with the visible
// side positive.
void homography_positions(const double* m, int y, int width, int input_width, int input_height,
                          std::int32_t* x, std::int32_t* out_y);

}  // namespace bifocal::rectification
