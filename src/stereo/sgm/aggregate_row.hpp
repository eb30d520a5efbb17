// SPDX-License-Identifier: BSD-3-Clause
// Innermost loop of semi-global matching on a CPU, compiled for every SIMD target.
#pragma once

#include <cstdint>

namespace bifocal::stereo {

// One row of a sweep: the path along the row, and one or three paths from the preceding row.
struct PathRow {
  int width = 0, disparities = 0, stride = 0, sums_stride = 0;
  int step = 1;                              // 1: x increases, -1: x decreases
  int paths = 4;                             // 4, or 2: along the row and vertically
  const std::uint8_t* cost = nullptr;        // [width][stride]
  const std::uint8_t* brightness = nullptr;  // [width], of this row
  const std::uint8_t* brightness_before = nullptr;
  const std::uint8_t* jump = nullptr;  // [256]: penalty of a jump by contrast
  int P1 = 0;
  // Path costs [3][width + 2][stride] with pixel x at index x + 1: vertical, from x - step and from
  // x + step. Costs outside the image are 0.
  const std::uint8_t* before = nullptr;
  std::uint8_t* now = nullptr;
  const std::uint8_t* least_before = nullptr;  // [3][width + 2]: minima of the costs
  std::uint8_t* least_now = nullptr;
  std::uint8_t* along = nullptr;  // [2][stride], alternately; kept between the parts of a row
  int* along_least = nullptr;
  std::uint16_t* sums = nullptr;  // [width][sums_stride]
  bool add = false;               // adds to `sums` instead of setting them
};
// Processes pixels [begin, end) of the row, in the order of `step`.
void path_row(const PathRow& p, int begin, int end);

}  // namespace bifocal::stereo
