// SPDX-License-Identifier: BSD-3-Clause
#include "pair/search_range.hpp"

#include <bifocal/io.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace bifocal::pair {
namespace {

struct Interval {
  double lo, hi;
};

// Returns the interval of disparities of a grid of pixels in image 1 at the given depth, if they
// are also visible in image 2.
std::optional<Interval> disparities_at(double depth, const Rectification& r,
                                       const DenseCameras& c) {
  constexpr int kGridSteps = 16;  // of the grid, in both directions
  std::vector<Vec2> one, two;
  const Camera &size1 = r.sides[0].input, &size2 = r.sides[1].input;
  for (int i = 0; i <= kGridSteps; ++i) {
    for (int j = 0; j <= kGridSteps; ++j) {
      const Vec2 x1 = {(size1.width - 1.0) * j / kGridSteps, (size1.height - 1.0) * i / kGridSteps};
      const Vec3 X1 = {(x1[0] - c.camera1.cx) / c.camera1.fx * depth,
                       (x1[1] - c.camera1.cy) / c.camera1.fy * depth, depth};
      const Vec3 rotated = times(c.pose.R, X1);
      const double z = rotated[2] + c.pose.t[2];
      if (!(z > 0)) continue;
      const Vec2 x2 = {c.camera2.fx * (rotated[0] + c.pose.t[0]) / z + c.camera2.cx,
                       c.camera2.fy * (rotated[1] + c.pose.t[1]) / z + c.camera2.cy};
      if (x2[0] < 0 || x2[1] < 0 || x2[0] > size2.width - 1 || x2[1] > size2.height - 1) continue;
      one.push_back(x1);
      two.push_back(x2);
    }
  }
  std::optional<Interval> found;
  const auto left = rectified_points(r, 0, one), right = rectified_points(r, 1, two);
  for (std::size_t i = 0; i < left.size(); ++i) {
    const double d = left[i][0] - right[i][0];
    if (!std::isfinite(d)) continue;
    found = found ? Interval{std::min(found->lo, d), std::max(found->hi, d)} : Interval{d, d};
  }
  return found;
}

// Reduced images of a rectified pair, with masks.
struct SmallPair {
  ImageU8 grey[2], valid[2];
};

// Numbers of known disparities of valid pixels: in total, and in the outer 2 % at both ends
// of the range.
struct Ends {
  std::int64_t known = 0, low = 0, high = 0;
};
Ends ends_of(const SmallPair& pair, const ImageF& disparity, DisparityRange range) {
  Ends ends;
  const auto first = static_cast<float>(range.min), length = static_cast<float>(range.count);
  const float zone = std::max(1.0F, 0.02F * length);
  for (int y = 0; y < disparity.height; ++y) {
    for (int x = 0; x < disparity.width; ++x) {
      const float d = disparity.at(x, y);
      if (std::isnan(d) || pair.valid[0].at(x, y) != 255) continue;
      const auto right_x = static_cast<int>(std::lround(static_cast<float>(x) - d));
      if (right_x < 0 || right_x >= disparity.width || pair.valid[1].at(right_x, y) != 255)
        continue;
      ++ends.known;
      ends.low += d < first + zone;
      ends.high += d >= first + length - zone;
    }
  }
  return ends;
}

}  // namespace

DisparityRange range_of_depths(const Rectification& r, const DenseCameras& cameras,
                               const PairOptions& options, DisparityRange range) {
  int end = range.min + range.count;
  if (options.far_depth > 0)
    if (const auto at = disparities_at(options.far_depth, r, cameras))
      range.min = static_cast<int>(std::floor(at->lo));
  if (options.near_depth > 0)
    if (const auto at = disparities_at(options.near_depth, r, cameras))
      end = static_cast<int>(std::ceil(at->hi)) + 1;
  range.count = end - range.min;
  return range;
}

DisparityRange widened_range(Queue& queue, const MaskedImage& left, const MaskedImage& right,
                             const PairOptions& options, DisparityRange range, int most) {
  constexpr int kMostSide = 480;  // px of the reduced images
  constexpr int kRounds = 4;      // the last round searches 5 times the first range
  constexpr double kMostAtEnd = 0.01;
  const bool is_far_given = options.far_depth > 0 || options.min_disparity,
             is_near_given = options.near_depth > 0 || options.max_disparity;
  if (is_far_given && is_near_given) return range;
  const auto reduced = [](const ImageU8& image) { return reduce_to(image, kMostSide).image; };
  const SmallPair small = {{reduced(left.grey), reduced(right.grey)},
                           {reduced(left.valid), reduced(right.valid)}};
  const double scale = double(small.grey[0].width) / left.grey.width;
  for (int round = 0; round < kRounds && range.count < most; ++round) {
    const DisparityRange part = {static_cast<int>(std::floor(range.min * scale)),
                                 std::max(1, static_cast<int>(std::ceil(range.count * scale)))};
    SgmOptions search{.min_disparity = part.min, .disparities = part.count};
    search.filter.fill = Fill::none;
    search.filter.speckle_size = 25;
    const DisparityMap map = stereo_sgm(queue, small.grey[0], small.grey[1], search);
    const Ends ends = ends_of(small, map.raw, part);
    const double most_at_end = kMostAtEnd * static_cast<double>(ends.known);
    const int step = std::min(std::max(8, range.count / 2), most - range.count);
    const bool is_low = !is_far_given && static_cast<double>(ends.low) > most_at_end,
               is_high = !is_near_given && static_cast<double>(ends.high) > most_at_end;
    if (!is_low && !is_high) break;
    int low_step = is_low ? (is_high ? step / 2 : step) : 0;
    // The range must not begin below 0 here: make_disparities_positive would shift the left image,
    // which would move the given end.
    if (options.max_disparity) low_step = std::min(low_step, range.min);
    if (low_step <= 0 && !is_high) break;
    range.min -= low_step;
    range.count += is_high ? step : low_step;
  }
  return range;
}

}  // namespace bifocal::pair
