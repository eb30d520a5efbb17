// SPDX-License-Identifier: BSD-3-Clause
#include "pair/rectified_views.hpp"

#include <fmt/format.h>
#include <bifocal/error.hpp>
#include <bifocal/reasons.hpp>
#include <bifocal/two_view.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include "pair/search_range.hpp"

namespace bifocal::pair {
namespace {

using View = ImageView<const std::uint8_t>;

// Returns whether nearer inliers have larger disparities: the sign of the covariance of disparity
// and inverse depth. For pairs with F, because their rectification does not use the cameras.
bool nearer_matches_move_more(const Rectification& r, const DenseCameras& c) {
  std::vector<Vec2> one, two;
  for (const PointPair& m : c.matches) {
    one.push_back({m.x1, m.y1});
    two.push_back({m.x2, m.y2});
  }
  const auto left = rectified_points(r, 0, one), right = rectified_points(r, 1, two);
  const auto points = triangulate(c.matches, c.camera1, c.camera2, c.pose);
  double n = 0, sd = 0, sz = 0, sdz = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double d = left[i][0] - right[i][0], nearness = 1 / points[i][2];
    if (!std::isfinite(d) || !std::isfinite(nearness)) continue;
    n += 1, sd += d, sz += nearness, sdz += d * nearness;
  }
  return n * sdz >= sd * sz;
}

// Cameras with the sizes of the images.
struct SizedCameras {
  Camera one, two;
};

Rectification polar_views(const DenseCameras& c, const SizedCameras& k, double max_scale) {
  PolarOptions options;
  options.max_scale = std::min(options.max_scale, 3 * max_scale);
  if (!c.F) {
    Rectification r = rectify_polar(k.one, k.two, c.pose, c.matches, options);
    put_image1_left(r);
    return r;
  }
  Rectification r =
      rectify_polar(*c.F, c.matches, k.one.width, k.one.height, k.two.width, k.two.height, options);
  if (r.ok() && !nearer_matches_move_more(r, c)) rotate_by_180(r);
  r.is_reversed = false;
  return r;
}

Rectification planar_views(const DenseCameras& c, const SizedCameras& k, double max_scale) {
  RectifyOptions options;
  options.max_scale = std::min(options.max_scale, max_scale);
  Rectification r = c.F ? rectify_uncalibrated(*c.F, c.matches, k.one.width, k.one.height,
                                               k.two.width, k.two.height, options)
                        : rectify(k.one, k.two, c.pose, options);
  put_image1_left(r);
  return r;
}

// Replaces the ends of the disparity range that the options set in px.
void set_given_ends(const PairOptions& options, DisparityRange& range, int most) {
  const int start = options.min_disparity.value_or(range.min),
            end = options.max_disparity.value_or(range.min + range.count);
  if (end <= start || end - start > most)
    throw Error(ErrorCode::usage,
                fmt::format("min_disparity, max_disparity: the search from {} to {} px must hold 1 "
                            "to {} disparities",
                            start, end, most));
  range = {start, end - start};
}

}  // namespace

bool make_disparities_positive(RectifiedViews& views) {
  if (views.range.min >= 0) return false;
  shift_left_image(views.rectification, -views.range.min);
  views.range.min = 0;
  return true;
}

RectifiedViews rectified_views(const DenseCameras& c, View image1, View image2,
                               const PairOptions& options, int most_disparities) {
  const double area = std::max(static_cast<double>(image1.width) * image1.height,
                               static_cast<double>(image2.width) * image2.height);
  double max_scale = options.max_dense_pixels / area;
  const SizedCameras cameras{{c.camera1, {}, image1.width, image1.height},
                             {c.camera2, {}, image2.width, image2.height}};
  RectifiedViews views;
  for (int tries = 0; tries < 4; ++tries) {
    Rectification planar = planar_views(c, cameras, max_scale),
                  polar = polar_views(c, cameras, max_scale);
    views.choice = choose_rectification(planar, polar);
    views.rectification = std::move(views.choice.is_polar ? polar : planar);
    if (!views.rectification.ok()) {
      views.refusal = fmt::format("the pair can't be rectified: {}",
                                  reason_text(to_string(views.rectification.outcome)));
      return views;
    }
    views.range = range_of_depths(views.rectification, c, options,
                                  disparity_range(views.rectification, c.matches));
    if (views.range.count <= most_disparities) break;
    const double reduced = 0.98 * most_disparities / views.range.count;
    max_scale = std::min(max_scale, 4.0) * reduced * reduced;
  }
  const bool has_depth_limits = options.near_depth > 0 || options.far_depth > 0;
  if (views.range.count <= 0 && has_depth_limits) {
    views.refusal = fmt::format(
        "near_depth = {}, far_depth = {}: no disparity of the matches lies between them",
        options.near_depth, options.far_depth);
    return views;
  }
  if (views.range.count <= 0 || views.range.count > most_disparities) {
    views.refusal = fmt::format("the inliers' disparities span {} px, the search is limited to {}",
                                views.range.count, most_disparities);
    return views;
  }
  make_disparities_positive(views);
  set_given_ends(options, views.range, most_disparities);
  return views;
}

}  // namespace bifocal::pair
