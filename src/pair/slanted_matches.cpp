// SPDX-License-Identifier: BSD-3-Clause
#include "pair/slanted_matches.hpp"

#include <bifocal/io.hpp>
#include <bifocal/two_view.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "pair/plane_grid.hpp"
#include "runtime/parallel.hpp"
#include "stereo/slanted/slanted.hpp"

namespace bifocal::pair {
namespace {

using View = ImageView<const std::uint8_t>;
using stereo::PlaneMap, stereo::SlantedPlanes;

constexpr float kUnknownDepth = std::numeric_limits<float>::quiet_NaN();
constexpr int kMostSide = 1024;  // px of the images for the plane search

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
  // Converts a position in the photograph to a position in the reduced image, and back.
  [[nodiscard]] Vec2 place(double x, double y) const {
    return {(x + 0.5) / scale_x - 0.5, (y + 0.5) / scale_y - 0.5};
  }
  [[nodiscard]] std::array<int, 2> nearest(int x, int y) const {
    const Vec2 p = place(x, y);
    return {std::clamp(static_cast<int>(std::lround(p[0])), 0, grey.width - 1),
            std::clamp(static_cast<int>(std::lround(p[1])), 0, grey.height - 1)};
  }
  [[nodiscard]] Vec2 photograph(double x, double y) const {
    return {(x + 0.5) * scale_x - 0.5, (y + 0.5) * scale_y - 0.5};
  }
  [[nodiscard]] bool contains(int x, int y) const {
    return x >= 0 && y >= 0 && x < grey.width && y < grey.height;
  }
};

PlaneMap empty_map(const SmallView& view) {
  const ImageF none(view.grey.width, view.grey.height, 1, kUnknownDepth);
  return {none, none, none};
}

// Computes slopes from neighbours two px away if both are known; otherwise 0.
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

// Initial planes in both views, and the points of the inliers in view 1.
struct Start {
  PlaneMap one, two;
  std::vector<GridPoint> points;
  double nearest = 0;  // inverse depth
};

void put(const SmallView& view1, const SmallView& view2, const Pose& pose, const GridPoint& p,
         Start& start) {
  if (!(p.w > 0)) return;
  if (view1.contains(p.x, p.y)) start.one.w.at(p.x, p.y) = p.w;
  const SeenPoint s = seen_point(view1.camera, view2.camera, pose, p.x, p.y, p.w);
  const int u = static_cast<int>(std::lround(s.u)), v = static_cast<int>(std::lround(s.v));
  if (view2.contains(u, v)) start.two.w.at(u, v) = static_cast<float>(s.w);
  start.nearest = std::max(start.nearest, double{p.w});
}

Start start_of(const SmallView& view1, const SmallView& view2, const DenseCameras& c,
               const DenseMatches& matches) {
  Start start{empty_map(view1), empty_map(view2), {}, 0};
  DepthOptions exact;
  exact.disparity_deviation = 0;
  const DepthMap map = depth_map(matches, c.camera1, c.camera2, c.pose, exact);
  for (int y = 0; y < view1.grey.height; ++y) {
    for (int x = 0; x < view1.grey.width; ++x) {
      const Vec2 p = view1.photograph(x, y);
      const int px = std::clamp(static_cast<int>(std::lround(p[0])), 0, map.depth.width - 1),
                py = std::clamp(static_cast<int>(std::lround(p[1])), 0, map.depth.height - 1);
      put(view1, view2, c.pose, {x, y, 1 / map.depth.at(px, py)}, start);
    }
  }
  const std::vector<Vec3> points = triangulate(c.matches, c.camera1, c.camera2, c.pose);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!std::isfinite(points[i][2]) || !(points[i][2] > 0)) continue;
    const Vec2 p = view1.place(c.matches[i].x1, c.matches[i].y1);
    const int x = static_cast<int>(std::lround(p[0])), y = static_cast<int>(std::lround(p[1]));
    if (view1.contains(x, y)) start.points.push_back({x, y, static_cast<float>(1 / points[i][2])});
  }
  return start;
}

