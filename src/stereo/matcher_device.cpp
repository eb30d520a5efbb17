// SPDX-License-Identifier: BSD-3-Clause
// StereoMatcher on CUDA and OpenCL devices. A stream has two slots, each with its pictures and
// filters; the matcher's own memory is shared. While the device works on one pair, the host copies
// the next one there and the maps of the one before back, through page-locked memory:
//
//   host    copy n+1 | wait for n, start n+1 | maps of n       | copy n+2 | ...
//   device  pair n                           | pair n+1                   | ...
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <bifocal/error.hpp>

#include "runtime/parallel.hpp"
#include "runtime/recording.hpp"
#include "stereo/chain.hpp"
#include "stereo/frames_device.hpp"
#include "stereo/matcher.hpp"

namespace bifocal::stereo {
namespace {

constexpr int kRowsATask = 32;
constexpr std::size_t kKeptRecordings = 2;

// Grey rows without gaps.
template <class Pixel>
void copy_grey(ImageView<const Pixel> image, Pixel* to) {
  if (image.channels != 1) {
    const Image<Pixel> grey = to_grey(image);
    return copy_grey<Pixel>(grey, to);
  }
  runtime::parallel_for((image.height + kRowsATask - 1) / kRowsATask, [&](int task) {
    for (int y = task * kRowsATask; y < std::min(image.height, (task + 1) * kRowsATask); ++y)
      std::copy_n(image.row(y), image.width, to + std::ptrdiff_t{y} * image.width);
  });
}

// Of a stream: a pair's pictures, its confidence, and its work.
template <class Pixel>
struct Slot {
  Slot(const Device& device, ChainSize size, bool has_confidence)
      : host(device, 2 * static_cast<std::size_t>(size.pixels())),
        left(device, static_cast<std::size_t>(size.pixels())),
        right(device, static_cast<std::size_t>(size.pixels())),
        confidence(device, has_confidence ? static_cast<std::size_t>(size.pixels()) : 0) {}
  HostBuffer<Pixel> host;
  Buffer<Pixel> left, right;
  Buffer<std::uint8_t> confidence;
  std::optional<runtime::Recording> work;

  [[nodiscard]] static std::size_t bytes(ChainSize size) {
    return (2 * sizeof(Pixel) + 1) * static_cast<std::size_t>(size.pixels());
  }
};

// Maps on their way to the host.
struct HostMaps {
  HostMaps(const Device& device, ChainSize size, bool has_confidence)
      : steps(device, static_cast<std::size_t>(size.pixels())),
        filled(device, static_cast<std::size_t>(size.pixels())),
        confidence(device, has_confidence ? static_cast<std::size_t>(size.pixels()) : 0) {}
  HostBuffer<std::uint16_t> steps, filled;
  HostBuffer<std::uint8_t> confidence;
};

template <class Pixel, class Method>
class DeviceMatcher final : public MatcherEngine<Pixel> {
 public:
  DeviceMatcher(Queue& queue, ChainSize size, const typename Method::Options& options)
      : queue_(queue), size_(size), method_(queue, size, options, 2 * Slot<Pixel>::bytes(size)) {}
  ~DeviceMatcher() override {
    try {
      queue_.wait();
    } catch (const Error&) {  // the queue's next call says so
    }
  }

  [[nodiscard]] Queue& queue() const override { return queue_; }
  [[nodiscard]] ChainSize size() const override { return size_; }
  [[nodiscard]] bool has_confidence() const override { return Method::kHasConfidence; }
  [[nodiscard]] std::size_t memory() const override { return method_.bytes(); }
  [[nodiscard]] int pending() const override { return static_cast<int>(submitted_ - taken_); }

