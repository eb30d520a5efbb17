// SPDX-License-Identifier: BSD-3-Clause
// This is the innermost loop of semi-global matching on a CPU, compiled for every SIMD target.
#pragma once

#include <cstdint>

namespace bifocal::stereo {

// This is one row of a sweep: the path along it and one or three from the row before.
struct PathRow {
  int width = 0, disparities = 0, stride = 0, sums_stride = 0;
  int step = 1;                        // 1: x rises, -1: it falls
  int paths = 4;                       // 4, or 2: along the row and straight from the row before
  const std::uint8_t* cost = nullptr;  // [width][stride]
  const std::uint8_t* brightness = nullptr;  // [width] of this row
  const std::uint8_t* brightness_before = nullptr;
  const std::uint8_t* jump = nullptr;  // [256] penalty of a jump by contrast
  int P1 = 0;
  // [3][width + 2][stride], pixel x at x + 1: straight, from x - step and from x + step. What lies
  // outside the picture is all 0.
  const std::uint8_t* before = nullptr;
  std::uint8_t* now = nullptr;
  const std::uint8_t* least_before = nullptr;  // [3][width + 2]: their minima
  std::uint8_t* least_now = nullptr;
  std::uint8_t* along = nullptr;  // [2][stride] in turn; kept between the parts of a row
  int* along_least = nullptr;
  std::uint16_t* sums = nullptr;  // [width][sums_stride]
  bool add = false;               // to what is there, else set
};
// Pixels [begin, end) of the row, in the order of `step`.
void path_row(const PathRow& p, int begin, int end);

}  // namespace bifocal::stereo
