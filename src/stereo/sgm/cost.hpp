// SPDX-License-Identifier: BSD-3-Clause
// Matching costs on the CPU.
#pragma once

#include <cstdint>

namespace bifocal::stereo {

// Matching costs of one row: cost(x, i) is the number of bits that differ between the left code at
// x and the right code at x - min_disparity - i. The right row is reversed and padded, so that this
// code is element (width - 1 - x) + i.
struct CostRow {
  int width = 0, disparities = 0, stride = 0;
  const std::uint32_t* left[2];  // low and high codes [width]; high: nullptr if not full
  // Reversed rows y, y - 1, y + 1, y - 2, y + 2 of the codes; nullptr outside the image.
  const std::uint32_t* right[5][2];
  int rows_apart_penalty = 0;    // cost per row of distance
  std::uint8_t* cost = nullptr;  // out [width][stride], 255 beyond the last disparity
};
void cost_row(const CostRow& c);

}  // namespace bifocal::stereo
