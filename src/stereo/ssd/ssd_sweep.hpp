// SPDX-License-Identifier: BSD-3-Clause
// The inner loops of SSD block matching, compiled for every SIMD target. One sweep covers `lanes`
// consecutive disparities d0 + l of one image row.
//
// Column c is picture column c - radius, c in [0, columns), columns = width + 2 radius. Arrays on
// the right are reversed, so that the right pixels of rising disparities lie next to each other:
// element j is right column width - 1 + radius - d0 - j, and lane l of column c meets element
// columns - 1 - c + l. Column sums are scaled by 2^key_bits; the box sum of lane l starts at l, so
// that a sum is also the key (cost << key_bits | l), and its minimum is the winner with the smaller
// disparity.
#pragma once

#include <cstdint>

namespace bifocal::stereo {

// A row that enters the window and one that leaves it, as 16-bit pairs. With a and b such pairs of
// two pictures' pixels, (enter_a - enter_b)^2 - (leave_a - leave_b)^2 is the pairwise product sum
// of `plus` and `minus` differences.
struct RowPairs {
  std::uint32_t* plus;   // (enter << shift, leave << shift)
  std::uint32_t* minus;  // (enter << shift, -(leave << shift))
};

struct Sweep {
  int width = 0, radius = 0, columns = 0;
  int lanes = 0;  // a multiple of kLaneStep
  int key_bits = 0;
  RowPairs left{};                 // [columns]
  RowPairs right{};                // [columns - 1 + lanes]
  std::uint32_t* sums = nullptr;   // column sums [1 + columns][lanes]; the first is zero for good
  std::uint32_t* boxes = nullptr;  // scratch [3][lanes]: two box sums, right keys
  const std::uint32_t* lane_mask = nullptr;  // [lanes]: 0 candidate, ~0 not one
  const std::uint32_t* right_mask =
      nullptr;  // [width - 1 + lanes]: 0 where the right pixel is inside, else ~0
  int clear_begin = 0, clear_end = 0;  // x for which right_mask is 0 in all lanes
  // Out, for a sweep that searches.
  std::uint32_t* left_keys = nullptr;  // [width], ~0 none
  std::uint32_t* last_keys = nullptr;  // [width], of the last lane of the lowest cost, whose bits
                                       // are turned over
  std::uint32_t* below =
      nullptr;  // [width] cost at the winner's disparity - 1 (junk where it has none)
  std::uint32_t* above = nullptr;  // and + 1
  std::uint32_t* right_keys =
      nullptr;  // [width - 1 + lanes], right pixel width - 1 - d0 - j; ~0 none
};

inline constexpr int kLaneStep = 16;  // of every target, so that results are laid out alike

// A pair of 8-bit rows [count] as RowPairs with the given shifts.
void make_pairs(const std::uint8_t* enter, const std::uint8_t* leave, int count, int plus_shift,
                int minus_shift, const RowPairs& out);
// Moves the column sums down by one row.
void move_sums(const Sweep& s);
// Moves the column sums down by one row and finds the winners there.
void sweep_row(const Sweep& s);

}  // namespace bifocal::stereo
