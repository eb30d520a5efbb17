// SPDX-License-Identifier: BSD-3-Clause
// The winner search of SSD block matching: exact integers, both directions from one sweep.
//
//   cost(x, y, d) = sum over |i|, |j| <= window / 2 of (L(x + i, y + j) - R(x - d + i, y + j))^2
//
// Rows outside the images are left out of the sum (of every disparity alike); columns outside
// repeat the border's. A disparity is searched where both x and x - d lie inside. Swapping and
// mirroring the pictures swaps and mirrors the winners.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include <bifocal/stereo.hpp>

#include "stereo/winners.hpp"

namespace bifocal::stereo {

// Called once a row, in any order, from several threads. The smaller disparity wins a tie of two
// neighbours; other ties leave a left pixel unknown, and count for right ones. Between whole pixels
// a left winner lies at the vertex of the parabola through its cost and its two neighbours', where
// both were searched.
using SsdSink = std::function<void(int y, const WinnerRow& row)>;

// Finds the winners of pairs of one size. All memory is taken when it is made.
class SsdSearch {
 public:
  // `options` have been checked; at most `threads` threads.
  SsdSearch(PictureSize size, const SsdOptions& options, int threads);
  ~SsdSearch();
  // The pictures are grey and of that size.
  void run(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right,
           const SsdSink& sink);
  [[nodiscard]] std::size_t bytes() const;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

// Checked winners: all become unknown where (almost) none of the samples (census.lane.h) is known.
// Pictures without texture, or that repeat themselves, are matched by their borders alone.
void forget_unclear(ImageView<std::uint16_t> disparity, const SsdOptions& options);

}  // namespace bifocal::stereo
