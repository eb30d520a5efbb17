// SPDX-License-Identifier: BSD-3-Clause
// SSD block matching on CUDA and OpenCL devices: the bits of stereo_ssd on the CPU.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/stereo.hpp>

#include <cstdint>
#include <vector>

#include "runtime/kernel.hpp"
#include "stereo/chain_device.hpp"

namespace bifocal::stereo {

// Disparities [lane0, lane0 + lanes) that one launch computes costs of, and those of them,
// [first, end), that it finds winners among: a neighbour on either side serves the parabola.
struct SsdChunk {
  int lane0 = 0, lanes = 0, first = 0, end = 0;
};

// For pictures of one size; all memory is taken when it is made.
class SsdDevice {
 public:
  // `options` have been checked. `queue` has to outlive it and is not one of the CPU. Throws
  // Error(usage) when width * height does not fit 31 bits.
  SsdDevice(Queue& queue, int width, int height, const SsdOptions& options);

  // Puts the matching of two pictures on the queue: [height][width] bytes in the device's memory.
  void run(const Memory<const std::uint8_t>& left, const Memory<const std::uint8_t>& right);

  // [height][width] each: steps (disparity.lane.h) after the cross-check, the same after the fill
  // (Fill::none: steps()), and the index of the disparity of a right pixel's winner, 0xffff none.
  [[nodiscard]] const StepsBuffer& steps() const { return steps_; }
  [[nodiscard]] const StepsBuffer& filled() const {
    return options_.fill == Fill::none ? steps_ : filled_;
  }
  [[nodiscard]] const StepsBuffer& right_index() const { return right_index_; }
  [[nodiscard]] std::size_t bytes() const;  // of the device's memory

 private:
  void search(const SsdChunk& chunk, int chunk_kind, const Memory<const std::uint8_t>& left,
              const Memory<const std::uint8_t>& right);
  void finish(const SsdChunk& chunk, int chunk_kind);

  Queue& queue_;
  ChainSize size_;
  SsdOptions options_;
  runtime::Kernel winners_, finish_;
  int first_, end_;  // disparities that some pixel can have
  std::vector<SsdChunk> chunks_;
  int tiles_, rows_;  // tiles of a row of pictures, rows of a tile
  StepsBuffer steps_, right_index_, filled_;
  Buffer<std::uint32_t> right_keys_, left_cost_, right_cost_;
  Buffer<std::uint8_t> occluded_;
  FillScratch scratch_;
};

}  // namespace bifocal::stereo
