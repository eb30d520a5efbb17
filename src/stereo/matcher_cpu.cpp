// SPDX-License-Identifier: BSD-3-Clause
// StereoMatcher on the CPU: a submitted pair is matched at once.
#include <array>

#include "stereo/frames_cpu.hpp"
#include "stereo/matcher.hpp"

namespace bifocal::stereo {
namespace {

template <class Pixel, class Method>
class CpuMatcher final : public MatcherEngine<Pixel> {
 public:
  CpuMatcher(Queue& queue, ChainSize size, const typename Method::Options& options)
      : queue_(queue), size_(size), method_(size, options) {}

  [[nodiscard]] Queue& queue() const override { return queue_; }
  [[nodiscard]] ChainSize size() const override { return size_; }
  [[nodiscard]] bool has_confidence() const override { return Method::kHasConfidence; }
  [[nodiscard]] std::size_t memory() const override { return method_.bytes(); }
  [[nodiscard]] int pending() const override { return static_cast<int>(submitted_ - taken_); }

  void run(const Memory<const Pixel>& left, const Memory<const Pixel>& right,
           const StereoOutput& out) override {
    const auto picture = [&](const Memory<const Pixel>& m) {
      return ImageView<const Pixel>(m.pointer(), size_.width, size_.height);
    };
    method_.match(picture(left), picture(right),
                  {out.raw.pointer(), out.filled.pointer(), out.confidence.pointer()});
  }

  void submit(ImageView<const Pixel> left, ImageView<const Pixel> right) override {
    if (pending() == 0) submitted_ = taken_ = 0;  // one pair after the other: one map
    DisparityMap& map = maps_[submitted_ % kMostPending];
    const MapPointers out = pointers_of(map, size_.width, size_.height, Method::kHasConfidence);
    if (left.channels == 1 && right.channels == 1) {
      map.density = method_.match(left, right, out);
    } else {
      map.density = method_.match(to_grey(left), to_grey(right), out);
    }
    ++submitted_;
  }

  void next(DisparityMap& map) override { std::swap(map, maps_[taken_++ % kMostPending]); }

 private:
  Queue& queue_;
  ChainSize size_;
  Method method_;
  std::array<DisparityMap, kMostPending> maps_;
  std::size_t submitted_ = 0, taken_ = 0;
};

}  // namespace

template <class Pixel>
std::unique_ptr<MatcherEngine<Pixel>> make_cpu_matcher(Queue& queue, ChainSize size,
                                                       const SgmOptions& options) {
  return std::make_unique<CpuMatcher<Pixel, SgmFrames<Pixel>>>(queue, size, options);
}
template std::unique_ptr<MatcherEngine<std::uint8_t>> make_cpu_matcher(Queue&, ChainSize,
                                                                       const SgmOptions&);
template std::unique_ptr<MatcherEngine<std::uint16_t>> make_cpu_matcher(Queue&, ChainSize,
                                                                        const SgmOptions&);

std::unique_ptr<MatcherEngine<std::uint8_t>> make_cpu_matcher(Queue& queue, ChainSize size,
                                                              const SsdOptions& options) {
  return std::make_unique<CpuMatcher<std::uint8_t, SsdFrames>>(queue, size, options);
}

}  // namespace bifocal::stereo
