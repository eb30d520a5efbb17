// SPDX-License-Identifier: BSD-3-Clause
// The inner loops of semi-global matching on a CPU, compiled for every SIMD target: the lanes are
// neighbouring disparities of one pixel. One row at a time; the same numbers as sgm.kernel.h on
// GPUs, and as tests/stereo/reference_sgm.hpp, the oracle of both.
//
// A pixel's path costs [D] are bytes; lanes beyond D hold 255 for good. `stride` bytes from one
// pixel to the next leave kGuard bytes of 255 behind them, which neighbours of the first and the
// last disparity are read from.
#pragma once

#include <cstdint>

namespace bifocal::stereo {

inline constexpr int kGuard = 16;        // bytes of 255 between pixels
inline constexpr int kWidestBytes = 64;  // a register of the widest target
inline constexpr int kSumsBlock = 32;    // a pixel's sums are padded to a multiple of this

// Smoothed brightness of one row as three padded rows around it.
struct CensusRow {
  const std::uint16_t* rows[7];  // smoothed, of y - 3 to y + 3; columns -4 to width + 3 exist
  int width = 0, kind = 0, tolerance = 0;
  std::uint16_t* half[4];         // scratch [width]
  std::uint32_t* low = nullptr;   // out [width]: 32 bits of the code
  std::uint32_t* high = nullptr;  // out: the rest of a full census, else 0 or unused
};
void census_row(const CensusRow& c);

// Matching costs of one row: cost(x, i) = bits that differ between the left code at x and the
// right one at x - min_disparity - i, whose row is reversed and padded: element (width - 1 - x) +
// i.
struct CostRow {
  int width = 0, disparities = 0, stride = 0;
  const std::uint32_t* left[2];  // low and high codes [width]; high: nullptr without
  const std::uint32_t* right[5]
                            [2];  // reversed rows y, y - 1, y + 1, y - 2, y + 2; nullptr: outside
  int rows_apart_penalty = 0;     // a row apart costs
  std::uint8_t* cost = nullptr;   // out [width][stride], 255 beyond D
};
void cost_row(const CostRow& c);

// One row of a sweep: the path along it and one or three from the row before.
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

// Winners of one row of sums, both directions. Arrays of right pixels are reversed: xr at width - 1
// - xr, with `reach` elements on both sides.
struct WinnerRow16 {
  int width = 0, disparities = 0, min_disparity = 0, sums_stride = 0;
  const std::uint16_t* sums = nullptr;  // [width][sums_stride]
  std::uint16_t* index = nullptr;       // out [width]: the winner, 0xffff none
  std::uint16_t* best = nullptr;        // its sum
  std::uint16_t* below = nullptr;       // the sums beside it, 0xffff: no candidate
  std::uint16_t* above = nullptr;
  std::uint16_t* elsewhere = nullptr;    // the lowest sum that is not beside it, 0xffff none
  std::uint16_t* right_best = nullptr;   // scratch [width + disparities + 2 block]
  std::uint16_t* right_index = nullptr;  // out, of the same size
};
void winner_row(const WinnerRow16& w);
// Element of right pixel xr in right_best and right_index.
[[nodiscard]] constexpr int right_place(int width, int xr) { return width - 1 - xr; }

}  // namespace bifocal::stereo
