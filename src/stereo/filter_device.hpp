// SPDX-License-Identifier: BSD-3-Clause
// All of DisparityFilter on CUDA and OpenCL devices, in the memory of one object: filter_steps of
// chain.hpp, to the same bits.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/stereo.hpp>

#include <cstddef>
#include <cstdint>

#include "stereo/chain_device.hpp"

namespace bifocal::stereo {

// Winners of both directions, as SgmDevice has them.
struct WinnerMaps {
  const StepsBuffer &steps, &right_index;
  const Buffer<std::uint8_t>&confidence, &brightness;
};

// Maps [height][width] in the device's memory; null: not wanted.
struct FilteredMaps {
  Memory<float> raw{}, filled{};
  Memory<std::uint8_t> confidence{};
};

// A map [height][width] in px from steps. Null: no work.
void steps_to_map(Queue& queue, ChainSize size, const StepsBuffer& steps, int min_disparity,
                  const Memory<float>& map);

class FilterDevice {
 public:
  FilterDevice(const Device& device, ChainSize size, const DisparityFilter& filter,
               int min_disparity);
  // Asynchronous; allocates nothing.
  void run(Queue& queue, const WinnerMaps& winners, const FilteredMaps& out);

  // What `run` made: steps, and the filled ones (the same when nothing is filled).
  [[nodiscard]] const StepsBuffer& steps() const { return steps_; }
  [[nodiscard]] const StepsBuffer& filled() const {
    return filter_.fill == Fill::none ? steps_ : filled_;
  }
  // Of such an object.
  [[nodiscard]] static std::size_t bytes(ChainSize size, const DisparityFilter& filter);

 private:
  [[nodiscard]] bool has_regions() const { return filter_.speckle_size > 1; }
  ChainSize size_;
  DisparityFilter filter_;
  int min_disparity_;
  StepsBuffer steps_, filled_;
  Buffer<std::uint32_t> labels_, sizes_;
  Buffer<std::uint8_t> occluded_;
  FillScratch scratch_;
};

}  // namespace bifocal::stereo
