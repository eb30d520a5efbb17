// SPDX-License-Identifier: BSD-3-Clause
// Winners of semi-global matching on the CPU: the lowest sums of a row in both directions, and the
// disparities that they make.
#pragma once

#include <cstdint>

#include "stereo/winners.hpp"

namespace bifocal::stereo {

// The winners of one row of sums in both directions. Arrays of right pixels are reversed: pixel xr
// is at width - 1 - xr.
struct SumsRow {
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
void winner_row(const SumsRow& w);

// A row of winners, and the sums that it was made of.
struct SgmWinnerRow : WinnerRow {
  const SumsRow& sums;
};
// A row of winners goes here, each array [width].
struct RowMemory {
  std::uint16_t *disparity, *right_index;
  std::uint8_t* confidence;
};
// Nothing is known unless the pair is clear (CensusCoder::is_clear).
[[nodiscard]] SgmWinnerRow disparity_row(const SumsRow& sums, bool is_clear, int uniqueness,
                                         int step_cost, const RowMemory& memory);

}  // namespace bifocal::stereo
