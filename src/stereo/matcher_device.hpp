// SPDX-License-Identifier: BSD-3-Clause
// Twin: matcher_cpu.hpp (CPUs). StereoMatcher on CUDA and OpenCL devices. A stream has two slots,
// each with its own images and filters; both share the search. While the device works on one pair,
// the host copies the next pair to the device and the maps of the previous pair back, through
// page-locked memory:
//
//   host    copy n+1 | wait for n, start n+1 | maps of n       | copy n+2 | ...
//   device  pair n                           | pair n+1                   | ...
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include <bifocal/error.hpp>

#include "runtime/recording.hpp"
#include "stereo/filter.hpp"
#include "stereo/maps.hpp"
#include "stereo/matcher.hpp"
#include "stereo/row_blocks.hpp"
#include "stereo/sgm/sgm_device.hpp"
#include "stereo/ssd/ssd_device.hpp"

namespace bifocal::stereo {

// Copies the image without gaps between its rows; a colour image becomes grey.
template <class Pixel>
void copy_grey(ImageView<const Pixel> image, Pixel* to) {
  if (image.channels != 1) {
    const Image<Pixel> grey = to_grey(image);
    return copy_grey<Pixel>(grey, to);
  }
  for_rows(image.height, [&](int y) {
    std::copy_n(image.row(y), image.width, to + std::ptrdiff_t{y} * image.width);
  });
}

// Slot of a stream: the images of a pair, its confidence map, and its recorded work.
template <class Pixel>
struct Slot {
  Slot(const Device& device, ImageSize size, bool has_confidence)
      : host(device, 2 * static_cast<std::size_t>(size.pixels())),
        left(device, static_cast<std::size_t>(size.pixels())),
        right(device, static_cast<std::size_t>(size.pixels())),
        confidence(device, has_confidence ? static_cast<std::size_t>(size.pixels()) : 0) {}
  HostBuffer<Pixel> host;
  Buffer<Pixel> left, right;
  Buffer<std::uint8_t> confidence;
  std::optional<runtime::Recording> work;

  [[nodiscard]] static std::size_t bytes(ImageSize size) {
    return (2 * sizeof(Pixel) + 1) * static_cast<std::size_t>(size.pixels());
  }
};

// Page-locked memory through which maps are copied to the host.
struct HostMaps {
  HostMaps(const Device& device, ImageSize size, bool has_confidence)
      : disparity(device, static_cast<std::size_t>(size.pixels())),
        filled(device, static_cast<std::size_t>(size.pixels())),
        confidence(device, has_confidence ? static_cast<std::size_t>(size.pixels()) : 0) {}
  HostBuffer<std::uint16_t> disparity, filled;
  HostBuffer<std::uint8_t> confidence;
};

template <class Pixel, class Options>
class DeviceMatcher final : public PairMatcher<Pixel> {
 public:
  DeviceMatcher(Queue& queue, ImageSize size, const Options& options)
      : PairMatcher<Pixel>(queue, size, kIsSgm),
        queue_(queue),
        options_(options),
        rest_(2 * (Slot<Pixel>::bytes(size) +
                   PostFilter::bytes(queue.device().info().kind, size, options.filter, !kIsSgm))),
        search_(make_search(queue, size, options, rest_)) {
    open_filter(0);
  }
  ~DeviceMatcher() override {
    try {
      queue_.wait();
    } catch (const Error&) {  // the next call on the queue reports the error
    }
  }

  [[nodiscard]] std::size_t memory() const override { return search_.bytes() + rest_; }

  void run(const Memory<const Pixel>& left, const Memory<const Pixel>& right,
           const StereoOutput& out) override {
    const auto work = [this, left, right, out] {
      enqueue(0, left, right, {out.raw, out.filled, out.confidence});
    };
    if (queue_.device().info().kind != DeviceKind::cuda) return work();
    const Key key = {left.pointer(), right.pointer(), out.raw.pointer(), out.filled.pointer(),
                     out.confidence.pointer()};
    const auto known = std::find_if(recorded_.begin(), recorded_.end(),
                                    [&](const Recorded& r) { return r.key == key; });
    if (known != recorded_.end()) return known->work->run();
    if (recorded_.size() == kKeptRecordings) recorded_.erase(recorded_.begin());
    recorded_.push_back({key, std::make_unique<runtime::Recording>(queue_, work)});
    recorded_.back().work->run();
  }

