// SPDX-License-Identifier: BSD-3-Clause
// Census and semi-global matching on CUDA and OpenCL devices, with the same bits as on a CPU.
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

// Finds the winners of image pairs of one size. The constructor allocates all memory.
class SgmDevice {
 public:
  // options: already checked. pixel_bits: 8 or 16. rest: bytes of max_memory that other objects
  // need. Images whose path costs exceed max_memory or most of the device's memory are processed in
  // bands of rows, with the same results. Throws Error(usage) if max_memory is too small for that,
  // and Error(device) if the device has too little memory or a row is too wide.
  SgmDevice(Queue& queue, ImageSize size, int pixel_bits, const SgmOptions& options,
            std::size_t rest = 0);

  // Runs asynchronously. left, right: [height][width]. Writes the winners to `disparity` and to
  // memory of this object that the next run reuses.
  WinnerMaps run(Queue& queue, const Memory<const std::uint8_t>& left,
                 const Memory<const std::uint8_t>& right, const DisparityBuffer& disparity);
  WinnerMaps run(Queue& queue, const Memory<const std::uint16_t>& left,
                 const Memory<const std::uint16_t>& right, const DisparityBuffer& disparity);

  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void plan_band(const DeviceInfo& info, std::size_t rest);
  void check_row(const DeviceInfo& info);
  void upload_jumps(Queue& queue);

  // Parameters of one launch of sgm_paths (sgm.kernels).
  struct Sweep {
    int directions, keeps, leaves;
  };
  WinnerMaps search(Queue& queue, const runtime::Argument& left, const runtime::Argument& right,
                    const DisparityBuffer& disparity);
  void find_codes(Queue& queue, const runtime::Argument& left, const runtime::Argument& right);
  void find_costs(Queue& queue, int row0, int rows);
  void find_paths(Queue& queue, int band, int rows, const Sweep& sweep);
  void find_winners(Queue& queue, int row0, int rows, const DisparityBuffer& disparity);

  [[nodiscard]] int samples_in_row() const;  // for has_clear_match
  [[nodiscard]] int samples() const;

  int width_, height_, pixel_bits_;
  SgmOptions options_;
  TeamShape shape_;
  kernels::sgm::launch<float> smooth_, census_, cost_, paths_, winners_;
  std::size_t bytes_ = 0, key_bytes_ = 0;
  Buffer<std::uint16_t> smoothed_, right_index_;
  Buffer<std::uint8_t> brightness_, confidence_, jumps_;
  Buffer<std::uint32_t> pixel_jumps_;  // jump_bytes of census.kernel.h, then zeros
  Buffer<std::uint32_t> codes_, high_, clear_, costs_, volumes_;
  int band_ = 0;  // rows of a band
  // States from which paths resume in the next band. The downward paths alternate between two
  // states of the row before the band. The upward paths have a state of the row after each band but
  // the last, computed by a separate sweep.
  Buffer<std::uint32_t> down_[2];
  std::vector<Buffer<std::uint32_t>> up_;
};

}  // namespace bifocal::stereo
