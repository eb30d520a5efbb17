// SPDX-License-Identifier: BSD-3-Clause
// This does all of DisparityFilter on CUDA and OpenCL devices, in the memory of one object:
// filter_disparity of filter.hpp, to the same bits.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/stereo.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "stereo/fill_device.hpp"
#include "stereo/filter.kernels.hpp"
#include "stereo/planes/planes_device.hpp"
#include "stereo/winners.hpp"

namespace bifocal::stereo {

// Maps [height][width] in the device's memory; null: not wanted.
struct FilteredMaps {
  Memory<float> raw{}, filled{};
  Memory<std::uint8_t> confidence{};
};

class FilterDevice {
 public:
  // is_checked: the search has done the cross-check already.
  FilterDevice(const Device& device, PictureSize size, const DisparityFilter& filter,
               int min_disparity, bool is_checked);
  // Such an object takes so many bytes.
  [[nodiscard]] static std::size_t bytes(PictureSize size, const DisparityFilter& filter,
                                         bool is_checked);

  // The search writes its disparities here.
  [[nodiscard]] const DisparityBuffer& winners() const {
    return winners_.size() > 0 ? winners_ : disparity_;
  }
  // Asynchronous; allocates nothing. `winners.disparity` is winners().
  void run(Queue& queue, const WinnerMaps& winners, const FilteredMaps& out);

  // `run` made these: the disparities that are left, and filled ones (the same when nothing is
  // filled).
  [[nodiscard]] const DisparityBuffer& disparity() const { return disparity_; }
  [[nodiscard]] const DisparityBuffer& filled() const {
    return filter_.fill == Fill::none ? disparity_ : filled_;
  }

 private:
  [[nodiscard]] bool has_regions() const { return filter_.speckle_size > 1; }
  void join_regions(Queue& queue, const DisparityBuffer& values, int range) const;
  void find_planes(Queue& queue, const WinnerMaps& winners) const;
  void to_px(Queue& queue, const DisparityBuffer& disparity, const Memory<float>& map) const;

  PictureSize size_;
  DisparityFilter filter_;
  int min_disparity_;
  kernels::filter::launch<float> tile_, flat_tile_;
  DisparityBuffer winners_;  // empty when there is nothing to do between the search and the fill
  DisparityBuffer disparity_, filled_;
  Buffer<std::uint32_t> labels_, sizes_;
  FillScratch scratch_;
  std::optional<PlanesDevice> planes_;
};

}  // namespace bifocal::stereo
