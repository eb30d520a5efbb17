// SPDX-License-Identifier: BSD-3-Clause
#include "pair/dense_pair.hpp"

#include <fmt/format.h>
#include <bifocal/draw.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pair/disparity_range.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::pair {
namespace {

using Picture = ImageView<const std::uint8_t>;

constexpr double kMinParallaxDeg =
    0.5;  // with less, depth is noise: 1 px of error is 10 % of it at f = 1000 px
constexpr int kMaxDisparities = 1024;  // what stereo_sgm searches at most
constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

Rectification rectify_bounded(Picture image1, Picture image2, const Pose& pose,
                              const PairOptions& options) {
  const double area = static_cast<double>(image1.width) * image1.height;
  RectifyOptions bounded;
  bounded.max_scale = std::min(bounded.max_scale, options.max_dense_pixels / area);
  return rectify(*options.camera1, *options.camera2, pose, image1.width, image1.height,
                 image2.width, image2.height, bounded);
}

// Disparities can be negative when each rectified picture begins at its own left end. Moves the
// left picture to the right until the search range starts at 0, as files of disparities have it;
// the canvas grows by as many columns.
DisparityRange made_positive(const DisparityRange& range, Rectification& rectification) {
  if (range.min >= 0) return range;
  const int shift = -range.min;
  for (std::size_t column = 0; column < 3; ++column) {
    rectification.H1[column] += shift * rectification.H1[6 + column];
  }
  rectification.camera1.cx += shift;
  rectification.width += shift;
  return {0, range.count};
}

// Where the left or the right picture has no pixel there is nothing to match: forget what was found
// there.
void forget_outside(const ImageU8& valid_left, const ImageU8& valid_right,
                    DisparityMap& disparity) {
  const int width = valid_left.width, height = valid_left.height;
  std::int64_t known = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      float& raw = disparity.raw.at(x, y);
      if (!valid_left.at(x, y)) raw = disparity.filled.at(x, y) = kUnknown;
      if (std::isnan(raw)) continue;
      const auto right_x = static_cast<int>(std::lround(static_cast<float>(x) - raw));
      if (right_x < 0 || right_x >= width || !valid_right.at(right_x, y)) raw = kUnknown;
      known += !std::isnan(raw);
    }
  }
  disparity.density = 100.0 * static_cast<double>(known) / (static_cast<double>(width) * height);
}

}  // namespace

void add_dense(Picture image1, Picture image2, const RelativePoseResult& geometry,
               const PairOptions& options, StageClock& clock, PairResult& result) {
  if (geometry.median_parallax_deg < kMinParallaxDeg) {
    result.dense_reason = fmt::format(
        "the median angle between the rays is {:.2f} degrees, too little for depth ({:g})",
        geometry.median_parallax_deg, kMinParallaxDeg);
    return;
  }
  clock.start("rectify", 0.7);
  DensePair dense;
  Rectification& rectification = dense.rectification;
  rectification = rectify_bounded(image1, image2, geometry.cam2_from_cam1, options);
  if (rectification.width == 0) {
    result.dense_reason =
        "the motion is along the viewing direction: the rows can't be made parallel to it";
    return;
  }
  DisparityRange range = disparity_range(rectification, result.points, result.model.inliers);
  if (range.count <= 0 || range.count > kMaxDisparities) {
    result.dense_reason =
        fmt::format("the inliers' disparities span {} px, the search is limited to {}", range.count,
                    kMaxDisparities);
    return;
  }
  range = made_positive(range, rectification);
  ImageU8 grey[2], valid[2];
  runtime::parallel_for(2, [&](int i) {
    Queue queue(options.device);
    const bool second = (i == 1) != rectification.swapped;
    ImageU8& picture = i == 0 ? dense.left : dense.right;
    picture =
        warp(queue, to_rgb(second ? image2 : image1), i == 0 ? rectification.H1 : rectification.H2,
             rectification.width, rectification.height, &valid[i]);
    grey[i] = to_grey(picture);
  });

  clock.start("dense", 0.75);
  dense.min_disparity = range.min;
  dense.disparities = range.count;
  Queue queue(options.device);
  dense.disparity =
      stereo_sgm(queue, grey[0], grey[1], {.min_disparity = range.min, .disparities = range.count});
  forget_outside(valid[0], valid[1], dense.disparity);

  clock.start("cloud", 0.95);
  const double doffs = rectification.camera2.cx - rectification.camera1.cx;
  dense.cloud =
      disparity_to_cloud(dense.disparity.raw, dense.left, rectification.camera1, doffs, 1.0);
  result.dense = std::move(dense);
}

}  // namespace bifocal::pair