  void run(const Memory<const Pixel>& left, const Memory<const Pixel>& right,
           const StereoOutput& out) override {
    const auto work = [this, left, right, out] {
      method_.enqueue(0, left, right, {out.raw, out.filled, out.confidence});
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

  void submit(ImageView<const Pixel> left, ImageView<const Pixel> right) override {
    if (!copies_) open_stream();
    Slot<Pixel>& slot = *slots_[submitted_ % 2];
    const auto pixels = static_cast<std::size_t>(size_.pixels());
    copy_grey(left, slot.host.data());
    copy_grey(right, slot.host.data() + pixels);
    slot.left.upload(*copies_, slot.host.span().first(pixels));
    slot.right.upload(*copies_, slot.host.span().last(pixels));
    copies_->wait();
    const bool has_earlier = pending() == 1;
    if (has_earlier) queue_.wait();
    slot.work->run();
    if (has_earlier) fetch(taken_ % 2);
    ++submitted_;
  }

  void next(DisparityMap& map) override {
    if (pending() == 1) {
      queue_.wait();
      fetch(taken_ % 2);
    }
    copies_->wait();
    const auto picture = [&](std::uint16_t* data) {
      return ImageView<const std::uint16_t>(data, size_.width, size_.height);
    };
    to_maps(picture(maps_->steps.data()),
            picture((method_.fills() ? maps_->filled : maps_->steps).data()),
            method_.min_disparity(), map);
    if (!Method::kHasConfidence) {
      map.confidence = {};
    } else {
      if (map.confidence.width != size_.width || map.confidence.height != size_.height)
        map.confidence = ImageU8(size_.width, size_.height);
      std::copy_n(maps_->confidence.data(), maps_->confidence.size(), map.confidence.pixels.data());
    }
    ++taken_;
  }

 private:
  using Key = std::array<const void*, 5>;
  struct Recorded {
    Key key;
    std::unique_ptr<runtime::Recording> work;
  };

  void open_stream() {
    const Device& device = queue_.device();
    method_.open(1);
    for (std::size_t n = 0; n < 2; ++n) {
      Slot<Pixel>& slot = slots_[n].emplace(device, size_, Method::kHasConfidence);
      slot.work.emplace(queue_, [this, n] {
        const Slot<Pixel>& s = *slots_[n];
        method_.enqueue(n, s.left, s.right, {{}, {}, s.confidence});
      });
    }
    maps_.emplace(device, size_, Method::kHasConfidence);
    copies_.emplace(device);
  }

  void fetch(std::size_t n) {
    method_.steps(n).download(*copies_, maps_->steps.span());
    if (method_.fills()) method_.filled(n).download(*copies_, maps_->filled.span());
    if (Method::kHasConfidence) slots_[n]->confidence.download(*copies_, maps_->confidence.span());
  }

  Queue& queue_;
  ChainSize size_;
  Method method_;
  std::vector<Recorded> recorded_;
  std::array<std::optional<Slot<Pixel>>, 2> slots_;
  std::optional<HostMaps> maps_;
  std::optional<Queue> copies_;
  std::size_t submitted_ = 0, taken_ = 0;
};

}  // namespace

template <class Pixel>
std::unique_ptr<MatcherEngine<Pixel>> make_device_matcher(Queue& queue, ChainSize size,
                                                          const SgmOptions& options) {
  return std::make_unique<DeviceMatcher<Pixel, SgmDeviceFrames<Pixel>>>(queue, size, options);
}
template std::unique_ptr<MatcherEngine<std::uint8_t>> make_device_matcher(Queue&, ChainSize,
                                                                          const SgmOptions&);
template std::unique_ptr<MatcherEngine<std::uint16_t>> make_device_matcher(Queue&, ChainSize,
                                                                           const SgmOptions&);

std::unique_ptr<MatcherEngine<std::uint8_t>> make_device_matcher(Queue& queue, ChainSize size,
                                                                 const SsdOptions& options) {
  return std::make_unique<DeviceMatcher<std::uint8_t, SsdDeviceFrames>>(queue, size, options);
}

}  // namespace bifocal::stereo
