// SPDX-License-Identifier: BSD-3-Clause
// This runs census and semi-global matching on CUDA and OpenCL devices, to the same bits as on a
// CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <bifocal/device.hpp>
#include <bifocal/stereo.hpp>

#include "stereo/sgm/sgm.kernels.hpp"
#include "stereo/sgm/shapes.hpp"
#include "stereo/winners.hpp"

namespace bifocal::stereo {

// Finds the winners of pictures of one size. All memory is taken when it is made.
class SgmDevice {
 public:
  // `options` have been checked. pixel_bits: 8 or 16. Pictures whose path costs need more than
  // max_memory, or most of the device's, are worked on in bands of rows, with the same results.
  // Throws Error(usage) when max_memory is less than that takes, and Error(device) when the
  // device has not enough or a row is too wide for it. `rest`: bytes of max_memory that
  // others take.
  SgmDevice(Queue& queue, PictureSize size, int pixel_bits, const SgmOptions& options,
            std::size_t rest = 0);

  // left, right [height][width]; asynchronous. The winners are written to `disparity`, and to
  // memory of this object that the next run uses again.
  WinnerMaps run(Queue& queue, const Memory<const std::uint8_t>& left,
                 const Memory<const std::uint8_t>& right, const DisparityBuffer& disparity);
  WinnerMaps run(Queue& queue, const Memory<const std::uint16_t>& left,
                 const Memory<const std::uint16_t>& right, const DisparityBuffer& disparity);

  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void plan_band(const DeviceInfo& info, std::size_t rest);
  void check_row(const DeviceInfo& info);
  void upload_jumps(Queue& queue);

  // One launch of paths does this (sgm.kernels).
  struct Sweep {
    int directions, keeps, leaves;
  };
  WinnerMaps search(Queue& queue, const runtime::Argument& left, const runtime::Argument& right,
                    const DisparityBuffer& disparity);
  void find_codes(Queue& queue, const runtime::Argument& left, const runtime::Argument& right);
  void find_costs(Queue& queue, int row0, int rows);
  void find_paths(Queue& queue, int band, int rows, const Sweep& sweep);
  void find_winners(Queue& queue, int row0, int rows, const DisparityBuffer& disparity);

  [[nodiscard]] int samples_in_row() const;  // of has_clear_match
  [[nodiscard]] int samples() const;

  int width_, height_, pixel_bits_;
  SgmOptions options_;
  TeamShape shape_;
  kernels::sgm::launch<float> smooth_, census_, cost_, paths_, winners_;
  std::size_t bytes_ = 0, key_bytes_ = 0;
  Buffer<std::uint16_t> smoothed_, right_index_;
  Buffer<std::uint8_t> brightness_, confidence_, jumps_;
  Buffer<std::uint32_t> pixel_jumps_;  // jump_bytes of census.kernel.h, and a row and a pixel more
  Buffer<std::uint32_t> codes_, high_, clear_, costs_, volumes_;
  int band_ = 0;  // rows that are worked on at a time
  // Paths go on with these from band to band: those that go down with the row before it, in turn,
  // and those that go up with the row after each band but the last, found by a sweep of their own.
  Buffer<std::uint32_t> down_[2];
  std::vector<Buffer<std::uint32_t>> up_;
};

}  // namespace bifocal::stereo
