// SPDX-License-Identifier: BSD-3-Clause
#include "pair/rectified_views.hpp"

#include <fmt/format.h>
#include <bifocal/two_view.hpp>

#include <algorithm>
#include <cmath>

#include "rectify/turned.hpp"

namespace bifocal::pair {
namespace {

using Picture = ImageView<const std::uint8_t>;

// Without cameras that F is made of, the inliers say whether nearer points have larger disparities:
// the sign of the covariance of disparity and nearness.
bool nearer_matches_move_more(const PolarRectification& r, const DenseCameras& c) {
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

PolarRectification polar_views(const DenseCameras& c, Picture image1, Picture image2,
                               double max_scale) {
  PolarOptions options;
  options.max_scale = std::min(options.max_scale, 3 * max_scale);
  if (!c.F)
    return rectify_polar(c.camera1, c.camera2, c.pose, c.matches, image1.width, image1.height,
                         image2.width, image2.height, options);
  PolarRectification r = rectify_polar(*c.F, c.matches, image1.width, image1.height, image2.width,
                                       image2.height, options);
  if (r.width > 0 && !nearer_matches_move_more(r, c)) rectification::turn(r);
  return r;
}

Rectification planar_views(const DenseCameras& c, Picture image1, Picture image2,
                           double max_scale) {
  RectifyOptions options;
  options.max_scale = std::min(options.max_scale, max_scale);
  Rectification r = c.F ? rectify_uncalibrated(*c.F, c.matches, image1.width, image1.height,
                                               image2.width, image2.height, options)
                        : rectify(c.camera1, c.camera2, c.pose, image1.width, image1.height,
                                  image2.width, image2.height, options);
  rectification::keep_order(r);
  return r;
}

// Disparities can be negative when each rectified picture begins at its own left end. Moves the
// left picture to the right until the search range starts at 0, as files of disparities have it.
template <class Rectified>
void make_positive(Rectified& rectified, DisparityRange& range) {
  if (range.min >= 0) return;
  rectification::shift_left(rectified, -range.min);
  range.min = 0;
}

}  // namespace

RectifiedViews rectified_views(const DenseCameras& c, Picture image1, Picture image2,
                               const PairOptions& options, int most_disparities) {
  const double area = std::max(static_cast<double>(image1.width) * image1.height,
                               static_cast<double>(image2.width) * image2.height);
  double max_scale = options.max_dense_pixels / area;
  RectifiedViews views;
  for (int tries = 0; tries < 4; ++tries) {
    views.planar = planar_views(c, image1, image2, max_scale);
    views.polar = polar_views(c, image1, image2, max_scale);
    views.choice = choose_rectification(views.planar, *views.polar);
    if (!views.choice.is_polar) views.polar.reset();
    if (views.width() == 0) {
      views.refusal =
          fmt::format("the pair can't be rectified: {}", to_string(views.planar.outcome));
      return views;
    }
    views.range = views.polar ? disparity_range(*views.polar, c.matches)
                              : disparity_range(views.planar, c.matches);
    if (views.range.count <= most_disparities) break;
    const double reduced = 0.98 * most_disparities / views.range.count;
    max_scale = std::min(max_scale, 4.0) * reduced * reduced;
  }
  if (views.range.count <= 0 || views.range.count > most_disparities) {
    views.refusal = fmt::format("the inliers' disparities span {} px, the search is limited to {}",
                                views.range.count, most_disparities);
    return views;
  }
  if (views.polar) make_positive(*views.polar, views.range);
  if (!views.polar) make_positive(views.planar, views.range);
  return views;
}

}  // namespace bifocal::pair
