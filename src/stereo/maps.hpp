// SPDX-License-Identifier: BSD-3-Clause
// Fixed-point disparities (disparity.lane.h) become the maps of the API.
#pragma once

#include <cstdint>

#include <bifocal/stereo.hpp>

#include "runtime/cancel.hpp"

namespace bifocal::stereo {

// Gives an image memory unless it has the right size already.
template <class T>
void fit(Image<T>& image, int width, int height) {
  if (image.width == width && image.height == height && image.channels == 1) return;
  image = {};
  runtime::grow(image.pixels, static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  image.width = width, image.height = height;
}

// A length in px as 1/32 px, rounded to the nearest, at most 65534; -1 when it is negative.
[[nodiscard]] int subpixels_of(double px);

// Maps go here, [height][width]; a null pointer asks for none.
struct MapPointers {
  float *raw = nullptr, *filled = nullptr;
  std::uint8_t* confidence = nullptr;
};
// The memory of `map`, which is made to fit. SSD has no confidence.
[[nodiscard]] MapPointers pointers_of(DisparityMap& map, int width, int height,
                                      bool has_confidence);

// Writes raw and filled in px, and `confidence` where a pixel is known. Returns the density.
double to_maps(ImageView<const std::uint16_t> raw, ImageView<const std::uint16_t> filled,
               const std::uint8_t* confidence, int min_disparity, const MapPointers& out);

}  // namespace bifocal::stereo
