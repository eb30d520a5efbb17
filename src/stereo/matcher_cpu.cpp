// SPDX-License-Identifier: BSD-3-Clause
// StereoMatcher on the CPU: a submitted pair is matched at once.
#include <algorithm>
#include <array>

#include "runtime/parallel.hpp"
#include "stereo/chain.hpp"
#include "stereo/disparity_text.hpp"
#include "stereo/matcher.hpp"
#include "stereo/sgm.hpp"

namespace bifocal::stereo {
namespace {

using Text = disparity_text;

// What the winners of a row say, after the checks.
class Checks {
 public:
  Checks(int width, int height, const SgmOptions& o)
      : width_(width),
        options_(o),
        tolerance_(steps_of(o.filter.cross_check)),
        steps(width, height),
        confidence(width, height),
        occluded(width, height) {}

  void row(int y, const WinnerRow16& w) {
    std::uint16_t* out = steps.row(y);
    std::uint8_t* sure = confidence.row(y);
    std::uint8_t* unseen = occluded.row(y);
    std::fill_n(unseen, width_, std::uint8_t{1});
    for (int xr = 0; xr < width_; ++xr) {
      const int i = w.right_index[right_place(width_, xr)];
      if (i != Text::NO_CANDIDATE) unseen[xr + options_.min_disparity + i] = 0;
    }
    for (int x = 0; x < width_; ++x) {
      out[x] = Text::UNKNOWN_STEPS;
      sure[x] = 0;
      const int i = w.index[x];
      if (i == Text::NO_CANDIDATE) continue;
      const int best = w.best[x], elsewhere = w.elsewhere[x];
      const int right = w.right_index[right_place(width_, x - options_.min_disparity - i)];
      if (!Text::is_unique(best, elsewhere, options_.filter.uniqueness)) continue;
      if (tolerance_ >= 0 && !Text::directions_agree(i * Text::STEPS, right, tolerance_)) continue;
      const bool has_sides = w.below[x] != Text::NO_CANDIDATE && w.above[x] != Text::NO_CANDIDATE;
      const int step_cost = options_.paths * options_.P1;
      const int offset =
          has_sides ? Text::subpixel_offset(w.below[x], best, w.above[x], step_cost) : 0;
      out[x] = static_cast<std::uint16_t>(i * Text::STEPS + offset);
      sure[x] = static_cast<std::uint8_t>(Text::winner_confidence(best, elsewhere));
    }
  }

 private:
  int width_;
  const SgmOptions& options_;
  int tolerance_;

 public:
  ImageU16 steps;
  ImageU8 confidence, occluded;
};

// Semi-global matching of one pair after the other.
template <class Pixel>
class SgmFrames {
 public:
  using Options = SgmOptions;
  static constexpr bool kHasConfidence = true;

  SgmFrames(ChainSize size, const SgmOptions& options)
      : options_(options),
        plan_(plan_sgm(size.width, size.height, options, runtime::thread_count())),
        search_(size.width, size.height, options, plan_),
        checks_(size.width, size.height, options_) {}

  [[nodiscard]] std::size_t bytes() const { return plan_.bytes; }

  // Returns the density.
  double match(ImageView<const Pixel> left, ImageView<const Pixel> right, const MapPointers& out) {
    search_.run(left, right, sink_);
    filter_steps(checks_.steps, options_.filter, search_.brightness(), checks_.occluded, memory_);
    return to_maps(checks_.steps, memory_.other, checks_.confidence.pixels.data(),
                   options_.min_disparity, out);
  }

 private:
  SgmOptions options_;
  SgmPlan plan_;
  SgmSearch search_;
  Checks checks_;
  SgmSink sink_ = [this](int y, const WinnerRow16& w) { checks_.row(y, w); };
  ChainMemory memory_;
};

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

}  // namespace bifocal::stereo
