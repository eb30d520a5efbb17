// SPDX-License-Identifier: BSD-3-Clause
// Winners of semi-global matching on the CPU: the lowest sums of a row in both directions, and the
// disparities derived from them.
#pragma once

#include <cstdint>

#include "stereo/winners.hpp"

namespace bifocal::stereo {

// Winners of one row of sums in both directions. Arrays of right pixels are reversed: pixel xr is
// at width - 1 - xr.
struct SumsRow {
  int width = 0, disparities = 0, min_disparity = 0, sums_stride = 0;
  const std::uint16_t* sums = nullptr;  // [width][sums_stride]
  std::uint16_t* index = nullptr;       // out [width]: index of the winner, 0xffff: none
  std::uint16_t* best = nullptr;        // sum of the winner
  std::uint16_t* below = nullptr;       // sums next to the winner, 0xffff: no candidate
  std::uint16_t* above = nullptr;
  std::uint16_t* elsewhere = nullptr;    // lowest sum not next to the winner, 0xffff: none
  std::uint16_t* right_best = nullptr;   // scratch [width + disparities + 2 block]
  std::uint16_t* right_index = nullptr;  // out, same size
};
void winner_row(const SumsRow& w);

// A row of winners, and the sums from which they were found.
struct SgmWinnerRow : WinnerRow {
  const SumsRow& sums;
};
// Memory for a row of winners. Each array is [width].
struct RowMemory {
  std::uint16_t *disparity, *right_index;
  std::uint8_t* confidence;
};
// Converts the winners to disparities. All pixels are unknown unless the pair is
// clear (CensusCoder::is_clear).
[[nodiscard]] SgmWinnerRow disparity_row(const SumsRow& sums, bool is_clear, int uniqueness,
                                         int step_cost, const RowMemory& memory);

}  // namespace bifocal::stereo
