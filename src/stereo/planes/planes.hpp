// SPDX-License-Identifier: BSD-3-Clause
// Fills the unknown pixels of flat regions from planes (planes.lane.h), on all devices. The
// functions enqueue their work. They allocate no memory on a GPU; on a CPU the memory grows with
// the number of regions. Maps are [height][width].
#pragma once

#include <bifocal/device.hpp>

#include <cstddef>
#include <cstdint>

#include "stereo/winners.hpp"

namespace bifocal::stereo {

class PlaneFill {
 public:
  PlaneFill(const Device& device, ImageSize size);
  [[nodiscard]] static std::size_t bytes(DeviceKind kind, ImageSize size);

  // Writes 0 to `flat` where the left image is flat, else UNKNOWN_DISPARITY. Regions are connected
  // pixels of value 0.
  void find_flat(Queue& queue, const WinnerMaps& winners, const DisparityBuffer& flat) const;
  // labels, sizes: output of filter_sizes for `flat`. Copies `disparity` to `filled` and fills the
  // unknown pixels of regions that have a plane.
  void run(Queue& queue, const DisparityBuffer& disparity, const Buffer<std::uint32_t>& labels,
           const Buffer<std::uint32_t>& sizes, const DisparityBuffer& filled);

 private:
  void reserve(const Device& device, int regions);
  int find_samples(Queue& queue, const DisparityBuffer& disparity,
                   const Buffer<std::uint32_t>& labels);

  ImageSize size_;
  int step_ = 1, across_ = 0, points_ = 0;  // lattice
  int capacity_ = 0;  // regions for which memory is allocated; grows on a CPU as needed
  Buffer<std::uint32_t> known_, regions_, region_known_, best_, tally_, samples_;
  Buffer<std::uint16_t> values_;
  Buffer<int> planes_;
};

}  // namespace bifocal::stereo
