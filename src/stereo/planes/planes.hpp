// SPDX-License-Identifier: BSD-3-Clause
// Planes for the unknown pixels of flat regions (planes.lane.h), on all devices. The functions put
// work on a queue and allocate nothing. Maps are [height][width].
#pragma once

#include <bifocal/device.hpp>

#include <cstddef>
#include <cstdint>

#include "stereo/winners.hpp"

namespace bifocal::stereo {

class PlaneFill {
 public:
  PlaneFill(const Device& device, PictureSize size);
  [[nodiscard]] static std::size_t bytes(DeviceKind kind, PictureSize size);

  // Regions are connected pixels of 0 in `flat`.
  void find_flat(Queue& queue, const WinnerMaps& winners, const DisparityBuffer& flat) const;
  // labels, sizes: as filter_sizes leaves those of `flat`. Copies `disparity` to `filled`, with
  // values for the unknown pixels of regions that have a plane.
  void run(Queue& queue, const DisparityBuffer& disparity, const Buffer<std::uint32_t>& labels,
           const Buffer<std::uint32_t>& sizes, const DisparityBuffer& filled);

 private:
  void reserve(const Device& device, int regions);
  int find_samples(Queue& queue, const DisparityBuffer& disparity,
                   const Buffer<std::uint32_t>& labels);

  PictureSize size_;
  int step_ = 1, across_ = 0, points_ = 0;  // of the lattice
  int capacity_ = 0;  // regions that there is memory for; a CPU takes more as needed
  Buffer<std::uint32_t> known_, regions_, region_known_, best_, tally_, samples_;
  Buffer<std::uint16_t> values_;
  Buffer<int> planes_;
};

}  // namespace bifocal::stereo
