// SPDX-License-Identifier: BSD-3-Clause
// Points and disparities of a polar rectification are computed here.
#include <bifocal/rectify.hpp>

#include <cmath>

#include "rectify/differences.hpp"
#include "rectify/polar_places.hpp"

namespace bifocal {
namespace {

// left - right of every match that has a place in both pictures: columns and rows.
std::vector<Vec2> differences(const PolarRectification& r, std::span<const PointPair> matches) {
  const rectification::PolarPlaces left(r, 0), right(r, 1);
  const double turn = r.height - 2.0 * r.overlap;
  std::vector<Vec2> all;
  for (const PointPair& m : matches) {
    const Vec2 l = left({m.x1, m.y1}), p = right({m.x2, m.y2});
    Vec2 d = {l[0] - p[0], l[1] - p[1]};
    if (r.is_cyclic) d[1] = std::remainder(d[1], turn);
    if (std::isfinite(d[0]) && std::isfinite(d[1])) all.push_back(d);
  }
  return all;
}

}  // namespace

VerticalDisparity vertical_disparity(const PolarRectification& rectification,
                                     std::span<const PointPair> matches) {
  return rectification::rows_apart(differences(rectification, matches));
}

DisparityRange disparity_range(const PolarRectification& rectification,
                               std::span<const PointPair> matches) {
  return rectification::range_of(differences(rectification, matches));
}

}  // namespace bifocal
