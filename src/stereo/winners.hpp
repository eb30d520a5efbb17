// SPDX-License-Identifier: BSD-3-Clause
// Output of a search and input of the filters: the winners of both directions, in the same form for
// semi-global and for block matching.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include <bifocal/device.hpp>
#include <bifocal/image.hpp>

namespace bifocal::stereo {

struct ImageSize {
  int width = 0, height = 0;  // px; width * height + 255 must fit an int
  [[nodiscard]] int pixels() const { return width * height; }
};

// One row of winners on the CPU. Each array is [width].
struct WinnerRow {
  const std::uint16_t* disparity = nullptr;    // fixed-point (disparity.lane.h), not yet checked
  const std::uint16_t* right_index = nullptr;  // for right pixels: index of the winner's disparity,
                                               // or NO_CANDIDATE
  const std::uint8_t* confidence = nullptr;    // null if the search has none
};

using DisparityBuffer = Buffer<std::uint16_t>;

// Returns a view of a map in CPU memory.
template <class T>
[[nodiscard]] ImageView<T> view_of(const Buffer<T>& map, ImageSize size) {
  return {map.data(), size.width, size.height};
}

// Winners of an image as maps [height][width]. Fill::planes reads the brightness.
struct WinnerMaps {
  const DisparityBuffer &disparity, &right_index;
  Memory<const std::uint8_t> confidence;
  Memory<const std::uint8_t> brightness{};  // brightness of the left image, 0 to 255
  std::ptrdiff_t brightness_stride = 0;     // elements from row to row; 0: width
};

}  // namespace bifocal::stereo