 private:
  static constexpr bool kIsSgm = std::is_same_v<Options, SgmOptions>;
  static constexpr std::size_t kKeptRecordings = 2;
  using Search = std::conditional_t<kIsSgm, SgmDevice, SsdDevice>;
  using Key = std::array<const void*, 5>;
  struct Recorded {
    Key key;
    std::unique_ptr<runtime::Recording> work;
  };

  // rest: bytes of max_memory that the slots and filters need.
  static Search make_search(Queue& queue, ImageSize size, const Options& options,
                            [[maybe_unused]] std::size_t rest) {
    if constexpr (kIsSgm) {
      return SgmDevice(queue, size, 8 * sizeof(Pixel), options, rest);
    } else {
      return SsdDevice(queue, size, options);
    }
  }
  void open_filter(std::size_t slot) {
    filters_[slot].emplace(queue_.device(), this->size(), options_.filter, options_.min_disparity,
                           !kIsSgm);
  }
  void enqueue(std::size_t slot, const Memory<const Pixel>& left, const Memory<const Pixel>& right,
               const FilteredMaps& out) {
    PostFilter& filter = *filters_[slot];
    filter.run(queue_, search_.run(queue_, left, right, filter.winners()), out);
  }

  void start(std::size_t slot, ImageView<const Pixel> left, ImageView<const Pixel> right) override {
    if (!copies_) open_stream();
    Slot<Pixel>& s = *slots_[slot];
    const auto pixels = static_cast<std::size_t>(this->size().pixels());
    copy_grey(left, s.host.data());
    copy_grey(right, s.host.data() + pixels);
    s.left.upload(*copies_, s.host.span().first(pixels));
    s.right.upload(*copies_, s.host.span().last(pixels));
    copies_->wait();
    const bool has_earlier = this->pending() == 1;
    if (has_earlier) queue_.wait();
    s.work->run();
    if (has_earlier) fetch(1 - slot);
  }
  void take(std::size_t slot, DisparityMap& map) override {
    if (this->pending() == 1) {
      queue_.wait();
      fetch(slot);
    }
    copies_->wait();
    const auto size = this->size();
    const int width = size.width, height = size.height;
    const auto picture = [&](const HostBuffer<std::uint16_t>& data) {
      return ImageView<const std::uint16_t>(data.data(), width, height);
    };
    map.density = to_maps(
        picture(maps_->disparity), picture(fills() ? maps_->filled : maps_->disparity),
        maps_->confidence.data(), options_.min_disparity, pointers_of(map, width, height, kIsSgm));
  }

  [[nodiscard]] bool fills() const { return options_.filter.fill != Fill::none; }
  void open_stream() {
    const Device& device = queue_.device();
    open_filter(1);
    for (std::size_t n = 0; n < slots_.size(); ++n) {
      Slot<Pixel>& slot = slots_[n].emplace(device, this->size(), kIsSgm);
      slot.work.emplace(queue_, [this, n] {
        const Slot<Pixel>& s = *slots_[n];
        enqueue(n, s.left, s.right, {{}, {}, s.confidence});
      });
    }
    maps_.emplace(device, this->size(), kIsSgm);
    copies_.emplace(device);
  }
  void fetch(std::size_t slot) {
    filters_[slot]->disparity().download(*copies_, maps_->disparity.span());
    if (fills()) filters_[slot]->filled().download(*copies_, maps_->filled.span());
    if (kIsSgm) slots_[slot]->confidence.download(*copies_, maps_->confidence.span());
  }

  Queue& queue_;
  Options options_;
  std::size_t rest_;  // bytes outside the search
  Search search_;
  std::array<std::optional<PostFilter>, kMostPending> filters_;
  std::vector<Recorded> recorded_;
  std::array<std::optional<Slot<Pixel>>, kMostPending> slots_;
  std::optional<HostMaps> maps_;
  std::optional<Queue> copies_;
};

}  // namespace bifocal::stereo
