// SPDX-License-Identifier: BSD-3-Clause
// What StereoMatcher puts on a device's queue for a pair, by either method. A stream's pairs have
// two slots, so that the maps of one are fetched while the other is worked on; without a stream
// there is only slot 0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <bifocal/stereo.hpp>

#include "stereo/filter_device.hpp"
#include "stereo/sgm_device.hpp"
#include "stereo/ssd_device.hpp"

namespace bifocal::stereo {

// Semi-global matching. `rest`: bytes of max_memory that others take.
template <class Pixel>
class SgmDeviceFrames {
 public:
  using Options = SgmOptions;
  static constexpr bool kHasConfidence = true;

  SgmDeviceFrames(Queue& queue, ChainSize size, const SgmOptions& options, std::size_t rest)
      : queue_(queue),
        size_(size),
        options_(options),
        rest_(rest + 2 * FilterDevice::bytes(size, options.filter)),
        sgm_(queue, size.width, size.height, 8 * sizeof(Pixel), options, rest_) {
    open(0);
  }
  [[nodiscard]] std::size_t bytes() const { return sgm_.bytes() + rest_; }
  [[nodiscard]] bool fills() const { return options_.filter.fill != Fill::none; }
  [[nodiscard]] int min_disparity() const { return options_.min_disparity; }

  void open(std::size_t slot) {
    filters_[slot].emplace(queue_.device(), size_, options_.filter, options_.min_disparity);
  }
  void enqueue(std::size_t slot, const Memory<const Pixel>& left, const Memory<const Pixel>& right,
               const FilteredMaps& out) {
    sgm_.run(queue_, left, right);
    filters_[slot]->run(
        queue_, {sgm_.steps(), sgm_.right_index(), sgm_.confidence(), sgm_.brightness()}, out);
  }
  [[nodiscard]] const StepsBuffer& steps(std::size_t slot) const { return filters_[slot]->steps(); }
  [[nodiscard]] const StepsBuffer& filled(std::size_t slot) const {
    return filters_[slot]->filled();
  }

 private:
  Queue& queue_;
  ChainSize size_;
  SgmOptions options_;
  std::size_t rest_;  // bytes besides sgm_
  SgmDevice sgm_;
  std::array<std::optional<FilterDevice>, 2> filters_;
};

// Block matching.
class SsdDeviceFrames {
 public:
  using Options = SsdOptions;
  static constexpr bool kHasConfidence = false;

  SsdDeviceFrames(Queue& queue, ChainSize size, const SsdOptions& options, std::size_t rest)
      : queue_(queue), size_(size), options_(options), rest_(rest) {
    open(0);
  }
  [[nodiscard]] std::size_t bytes() const { return rest_ + 2 * slots_[0]->bytes(); }
  [[nodiscard]] bool fills() const { return options_.fill != Fill::none; }
  [[nodiscard]] int min_disparity() const { return options_.min_disparity; }

  void open(std::size_t slot) { slots_[slot].emplace(queue_, size_.width, size_.height, options_); }
  void enqueue(std::size_t slot, const Memory<const std::uint8_t>& left,
               const Memory<const std::uint8_t>& right, const FilteredMaps& out) {
    slots_[slot]->run(left, right);
    steps_to_map(queue_, size_, steps(slot), options_.min_disparity, out.raw);
    steps_to_map(queue_, size_, filled(slot), options_.min_disparity, out.filled);
  }
  [[nodiscard]] const StepsBuffer& steps(std::size_t slot) const { return slots_[slot]->steps(); }
  [[nodiscard]] const StepsBuffer& filled(std::size_t slot) const { return slots_[slot]->filled(); }

 private:
  Queue& queue_;
  ChainSize size_;
  SsdOptions options_;
  std::size_t rest_;
  std::array<std::optional<SsdDevice>, 2> slots_;
};

}  // namespace bifocal::stereo
