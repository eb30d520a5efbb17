// SPDX-License-Identifier: BSD-3-Clause
// Converts fixed-point disparities (disparity.lane.h) to the maps of the API.
#pragma once

#include <cstdint>

#include <bifocal/stereo.hpp>

#include "runtime/cancel.hpp"

namespace bifocal::stereo {

// Allocates the image unless it already has the given size and one channel.
template <class T>
void fit(Image<T>& image, int width, int height) {
  if (image.width == width && image.height == height && image.channels == 1) return;
  image = {};
  runtime::grow(image.pixels, static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  image.width = width, image.height = height;
}

// Converts a length in px to 1/32 px, rounded to the nearest and at most 65534. Returns -1 for a
// negative length.
[[nodiscard]] int subpixels_of(double px);

// Output maps, [height][width]. A null pointer skips the map.
struct MapPointers {
  float *raw = nullptr, *filled = nullptr;
  std::uint8_t* confidence = nullptr;
};
// Makes `map` fit and returns its memory. SSD has no confidence.
[[nodiscard]] MapPointers pointers_of(DisparityMap& map, int width, int height,
                                      bool has_confidence);

// Writes the raw and the filled map in px and, for known pixels, the confidence. Returns the
// density in per cent.
double to_maps(ImageView<const std::uint16_t> raw, ImageView<const std::uint16_t> filled,
               const std::uint8_t* confidence, int min_disparity, const MapPointers& out);

}  // namespace bifocal::stereo
