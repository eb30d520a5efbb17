// SPDX-License-Identifier: BSD-3-Clause
// A search hands this to the filters: the winners of both directions, the same for semi-global and
// for block matching.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include <bifocal/device.hpp>
#include <bifocal/image.hpp>

namespace bifocal::stereo {

struct PictureSize {
  int width = 0, height = 0;  // px: their product + 255 fits an int
  [[nodiscard]] int pixels() const { return width * height; }
};

// On the CPU this is one row of winners, each array [width].
struct WinnerRow {
  const std::uint16_t* disparity = nullptr;    // fixed-point (disparity.lane.h), not yet checked
  const std::uint16_t* right_index = nullptr;  // of right pixels: index of the winner's disparity,
                                               // NO_CANDIDATE none
  const std::uint8_t* confidence = nullptr;    // null when the search has none
};

using DisparityBuffer = Buffer<std::uint16_t>;

// A map in the memory of a CPU.
template <class T>
[[nodiscard]] ImageView<T> view_of(const Buffer<T>& map, PictureSize size) {
  return {map.data(), size.width, size.height};
}

// The winners of a picture as maps [height][width]. Fill::planes looks at the brightness.
struct WinnerMaps {
  const DisparityBuffer &disparity, &right_index;
  Memory<const std::uint8_t> confidence;
  Memory<const std::uint8_t> brightness{};  // of the left picture, 0 to 255
  std::ptrdiff_t brightness_stride = 0;     // numbers from row to row; 0: width
};

}  // namespace bifocal::stereo
