// SPDX-License-Identifier: BSD-3-Clause
// Inner loops of SSD block matching, compiled for every SIMD target. One sweep covers `lanes`
// consecutive disparities d0 + l of one image row.
//
// Column c is image column c - radius, c in [0, columns), columns = width + 2 radius. Arrays of the
// right image are reversed, so that the right pixels of increasing disparities are adjacent:
// element j is right column width - 1 + radius - d0 - j, and lane l of column c meets element
// columns - 1 - c + l. Column sums are scaled by 2^key_bits, and the box sum of lane l starts at l.
// A sum is therefore also the key (cost << key_bits | l), and the minimum of the keys is the winner
// with the smaller disparity.
#pragma once

#include <cstdint>

namespace bifocal::stereo {

// A row that enters the window and a row that leaves it, as 16-bit pairs. For such pairs of pixels
// a and b of two images, the pairwise product sum of the `plus` and `minus` differences is (enter_a
// - enter_b)^2 - (leave_a - leave_b)^2.
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
  std::uint32_t* sums = nullptr;   // column sums [1 + columns][lanes]; the first is always zero
  std::uint32_t* boxes = nullptr;  // scratch [3][lanes]: two box sums, right keys
  const std::uint32_t* lane_mask = nullptr;  // [lanes]: 0: candidate, ~0: not a candidate
  // [width - 1 + lanes]: 0 if the right pixel is inside the image, else ~0.
  const std::uint32_t* right_mask = nullptr;
  int clear_begin = 0, clear_end = 0;  // range of x for which right_mask is 0 in all lanes
  // Output of a sweep that searches.
  std::uint32_t* left_keys = nullptr;  // [width], ~0: none
  std::uint32_t* last_keys = nullptr;  // [width]: key of the last lane with the lowest cost, with
                                       // inverted lane bits
  std::uint32_t* below = nullptr;  // [width]: cost at the winner's disparity - 1 (undefined if the
                                   // lane does not exist)
  std::uint32_t* above = nullptr;  // [width]: cost at + 1
  // [width - 1 + lanes]: element j is the key of right pixel width - 1 - d0 - j; ~0: none.
  std::uint32_t* right_keys = nullptr;
};

inline constexpr int kLaneStep = 16;  // lanes of every target, so that results have the same layout

// Converts a pair of 8-bit rows [count] to RowPairs with the given shifts.
void make_pairs(const std::uint8_t* enter, const std::uint8_t* leave, int count, int plus_shift,
                int minus_shift, const RowPairs& out);
// Moves the column sums down by one row.
void move_sums(const Sweep& s);
// Moves the column sums down by one row and finds the winners of that row.
void sweep_row(const Sweep& s);

}  // namespace bifocal::stereo
