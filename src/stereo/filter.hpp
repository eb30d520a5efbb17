// SPDX-License-Identifier: BSD-3-Clause
// Applies DisparityFilter on all devices: the filters that follow the choice of the winners.
// Disparities are fixed-point (disparity.lane.h).
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/stereo.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "stereo/fill.hpp"
#include "stereo/filter.kernels.hpp"
#include "stereo/planes/planes.hpp"
#include "stereo/regions.hpp"
#include "stereo/winners.hpp"

namespace bifocal::stereo {

// Output maps [height][width] in the device's memory. A null map is not written.
struct FilteredMaps {
  Memory<float> raw{}, filled{};
  Memory<std::uint8_t> confidence{};
};

class PostFilter {
 public:
  // is_checked: whether the search has already done the cross-check.
  PostFilter(const Device& device, ImageSize size, const DisparityFilter& filter, int min_disparity,
             bool is_checked);
  // Returns the bytes of device memory that an object occupies.
  [[nodiscard]] static std::size_t bytes(DeviceKind kind, ImageSize size,
                                         const DisparityFilter& filter, bool is_checked);

  // Returns the buffer to which the search writes its disparities.
  [[nodiscard]] const DisparityBuffer& winners() const {
    return winners_.size() > 0 ? winners_ : disparity_;
  }
  // Runs asynchronously, and allocates no memory on a GPU. `winners.disparity` must be winners().
  void run(Queue& queue, const WinnerMaps& winners, const FilteredMaps& out);

  // Results of `run`: the disparities that passed the filters, and the filled disparities. Both are
  // the same buffer for Fill::none.
  [[nodiscard]] const DisparityBuffer& disparity() const { return disparity_; }
  [[nodiscard]] const DisparityBuffer& filled() const {
    return filter_.fill == Fill::none ? disparity_ : filled_;
  }

 private:
  [[nodiscard]] bool has_regions() const { return filter_.speckle_size > 1; }
  void find_regions(Queue& queue, const DisparityBuffer& values, int range);
  void find_planes(Queue& queue, const WinnerMaps& winners);
  void to_px(Queue& queue, const DisparityBuffer& disparity, const Memory<float>& map) const;

  ImageSize size_;
  DisparityFilter filter_;
  int min_disparity_, tolerance_;  // negative tolerance: no cross-check
  kernels::filter::launch<float> tile_, flat_tile_;
  DisparityBuffer winners_;  // empty if no filter runs between the search and the speckle filter
  DisparityBuffer disparity_, filled_;
  Buffer<std::uint32_t> labels_, sizes_;
  FillScratch scratch_;
  Regions regions_;  // CPU only
  std::optional<PlaneFill> planes_;
};

}  // namespace bifocal::stereo
