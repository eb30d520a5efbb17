// SPDX-License-Identifier: BSD-3-Clause
// Block matching on CUDA and OpenCL devices, with the same bits as ssd.hpp and with
// the cross-check.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/stereo.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stereo/ssd/ssd.kernels.hpp"
#include "stereo/winners.hpp"

namespace bifocal::stereo {

// Disparities [lane0, lane0 + lanes) whose costs one launch computes, and disparities [first, end)
// among which it finds winners. The neighbour on either side serves the parabola.
struct SsdChunk {
  int lane0 = 0, lanes = 0, first = 0, end = 0;
};

// Finds the winners of image pairs of one size. The constructor allocates all memory.
class SsdDevice {
 public:
  // options: already checked.
  SsdDevice(Queue& queue, ImageSize size, const SsdOptions& options);

  // Runs asynchronously. left, right: [height][width]. Writes the winners, after the cross-check,
  // to `disparity` and to memory of this object that the next run reuses. The maps have
  // no confidence.
  WinnerMaps run(Queue& queue, const Memory<const std::uint8_t>& left,
                 const Memory<const std::uint8_t>& right, const DisparityBuffer& disparity);
  [[nodiscard]] std::size_t bytes() const;  // bytes of device memory

 private:
  ImageSize size_;
  SsdOptions options_;
  kernels::ssd::launch<float> kernels_;
  int first_, end_;  // disparities that at least one pixel can have
  std::vector<SsdChunk> chunks_;
  int tiles_, rows_;  // tiles per image row, rows per tile
  DisparityBuffer right_index_;
  Buffer<std::uint32_t> right_keys_, left_cost_, right_cost_, clear_;
};

}  // namespace bifocal::stereo
