// SPDX-License-Identifier: BSD-3-Clause
// The winner search of SSD block matching: exact integers, both directions from one sweep.
//
//   cost(x, y, d) = sum over |i|, |j| <= window / 2 of (L(x + i, y + j) - R(x - d + i, y + j))^2
//
// Rows outside the images are left out of the sum (of every disparity alike); columns outside
// repeat the border's. A disparity is searched where both x and x - d lie inside. Swapping and
// mirroring the pictures swaps and mirrors the winners.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include <bifocal/stereo.hpp>

namespace bifocal::stereo {

inline constexpr int kNoDisparity = INT_MIN;  // no disparity could be searched

// One row of winners, each [width]. The smaller disparity wins a tie.
struct WinnerRow {
  const int* left;            // disparity of left pixel x, seen at x - d on the right
  const std::int8_t* offset;  // steps: vertex of the parabola through the left winner's cost and
                              // its two neighbours', 0 where one of them was not searched
  const int* right;           // disparity of right pixel x, seen at x + d on the left
};
// Called once a row, in any order, from several threads.
using WinnerSink = std::function<void(int y, const WinnerRow& row)>;

// Of pairs of one size; all memory is taken when it is made.
class SsdSearch {
 public:
  // `options` have been checked; at most `threads` threads.
  SsdSearch(int width, int height, const SsdOptions& options, int threads);
  ~SsdSearch();
  // Grey pictures of that size.
  void run(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right,
           const WinnerSink& sink);
  [[nodiscard]] std::size_t bytes() const;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace bifocal::stereo
