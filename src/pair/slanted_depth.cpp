// SPDX-License-Identifier: BSD-3-Clause
#include "pair/slanted_depth.hpp"

#include <bifocal/io.hpp>
#include <bifocal/two_view.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "runtime/parallel.hpp"
#include "stereo/slanted/slanted.hpp"

namespace bifocal::pair {
namespace {

using View = ImageView<const std::uint8_t>;
using stereo::PlaneMap, stereo::SlantedPlanes;

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
constexpr int kMostSide = 1024;  // px of the images that planes are found in

// A photograph reduced for the search.
struct SmallView {
  ImageU8 grey;
  Intrinsics camera;
  double scale_x = 1, scale_y = 1;  // px of the photograph

  SmallView(View image, const Intrinsics& full) {
    ReducedImage reduced = reduce_to(to_grey(image), kMostSide);
    grey = std::move(reduced.image);
    scale_x = reduced.scale_x;
    scale_y = reduced.scale_y;
    camera = {full.fx / scale_x, full.fy / scale_y, (full.cx + 0.5) / scale_x - 0.5,
              (full.cy + 0.5) / scale_y - 0.5};
  }
  [[nodiscard]] Vec2 place(double x, double y) const {  // of a pixel of the photograph
    return {(x + 0.5) / scale_x - 0.5, (y + 0.5) / scale_y - 0.5};
  }
  [[nodiscard]] Vec2 photograph(double x, double y) const {
    return {(x + 0.5) * scale_x - 0.5, (y + 0.5) * scale_y - 0.5};
  }
  [[nodiscard]] bool contains(int x, int y) const {
    return x >= 0 && y >= 0 && x < grey.width && y < grey.height;
  }
};

// The point at inverse depth w of pixel (x, y) of view 1, seen by view 2.
struct Seen {
  double u, v, w;
};
Seen seen(const Intrinsics& from, const Intrinsics& to, const Pose& pose, double x, double y,
          double w) {
  const Vec3 ray = {(x - from.cx) / from.fx, (y - from.cy) / from.fy, 1};
  const Vec3 q = times(pose.R, ray);
  const Vec3 X = {q[0] + w * pose.t[0], q[1] + w * pose.t[1], q[2] + w * pose.t[2]};
  return {to.fx * X[0] / X[2] + to.cx, to.fy * X[1] / X[2] + to.cy, w / X[2]};
}

PlaneMap empty_map(const SmallView& view) {
  const ImageF none(view.grey.width, view.grey.height, 1, kUnknown);
  return {none, none, none};
}

// Slopes from neighbours two px away, where both are known; else 0.
void set_slopes(PlaneMap& map) {
  const ImageF& w = map.w;
  for (int y = 0; y < w.height; ++y) {
    for (int x = 0; x < w.width; ++x) {
      const float along = w.at(std::min(x + 2, w.width - 1), y) - w.at(std::max(x - 2, 0), y),
                  down = w.at(x, std::min(y + 2, w.height - 1)) - w.at(x, std::max(y - 2, 0));
      map.wx.at(x, y) = std::isnan(along) ? 0 : along / 4;
      map.wy.at(x, y) = std::isnan(down) ? 0 : down / 4;
    }
  }
}

// Inverse depths to start from in both views.
struct Seeds {
  PlaneMap one, two;
  double nearest = 0;  // inverse depth
};

Seeds seeds_of(const SmallView& view1, const SmallView& view2, const DenseCameras& c,
               const DenseMatches& matches) {
  Seeds seeds{empty_map(view1), empty_map(view2)};
  const auto put = [&](double x, double y, double w) {
    if (!(w > 0)) return;
    const int px = int(std::lround(x)), py = int(std::lround(y));
    if (view1.contains(px, py)) seeds.one.w.at(px, py) = float(w);
    const Seen s = seen(view1.camera, view2.camera, c.pose, x, y, w);
    const int u = int(std::lround(s.u)), v = int(std::lround(s.v));
    if (view2.contains(u, v)) seeds.two.w.at(u, v) = float(s.w);
    seeds.nearest = std::max(seeds.nearest, w);
  };
  DepthOptions exact;
  exact.disparity_deviation = 0;
  const DepthMap map = depth_map(matches, c.camera1, c.camera2, c.pose, exact);
  for (int y = 0; y < view1.grey.height; ++y) {
    for (int x = 0; x < view1.grey.width; ++x) {
      const Vec2 p = view1.photograph(x, y);
      const int px = std::clamp(int(std::lround(p[0])), 0, map.depth.width - 1),
                py = std::clamp(int(std::lround(p[1])), 0, map.depth.height - 1);
      put(x, y, 1.0 / map.depth.at(px, py));
    }
  }
  const std::vector<Vec3> points = triangulate(c.matches, c.camera1, c.camera2, c.pose);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!std::isfinite(points[i][2])) continue;
    const Vec2 p = view1.place(c.matches[i].x1, c.matches[i].y1);
    put(p[0], p[1], 1 / points[i][2]);
  }
  set_slopes(seeds.one);
  set_slopes(seeds.two);
  return seeds;
}

// Whether a pixel's plane is believed.
bool is_confirmed(const SlantedPlanes& found, int x, int y) {
  constexpr float kMostCost = 0.4F, kMostDistance = 1.0F;
  return found.cost.at(x, y) <= kMostCost && found.distance.at(x, y) <= kMostDistance;
}

}  // namespace

void add_slanted_matches(Queue& queue, View image1, View image2, const DenseCameras& c,
                         DenseMatches& matches) {
  const SmallView view1(image1, c.camera1), view2(image2, c.camera2);
  const Seeds seeds = seeds_of(view1, view2, c, matches);
  const SlantedPlanes found =
      stereo::match_slanted(queue, {view1.grey, view1.camera, seeds.one},
                            {view2.grey, view2.camera, seeds.two}, c.pose,
                            {.farthest = 0, .nearest = 2 * seeds.nearest});
  runtime::parallel_for(matches.x.height, [&](int y) {
    for (int x = 0; x < matches.x.width; ++x) {
      if (!std::isnan(matches.x.at(x, y))) continue;
      const Vec2 p = view1.place(x, y);
      const int px = std::clamp(int(std::lround(p[0])), 0, view1.grey.width - 1),
                py = std::clamp(int(std::lround(p[1])), 0, view1.grey.height - 1);
      if (!is_confirmed(found, px, py)) continue;
      const PlaneMap& m = found.planes;
      const double w = m.w.at(px, py) + m.wx.at(px, py) * (p[0] - px) + m.wy.at(px, py) * (p[1] - py);
      const Seen s = seen(view1.camera, view2.camera, c.pose, p[0], p[1], w),
                 near = seen(view1.camera, view2.camera, c.pose, p[0], p[1], 1.001 * w + 1e-9);
      const double length = std::hypot(near.u - s.u, near.v - s.v);
      if (!(w > 0) || !(length > 0)) continue;
      const Vec2 q = view2.photograph(s.u, s.v);
      matches.x.at(x, y) = float(q[0]);
      matches.y.at(x, y) = float(q[1]);
      matches.dx.at(x, y) = float((near.u - s.u) / length * view2.scale_x);
      matches.dy.at(x, y) = float((near.v - s.v) / length * view2.scale_y);
    }
  });
}

}  // namespace bifocal::pair