// Returns the accepted planes: the planes of the rectified pair and, elsewhere, slanted planes
// whose patches correlate and whose point is mapped back to its pixel by the planes of view 2.
PlaneGrid believed(const PlaneMap& rectified, const SlantedPlanes& found) {
  constexpr float kMostCost = 0.6F, kMostDistance = 1.5F;
  PlaneGrid grid{found.planes, ImageU8(found.cost.width, found.cost.height), {}};
  for (int y = 0; y < found.cost.height; ++y) {
    for (int x = 0; x < found.cost.width; ++x) {
      const bool is_rectified = !std::isnan(rectified.w.at(x, y));
      if (is_rectified) {
        grid.planes.w.at(x, y) = rectified.w.at(x, y);
        grid.planes.wx.at(x, y) = rectified.wx.at(x, y);
        grid.planes.wy.at(x, y) = rectified.wy.at(x, y);
      }
      grid.known.at(x, y) = is_rectified || (found.cost.at(x, y) <= kMostCost &&
                                             found.distance.at(x, y) <= kMostDistance);
    }
  }
  return grid;
}

// Sets unknown matches at pixels that the grid knows.
void set_matches(const SmallView& view1, const SmallView& view2, const Pose& pose,
                 const PlaneGrid& grid, DenseMatches& matches) {
  runtime::parallel_for(matches.x.height, [&](int y) {
    for (int x = 0; x < matches.x.width; ++x) {
      const Vec2 p = view1.place(x, y);
      const auto [px, py] = view1.nearest(x, y);
      float& match_x = matches.x.at(x, y);
      if (!grid.known.at(px, py) || !std::isnan(match_x)) continue;
      const PlaneMap& m = grid.planes;
      const double w =
          m.w.at(px, py) + m.wx.at(px, py) * (p[0] - px) + m.wy.at(px, py) * (p[1] - py);
      const SeenPoint s = seen_point(view1.camera, view2.camera, pose, p[0], p[1], w),
                      near = seen_point(view1.camera, view2.camera, pose, p[0], p[1],
                                        1.001 * w + 1e-9);
      const double length = std::hypot(near.u - s.u, near.v - s.v);
      if (!(w > 0) || !(length > 0)) continue;
      const Vec2 q = view2.photograph(s.u, s.v);
      match_x = static_cast<float>(q[0]);
      matches.y.at(x, y) = static_cast<float>(q[1]);
      matches.dx.at(x, y) = static_cast<float>((near.u - s.u) / length * view2.scale_x);
      matches.dy.at(x, y) = static_cast<float>((near.v - s.v) / length * view2.scale_y);
    }
  });
}

}  // namespace

void add_slanted_matches(Queue& queue, View image1, View image2, const DenseCameras& c,
                         DenseMatches& matches) {
  const SmallView view1(image1, c.camera1), view2(image2, c.camera2);
  Start start = start_of(view1, view2, c, matches);
  PlaneMap rectified = start.one;
  set_slopes(rectified);
  for (const GridPoint& p : start.points) put(view1, view2, c.pose, p, start);
  set_slopes(start.one);
  set_slopes(start.two);
  const SlantedPlanes found = stereo::match_slanted(queue, {view1.grey, view1.camera, start.one},
                                                    {view2.grey, view2.camera, start.two}, c.pose,
                                                    {.farthest = 0, .nearest = 2 * start.nearest});
  PlaneGrid grid = believed(rectified, found);
  set_motion(view1.camera, view2.camera, c.pose, grid);
  fill_holes(3, grid);
  remove_islands(start.points, {.area = 3000, .points = 5}, grid);
  remove_edges(grid);
  set_matches(view1, view2, c.pose, grid, matches);
}

void remove_islands(View image1, View image2, const DenseCameras& c, DenseMatches& matches) {
  const SmallView view1(image1, c.camera1), view2(image2, c.camera2);
  Start start = start_of(view1, view2, c, matches);
  set_slopes(start.one);
  ImageU8 known(view1.grey.width, view1.grey.height);
  for (std::size_t i = 0; i < known.pixels.size(); ++i)
    known.pixels[i] = !std::isnan(start.one.w.pixels[i]);
  PlaneGrid grid{std::move(start.one), known, {}};
  set_motion(view1.camera, view2.camera, c.pose, grid);
  remove_islands(start.points, {.area = 400, .points = 1}, grid);
  for (int y = 0; y < matches.x.height; ++y) {
    for (int x = 0; x < matches.x.width; ++x) {
      const auto [px, py] = view1.nearest(x, y);
      if (known.at(px, py) && !grid.known.at(px, py)) matches.x.at(x, y) = kUnknownDepth;
    }
  }
}

}  // namespace bifocal::pair
