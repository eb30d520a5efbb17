// SPDX-License-Identifier: BSD-3-Clause
// What StereoMatcher does with a pair on the CPU, by either method: all memory is taken when an
// object is made (the filters': with the first pair).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <bifocal/stereo.hpp>

#include "runtime/parallel.hpp"
#include "stereo/chain.hpp"
#include "stereo/chain_device.hpp"
#include "stereo/disparity_text.hpp"
#include "stereo/row_blocks.hpp"
#include "stereo/sgm.hpp"
#include "stereo/ssd.hpp"

namespace bifocal::stereo {

// What the winners of a row say, after the checks.
class SgmChecks {
 public:
  SgmChecks(int width, int height, const SgmOptions& o)
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
      if (i != disparity_text::NO_CANDIDATE) unseen[xr + options_.min_disparity + i] = 0;
    }
    for (int x = 0; x < width_; ++x) {
      out[x] = disparity_text::UNKNOWN_STEPS;
      sure[x] = 0;
      const int i = w.index[x];
      if (i == disparity_text::NO_CANDIDATE) continue;
      const int best = w.best[x], elsewhere = w.elsewhere[x];
      const int right = w.right_index[right_place(width_, x - options_.min_disparity - i)];
      if (!disparity_text::is_unique(best, elsewhere, options_.filter.uniqueness)) continue;
      if (tolerance_ >= 0 &&
          !disparity_text::directions_agree(i * disparity_text::STEPS, right, tolerance_))
        continue;
      const bool has_sides =
          w.below[x] != disparity_text::NO_CANDIDATE && w.above[x] != disparity_text::NO_CANDIDATE;
      const int step_cost = options_.paths * options_.P1;
      const int offset =
          has_sides ? disparity_text::subpixel_offset(w.below[x], best, w.above[x], step_cost) : 0;
      out[x] = static_cast<std::uint16_t>(i * disparity_text::STEPS + offset);
      sure[x] = static_cast<std::uint8_t>(disparity_text::winner_confidence(best, elsewhere));
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
  SgmChecks checks_;
  SgmSink sink_ = [this](int y, const WinnerRow16& w) { checks_.row(y, w); };
  ChainMemory memory_;
};

// Block matching of one pair after the other.
class SsdFrames {
 public:
  using Options = SsdOptions;
  static constexpr bool kHasConfidence = false;

  SsdFrames(ChainSize size, const SsdOptions& options)
      : options_(options),
        tolerance_(steps_of(options.cross_check)),
        search_(size.width, size.height, options, runtime::thread_count()),
        steps_(size.width, size.height) {
    if (options.fill == Fill::edge_aware) occluded_ = ImageU8(size.width, size.height);
  }

  [[nodiscard]] std::size_t bytes() const {
    // Steps, the filled ones, two maps.
    return search_.bytes() + steps_.pixels.size() * (2 + 2 + 8) + occluded_.pixels.size();
  }

  // Returns the density.
  double match(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right,
               const MapPointers& out) {
    search_.run(left, right, sink_);
    fill_unknown(steps_, options_.fill, options_.window, left, occluded_, memory_, memory_.other);
    return to_maps(steps_, memory_.other, nullptr, options_.min_disparity, out);
  }

 private:
  // What both directions agree on.
  void row(int y, const WinnerRow& row) {
    const int width = steps_.width;
    std::uint16_t* steps = steps_.row(y);
    for (int x = 0; x < width; ++x) {
      const int d = row.left[x];
      steps[x] = disparity_text::UNKNOWN_STEPS;
      if (d == kNoDisparity) continue;
      // A left winner at x - d means that the right pixel was searched too.
      const int index = d - options_.min_disparity,
                right = row.right[x - d] - options_.min_disparity;
      if (tolerance_ >= 0 &&
          !disparity_text::directions_agree(index * disparity_text::STEPS, right, tolerance_))
        continue;
      steps[x] = static_cast<std::uint16_t>(index * disparity_text::STEPS + row.offset[x]);
    }
    if (occluded_.empty()) return;
    std::uint8_t* occluded = occluded_.row(y);
    std::fill_n(occluded, width, std::uint8_t{1});
    for (int x = 0; x < width; ++x) {
      if (row.right[x] != kNoDisparity) occluded[x + row.right[x]] = 0;
    }
  }

  SsdOptions options_;
  int tolerance_;
  SsdSearch search_;
  ImageU16 steps_;
  ImageU8 occluded_;  // empty unless the fill asks for it
  WinnerSink sink_ = [this](int y, const WinnerRow& winners) { row(y, winners); };
  ChainMemory memory_;
};

}  // namespace bifocal::stereo
