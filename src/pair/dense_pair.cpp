// SPDX-License-Identifier: BSD-3-Clause
#include "pair/dense_pair.hpp"

#include <fmt/format.h>
#include <bifocal/two_view.hpp>
#include <bifocal/draw.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pair/dense_cameras.hpp"
#include "pair/rectified_views.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::pair {
namespace {

using Picture = ImageView<const std::uint8_t>;

constexpr double kMinParallaxDeg =
    0.5;  // with less, depth is noise: 1 px of error is 10 % of it at f = 1000 px
constexpr int kMaxDisparities = 1024;  // what stereo_sgm searches at most
constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

// Pixels whose neighbours that the census looks at are all in the photograph: the border of a
// picture looks like that of the other.
ImageU8 inner(const ImageU8& valid) {
  constexpr int kAcross = 4, kDown = 3;  // px, of the census
  ImageU8 rows = valid, out = valid;
  runtime::parallel_for(valid.height, [&](int y) {
    int run = 0;  // valid pixels up to x
    for (int x = 0; x < valid.width + kAcross; ++x) {
      run = x >= valid.width || valid.at(x, y) ? run + 1 : 0;
      if (x >= kAcross && run <= std::min(2 * kAcross, x)) rows.at(x - kAcross, y) = 0;
    }
  });
  runtime::parallel_for(valid.height, [&](int y) {
    const int first = std::max(0, y - kDown), last = std::min(valid.height - 1, y + kDown);
    for (int row = first; row <= last; ++row) {
      for (int x = 0; x < valid.width; ++x) out.at(x, y) &= rows.at(x, row);
    }
  });
  return out;
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

ImageU8 rectified(Queue& queue, const RectifiedViews& views, Picture picture, int side,
                  ImageU8& valid) {
  if (views.polar) return Remapper(queue, sampling_map(*views.polar, side))(queue, picture, &valid);
  return warp(queue, picture, side == 0 ? views.planar.H1 : views.planar.H2, views.width(),
              views.height(), &valid);
}

// Marks the pixels of the rectified pair that see something of the photograph.
ImageU8 rectified_inside(Queue& queue, const RectifiedViews& views, Picture inside, int side) {
  ImageU8 valid;
  ImageU8 seen = rectified(queue, views, inside, side, valid);
  for (std::uint8_t& v : seen.pixels) v = v == 255 ? 255 : 0;
  return seen;
}

// A processor matches in bands where the sums of all paths would take more than 256 MB: the same
// result, in at most a quarter of the memory. Other devices have bounds of their own.
std::size_t memory_of(const Device& device, const RectifiedViews& views, int disparities) {
  if (device.info().kind != DeviceKind::cpu) return 0;
  const auto sums = std::size_t{2} * static_cast<std::size_t>(views.width()) *
                    static_cast<std::size_t>(views.height()) *
                    static_cast<std::size_t>(disparities);
  return std::max(std::size_t{256} << 20, sums / 4);
}

// Depth of the first photograph's pixels and the cloud.
void add_depth(Picture image1, const DenseCameras& cameras, const PairOptions& options,
               DensePair& dense) {
  const DenseMatches matches = dense.polar
                                   ? dense_matches(*dense.polar, dense.disparity.raw)
                                   : dense_matches(dense.rectification, dense.disparity.raw);
  DepthOptions depth;
  ModelCovariance covariance;
  if (!cameras.F)
    covariance =
        bifocal::covariance(cameras.pose, cameras.matches, cameras.camera1, cameras.camera2);
  if (covariance.ok) depth.pose_covariance = covariance.pose;
  dense.depth = depth_map(matches, cameras.camera1, cameras.camera2, cameras.pose, depth);
  const double pixels = static_cast<double>(image1.width) * image1.height;
  const int step =
      std::max(1, static_cast<int>(std::ceil(std::sqrt(pixels / options.max_dense_pixels))));
  dense.cloud = depth_to_cloud(dense.depth.depth, to_rgb(image1), cameras.camera1, step);
}

}  // namespace

void add_dense(Queue& queue, const PinholePair& pair, const PairOptions& options, StageClock& clock,
               PairResult& result) {
  clock.start("rectify", 0.7);
  const Picture image1 = pair.image1, image2 = pair.image2;
  const DenseCameras cameras = dense_cameras(pair, options, result);
  if (cameras.median_parallax_deg < kMinParallaxDeg) {
    result.dense_reason = fmt::format(
        "the median angle between the rays is {:.2f} degrees, too little for depth ({:g})",
        cameras.median_parallax_deg, kMinParallaxDeg);
    return;
  }
  RectifiedViews views = rectified_views(cameras, image1, image2, options, kMaxDisparities);
  result.dense_reason = views.refusal;
  if (!views.refusal.empty()) return;
  DensePair dense;
  ImageU8 grey[2], valid[2];
  runtime::parallel_for(2, [&](int i) {
    Queue own(options.device);
    ImageU8& picture = i == 0 ? dense.left : dense.right;
    picture = rectified(own, views, to_rgb(i == 0 ? image1 : image2), i, valid[i]);
    if (!pair.inside.empty()) valid[i] = rectified_inside(own, views, pair.inside, i);
    grey[i] = to_grey(picture);
  });

  clock.start("dense", 0.75);
  const DisparityRange range = views.range;
  dense.min_disparity = range.min;
  dense.disparities = range.count;
  SgmOptions search{.min_disparity = range.min, .disparities = range.count};
  search.max_memory = memory_of(options.device, views, range.count);
  dense.disparity = stereo_sgm(queue, grey[0], grey[1], search);
  forget_outside(inner(valid[0]), inner(valid[1]), dense.disparity);

  clock.start("cloud", 0.95);
  dense.polar = std::move(views.polar);
  dense.rectification = std::move(views.planar);
  if (dense.polar) dense.rectification = {};
  dense.choice = views.choice;
  dense.camera1 = cameras.camera1;
  dense.camera2 = cameras.camera2;
  dense.cameras = cameras.source;
  dense.focal_deviation = cameras.focal_deviation;
  dense.cam2_from_cam1 = cameras.pose;
  add_depth(image1, cameras, options, dense);
  result.dense = std::move(dense);
}

}  // namespace bifocal::pair
