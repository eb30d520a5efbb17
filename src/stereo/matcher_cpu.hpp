// SPDX-License-Identifier: BSD-3-Clause
// Twin: matcher_device.hpp (GPUs). StereoMatcher on the CPU: `submit` matches the pair at once. The
// constructor allocates all memory except for the regions and their planes, whose memory grows as
// pairs need it.
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>

#include "runtime/parallel.hpp"
#include "stereo/filter.hpp"
#include "stereo/maps.hpp"
#include "stereo/matcher.hpp"
#include "stereo/rules.hpp"
#include "stereo/sgm/aggregate.hpp"
#include "stereo/ssd/ssd.hpp"

namespace bifocal::stereo {

template <class Pixel, class Options>
class CpuMatcher final : public PairMatcher<Pixel> {
 public:
  CpuMatcher(Queue& queue, ImageSize size, const Options& options)
      : PairMatcher<Pixel>(queue, size, kIsSgm),
        options_(options),
        tolerance_(subpixels_of(options.filter.cross_check)),
        search_(make_search(size, options)),
        filter_(queue.device(), size, options.filter, options.min_disparity, true) {
    if (kIsSgm) fit(confidence_, size.width, size.height);
  }

  [[nodiscard]] std::size_t memory() const override {
    // plan_sgm includes the filters, because max_memory covers both.
    return search_.bytes() +
           (kIsSgm ? 0 : PostFilter::bytes(DeviceKind::cpu, this->size(), options_.filter, true));
  }

  void run(const Memory<const Pixel>& left, const Memory<const Pixel>& right,
           const StereoOutput& out) override {
    const auto [width, height] = this->size();
    match({left.pointer(), width, height}, {right.pointer(), width, height},
          {out.raw.pointer(), out.filled.pointer(), out.confidence.pointer()});
  }

 private:
  static constexpr bool kIsSgm = std::is_same_v<Options, SgmOptions>;
  using Search = std::conditional_t<kIsSgm, SgmSearch, SsdSearch>;

  static Search make_search(ImageSize size, const Options& options) {
    const int threads = runtime::thread_count();
    if constexpr (kIsSgm) {
      return SgmSearch(size, options, plan_sgm(size, options, threads));
    } else {
      return SsdSearch(size, options, threads);
    }
  }

  void start(std::size_t slot, ImageView<const Pixel> left, ImageView<const Pixel> right) override {
    DisparityMap& map = maps_[slot];
    const auto [width, height] = this->size();
    const MapPointers out = pointers_of(map, width, height, kIsSgm);
    if (left.channels == 1 && right.channels == 1) {
      map.density = match(left, right, out);
    } else {
      map.density = match(to_grey(left), to_grey(right), out);
    }
  }
  void take(std::size_t slot, DisparityMap& map) override { std::swap(map, maps_[slot]); }

  // Matches a pair and returns the density in per cent.
  double match(ImageView<const Pixel> left, ImageView<const Pixel> right, const MapPointers& out) {
    search_.run(left, right, sink_);
    if constexpr (!kIsSgm) forget_unclear(view_of(filter_.winners(), this->size()), options_);
    static const DisparityBuffer none;  // the search has done the cross-check
    const ImageView<const std::uint8_t> brightness = brightness_of(left);
    filter_.run(this->queue(),
                {.disparity = filter_.winners(),
                 .right_index = none,
                 .confidence = {},
                 .brightness = brightness.data,
                 .brightness_stride = brightness.stride},
                {});
    return to_maps(view_of(filter_.disparity(), this->size()),
                   view_of(filter_.filled(), this->size()), confidence_.pixels.data(),
                   options_.min_disparity, out);
  }
  ImageView<const std::uint8_t> brightness_of([[maybe_unused]] ImageView<const Pixel> left) const {
    if constexpr (kIsSgm) {
      return search_.brightness();
    } else {
      return left;
    }
  }
  void keep(int y, const WinnerRow& row) {
    const int width = this->size().width;
    std::uint16_t* out = filter_.winners().data() + std::ptrdiff_t{y} * width;
    for (int x = 0; x < width; ++x)
      out[x] = static_cast<std::uint16_t>(Rules::cross_checked(
          row.disparity[x], x, options_.min_disparity, tolerance_, row.right_index));
    if (kIsSgm) std::copy_n(row.confidence, width, confidence_.row(y));
  }

  Options options_;
  int tolerance_;
  Search search_;
  PostFilter filter_;
  ImageU8 confidence_;  // empty for SSD
  std::conditional_t<kIsSgm, SgmSink, SsdSink> sink_ = [this](int y, const WinnerRow& row) {
    keep(y, row);
  };
  std::array<DisparityMap, kMostPending> maps_;
};

}  // namespace bifocal::stereo
