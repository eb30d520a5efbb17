// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/stereo.hpp>

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "runtime/parallel.hpp"
#include "stereo/chain.hpp"
#include "stereo/disparity_text.hpp"
#include "stereo/sgm.hpp"
#include "stereo/stereo_options.hpp"

namespace bifocal {
namespace {

using stereo::CensusPicture;
using Text = stereo::disparity_text;

// What the winners of a row say, after the checks.
class Checks {
 public:
  Checks(int width, int height, const SgmOptions& o)
      : width_(width),
        options_(o),
        tolerance_(stereo::steps_of(o.filter.cross_check)),
        steps(width, height),
        confidence(width, height),
        occluded(width, height) {}

  void row(int y, const stereo::WinnerRow16& w) {
    std::uint16_t* out = steps.row(y);
    std::uint8_t* sure = confidence.row(y);
    std::uint8_t* unseen = occluded.row(y);
    std::fill_n(unseen, width_, std::uint8_t{1});
    for (int xr = 0; xr < width_; ++xr) {
      const int i = w.right_index[stereo::right_place(width_, xr)];
      if (i != Text::NO_CANDIDATE) unseen[xr + options_.min_disparity + i] = 0;
    }
    for (int x = 0; x < width_; ++x) {
      out[x] = Text::UNKNOWN_STEPS;
      sure[x] = 0;
      const int i = w.index[x];
      if (i == Text::NO_CANDIDATE) continue;
      const int best = w.best[x], elsewhere = w.elsewhere[x];
      const int right = w.right_index[stereo::right_place(width_, x - options_.min_disparity - i)];
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

template <class T>
DisparityMap match_grey(ImageView<const T> left, ImageView<const T> right, const SgmOptions& o) {
  const int threads = runtime::thread_count();
  const stereo::SgmPlan plan = stereo::plan_sgm(left.width, left.height, o, threads);
  const CensusPicture l = stereo::census_picture(left, o), r = stereo::census_picture(right, o);
  Checks checks(left.width, left.height, o);
  stereo::sgm_winners(l, r, o, plan,
                      [&](int y, const stereo::WinnerRow16& w) { checks.row(y, w); });
  DisparityMap map;
  stereo::filter_steps(checks.steps, o.filter, l.brightness, checks.occluded, o.min_disparity, map);
  map.confidence = std::move(checks.confidence);
  for (std::size_t i = 0; i < map.raw.pixels.size(); ++i) {
    if (std::isnan(map.raw.pixels[i])) map.confidence.pixels[i] = 0;
  }
  return map;
}

template <class T>
DisparityMap match(ImageView<const T> left, ImageView<const T> right, const SgmOptions& o) {
  stereo::check_sgm(o);
  stereo::check_pictures("stereo_sgm", left, right, 4);
  const bool grey = left.channels == 1 && right.channels == 1;
  return grey ? match_grey(left, right, o) : match_grey<T>(to_grey(left), to_grey(right), o);
}

}  // namespace

DisparityMap stereo_sgm(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right,
                        const SgmOptions& options) {
  return match(left, right, options);
}
DisparityMap stereo_sgm(ImageView<const std::uint16_t> left, ImageView<const std::uint16_t> right,
                        const SgmOptions& options) {
  return match(left, right, options);
}

}  // namespace bifocal
