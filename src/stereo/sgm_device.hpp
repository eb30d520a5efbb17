// SPDX-License-Identifier: BSD-3-Clause
// Census and semi-global matching on CUDA and OpenCL devices, to the same bits as on a CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <bifocal/device.hpp>
#include <bifocal/stereo.hpp>

#include "stereo/sgm_kernels.hpp"

namespace bifocal::stereo {

// Winners of pictures of one size: all memory is taken once.
class SgmDevice {
 public:
  // `options` have been checked. pixel_bits: 8 or 16. Pictures whose path costs need more than
  // max_memory, or most of the device's, are worked on in bands of rows, with the same results.
  // Throws Error(usage) when max_memory is less than that takes, and Error(device) when the
  // device has not enough or a row is too wide for it. `rest`: bytes of max_memory that
  // others take.
  SgmDevice(Queue& queue, int width, int height, int pixel_bits, const SgmOptions& options,
            std::size_t rest = 0);

  // left, right [height][width]; asynchronous.
  template <class Pixel>
  void run(Queue& queue, const Memory<const Pixel>& left, const Memory<const Pixel>& right);

  // Results in the device's memory, [height][width].
  [[nodiscard]] const Buffer<std::uint16_t>& steps() const { return steps_; }
  [[nodiscard]] const Buffer<std::uint16_t>& right_index() const { return right_index_; }
  [[nodiscard]] const Buffer<std::uint8_t>& confidence() const { return confidence_; }
  [[nodiscard]] const Buffer<std::uint8_t>& brightness() const { return brightness_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void plan_band(const DeviceInfo& info, std::size_t rest);

  int width_, height_, pixel_bits_;
  SgmOptions options_;
  TeamShape shape_{};
  std::size_t bytes_ = 0, key_bytes_ = 0;
  Buffer<std::uint16_t> smoothed_, steps_, right_index_;
  // pixel_jumps_: jump_bytes of sgm.kernel.h, and of a row and a pixel after the last.
  Buffer<std::uint8_t> brightness_, confidence_, jumps_, pixel_jumps_;
  Buffer<std::uint32_t> codes_, high_, costs_, volumes_;
  // Rows that are worked on at a time. What paths go on with from band to band: the row before it
  // in turn, and of those that go up the row after each but the last, found by a sweep of their
  // own.
  int band_;
  Buffer<std::uint32_t> down_[2];
  std::vector<Buffer<std::uint32_t>> up_;
};

}  // namespace bifocal::stereo
