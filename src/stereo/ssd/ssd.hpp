// SPDX-License-Identifier: BSD-3-Clause
// Winner search of SSD block matching: exact integers, both directions in one sweep.
//
//   cost(x, y, d) = sum over |i|, |j| <= window / 2 of (L(x + i, y + j) - R(x - d + i, y + j))^2
//
// Rows outside the images are left out of the sum, for every disparity alike; columns outside
// repeat the border's values. A disparity is searched if both x and x - d lie inside the image.
// Swapping and mirroring the images swaps and mirrors the winners.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include <bifocal/stereo.hpp>

#include "stereo/winners.hpp"

namespace bifocal::stereo {

// Called once per row, in any order, from several threads. The smaller disparity wins a tie between
// two neighbours. In other ties a left pixel becomes unknown, a right pixel keeps its winner. A
// left winner lies at the vertex of the parabola through its cost and the costs of its two
// neighbours if both were searched, else at a whole pixel.
using SsdSink = std::function<void(int y, const WinnerRow& row)>;

// Finds the winners of image pairs of one size. The constructor allocates all memory.
class SsdSearch {
 public:
  // options: already checked. Uses at most `threads` threads.
  SsdSearch(ImageSize size, const SsdOptions& options, int threads);
  ~SsdSearch();
  // left, right: grey images of the size given to the constructor.
  void run(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right,
           const SsdSink& sink);
  [[nodiscard]] std::size_t bytes() const;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

// Makes all cross-checked winners unknown if too few samples (census.lane.h) are known. Images
// without texture, or that repeat themselves, would be matched by their borders alone.
void forget_unclear(ImageView<std::uint16_t> disparity, const SsdOptions& options);

}  // namespace bifocal::stereo
