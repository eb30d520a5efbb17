// SPDX-License-Identifier: BSD-3-Clause
#include "pair/dense_pair.hpp"

#include <fmt/format.h>
#include <bifocal/draw.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "pair/dense_cameras.hpp"
#include "pair/islands.hpp"
#include "pair/rectified_views.hpp"
#include "pair/search_range.hpp"
#include "pair/upright.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::pair {
namespace {

using View = ImageView<const std::uint8_t>;

// At 0.5 degrees and f = 1000 px, an error of 1 px changes the depth by 10 %.
constexpr double kMinParallaxDeg = 0.5;
constexpr int kMaxDisparities = 1024;  // limit of stereo_sgm
constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

// Erodes a mask by the window of the census transform, because the borders of both
// images look alike.
ImageU8 inner(const ImageU8& valid) {
  constexpr int kAcross = 4, kDown = 3;  // px, of the census window
  ImageU8 rows = valid, out = valid;
  runtime::parallel_for(valid.height, [&](int y) {
    int run = 0;  // number of consecutive valid pixels up to x
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

// Makes disparities unknown if their left or right pixel is invalid.
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

// A rectified image and its valid pixels: pixels from inside the photograph and, if `inside` is
// given, from inside the undistorted image.
struct RectifiedImage {
  ImageU8 rgb, grey, valid;
  std::shared_ptr<const DeepGrey> deep;
};
RectifiedImage rectified(const Device& device, const Rectification& r, int side,
                         const Photograph& image, View inside) {
  Queue queue(device);
  const Remapper remapper(queue, sampling_map(r, side));
  RectifiedImage out;
  out.rgb = image.remapped(queue, remapper, &out.valid);
  if (out.rgb.channels != 3) out.rgb = to_rgb(out.rgb);
  out.grey = to_grey(out.rgb);
  out.deep = image.deep_remapped(queue, remapper);
  if (!inside.empty()) {
    out.valid = remapper(queue, inside);
    for (std::uint8_t& v : out.valid.pixels) v = v == 255 ? 255 : 0;
  }
  return out;
}

// Returns the memory limit of the matcher in bytes. A CPU matches in bands if the sums of all paths
// would take more than 256 MB, with the same result in at most a quarter of the memory. GPUs have
// no limit here.
std::size_t memory_of(const Device& device, const Rectification& r, int disparities) {
  if (device.info().kind != DeviceKind::cpu) return 0;
  const auto sums = std::size_t{2} * static_cast<std::size_t>(r.width) *
                    static_cast<std::size_t>(r.height) * static_cast<std::size_t>(disparities);
  return std::max(std::size_t{256} << 20, sums / 4);
}

// Matches a pair in 16 bits if both images have them.
DisparityMap matched(Queue& queue, const RectifiedImage& left, const RectifiedImage& right,
                     SgmOptions search) {
  if (!left.deep || !right.deep) return stereo_sgm(queue, left.grey, right.grey, search);
  search.white = std::max(left.deep->white, right.deep->white);
  return stereo_sgm(queue, left.deep->image, right.deep->image, search);
}

// Adds the depth of the first image's pixels and the point cloud.
void add_depth(const PinholePair& pair, const DenseCameras& cameras, const PoseDeviation& deviation,
               const PairOptions& options, DensePair& dense) {
  const View image1 = pair.image1;
  DenseMatches matches = dense_matches(dense.rectification, dense.disparity.raw);
  if (!cameras.F) remove_islands(image1, pair.image2, cameras, matches);
  DepthOptions depth;
  if (!cameras.F) depth.geometries = deviation.geometries;
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
  const Photograph &image1 = pair.image1, &image2 = pair.image2;
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
  RectifiedImage sides[2];
  const auto rectify_side = [&](int i) {
    sides[i] =
        rectified(queue.device(), views.rectification, i, i == 0 ? image1 : image2, pair.inside);
  };
  runtime::parallel_for(2, rectify_side);

  clock.start("dense", 0.75);
  views.range =
      widened_range(queue, {sides[0].grey, sides[0].valid}, {sides[1].grey, sides[1].valid},
                    options, views.range, kMaxDisparities);
  // A shift widens both images, so they are rectified again.
  if (!options.min_disparity && make_disparities_positive(views))
    runtime::parallel_for(2, rectify_side);
  const DisparityRange range = views.range;
  DensePair dense;
  dense.min_disparity = range.min;
  dense.disparities = range.count;
  SgmOptions search{.min_disparity = range.min, .disparities = range.count};
  search.max_memory = memory_of(queue.device(), views.rectification, range.count);
  dense.disparity = matched(queue, sides[0], sides[1], search);
  forget_outside(inner(sides[0].valid), inner(sides[1].valid), dense.disparity);

  clock.start("depth", 0.85);
  dense.rectification = std::move(views.rectification);
  dense.choice = views.choice;
  dense.left = std::move(sides[0].rgb);
  dense.right = std::move(sides[1].rgb);
  dense.camera1 = cameras.camera1;
  dense.camera2 = cameras.camera2;
  dense.cameras = cameras.source;
  dense.focal_deviation = cameras.focal_deviation;
  dense.cam2_from_cam1 = cameras.pose;
  dense.has_deviation = cameras.source != CameraSource::assumed && result.doubt.empty();
  add_depth(pair, cameras, result.pose_deviation, options, dense);
  put_upright(dense);
  result.dense = std::move(dense);
}

}  // namespace bifocal::pair
