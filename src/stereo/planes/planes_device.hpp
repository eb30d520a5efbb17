// SPDX-License-Identifier: BSD-3-Clause
// Planes for the unknown pixels of flat regions on CUDA and OpenCL devices, to the bits of
// planes.hpp. The functions put work on a queue and allocate nothing. Maps are [height][width].
#pragma once

#include <bifocal/device.hpp>

#include <cstddef>
#include <cstdint>

#include "stereo/winners.hpp"

namespace bifocal::stereo {

class PlanesDevice {
 public:
  PlanesDevice(const Device& device, PictureSize size);
  [[nodiscard]] static std::size_t bytes(PictureSize size);

  // Regions are connected pixels of 0 in `flat`.
  void find_flat(Queue& queue, const Memory<const std::uint8_t>& brightness,
                 const DisparityBuffer& flat) const;
  // labels, sizes: as filter_sizes leaves those of `flat`. Copies `disparity` to `filled`, with
  // values for the unknown pixels of regions that have a plane.
  void run(Queue& queue, const DisparityBuffer& disparity, const Buffer<std::uint32_t>& labels,
           const Buffer<std::uint32_t>& sizes, const DisparityBuffer& filled) const;

 private:
  PictureSize size_;
  int step_ = 1, across_ = 0, points_ = 0;  // of the lattice
  int most_regions_ = 0;
  Buffer<std::uint32_t> known_, regions_, region_known_, best_, tally_, samples_;
  Buffer<std::uint16_t> values_;
  Buffer<int> planes_;
};

}  // namespace bifocal::stereo
