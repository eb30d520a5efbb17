// SPDX-License-Identifier: BSD-3-Clause
// All of DisparityFilter on all devices: the work on disparities after the winners are known.
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

// Maps [height][width] in the device's memory; null: not wanted.
struct FilteredMaps {
  Memory<float> raw{}, filled{};
  Memory<std::uint8_t> confidence{};
};

class PostFilter {
 public:
  // is_checked: the search has done the cross-check.
  PostFilter(const Device& device, PictureSize size, const DisparityFilter& filter,
             int min_disparity, bool is_checked);
  // Bytes of the device's memory that an object takes.
  [[nodiscard]] static std::size_t bytes(DeviceKind kind, PictureSize size,
                                         const DisparityFilter& filter, bool is_checked);

  // The search writes its disparities here.
  [[nodiscard]] const DisparityBuffer& winners() const {
    return winners_.size() > 0 ? winners_ : disparity_;
  }
  // Asynchronous; allocates nothing. `winners.disparity` is winners().
  void run(Queue& queue, const WinnerMaps& winners, const FilteredMaps& out);

  // The results of `run`: the disparities that are left, and filled ones (the same if nothing is
  // filled).
  [[nodiscard]] const DisparityBuffer& disparity() const { return disparity_; }
  [[nodiscard]] const DisparityBuffer& filled() const {
    return filter_.fill == Fill::none ? disparity_ : filled_;
  }

 private:
  [[nodiscard]] bool has_regions() const { return filter_.speckle_size > 1; }
  void find_regions(Queue& queue, const DisparityBuffer& values, int range);
  void find_planes(Queue& queue, const WinnerMaps& winners);
  void to_px(Queue& queue, const DisparityBuffer& disparity, const Memory<float>& map) const;

  PictureSize size_;
  DisparityFilter filter_;
  int min_disparity_, tolerance_;  // negative tolerance: no cross-check
  kernels::filter::launch<float> tile_, flat_tile_;
  DisparityBuffer winners_;  // empty when there is nothing to do between the search and the fill
  DisparityBuffer disparity_, filled_;
  Buffer<std::uint32_t> labels_, sizes_;
  FillScratch scratch_;
  Regions regions_;  // of a CPU
  std::optional<PlaneFill> planes_;
};

}  // namespace bifocal::stereo
