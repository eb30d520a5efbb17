// SPDX-License-Identifier: BSD-3-Clause
// Block matching on CUDA and OpenCL devices gives the bits of ssd.hpp, checked in both directions.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/stereo.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stereo/ssd/ssd.kernels.hpp"
#include "stereo/winners.hpp"

namespace bifocal::stereo {

// Disparities [lane0, lane0 + lanes) that one launch computes costs of, and those of them,
// [first, end), that it finds winners among: a neighbour on either side serves the parabola.
struct SsdChunk {
  int lane0 = 0, lanes = 0, first = 0, end = 0;
};

// Finds the winners of pictures of one size. All memory is taken when it is made.
class SsdDevice {
 public:
  // `options` have been checked.
  SsdDevice(Queue& queue, PictureSize size, const SsdOptions& options);

  // left, right [height][width]; asynchronous. The winners, after the cross-check, are written to
  // `disparity`, and to memory of this object that the next run uses again. There is no confidence.
  WinnerMaps run(Queue& queue, const Memory<const std::uint8_t>& left,
                 const Memory<const std::uint8_t>& right, const DisparityBuffer& disparity);
  [[nodiscard]] std::size_t bytes() const;  // of the device's memory

 private:
  PictureSize size_;
  SsdOptions options_;
  kernels::ssd::launch<float> kernels_;
  int first_, end_;  // disparities that some pixel can have
  std::vector<SsdChunk> chunks_;
  int tiles_, rows_;  // tiles of a row of pictures, rows of a tile
  DisparityBuffer right_index_;
  Buffer<std::uint32_t> right_keys_, left_cost_, right_cost_, clear_;
};

}  // namespace bifocal::stereo
