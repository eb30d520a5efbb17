// SPDX-License-Identifier: BSD-3-Clause
#include "pair/islands.hpp"

#include <bifocal/two_view.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "runtime/disjoint_sets.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::pair {
namespace {

using View = ImageView<const std::uint8_t>;

constexpr float kUnknownDepth = std::numeric_limits<float>::quiet_NaN();
constexpr int kMostSide = 1024;  // px of the reduced image

// Size and camera of a reduced photograph.
struct SmallView {
  int width, height;
  double scale_x, scale_y;  // px of the photograph per px
  Intrinsics camera;

  SmallView(View image, const Intrinsics& full) {
    const int longer = std::max({image.width, image.height, kMostSide});
    const auto reduced = [&](int side) {
      return std::max(1, static_cast<int>(std::lround(double(side) * kMostSide / longer)));
    };
    width = reduced(image.width);
    height = reduced(image.height);
    scale_x = double(image.width) / width;
    scale_y = double(image.height) / height;
    camera = {full.fx / scale_x, full.fy / scale_y, (full.cx + 0.5) / scale_x - 0.5,
              (full.cy + 0.5) / scale_y - 0.5};
  }
  // Converts a position in the photograph to the nearest pixel of the reduced image.
  [[nodiscard]] std::array<int, 2> nearest(double x, double y) const {
    return {static_cast<int>(std::lround((x + 0.5) / scale_x - 0.5)),
            static_cast<int>(std::lround((y + 0.5) / scale_y - 0.5))};
  }
  [[nodiscard]] std::array<int, 2> nearest_inside(int x, int y) const {
    const auto [u, v] = nearest(x, y);
    return {std::clamp(u, 0, width - 1), std::clamp(v, 0, height - 1)};
  }
  [[nodiscard]] bool contains(int x, int y) const {
    return x >= 0 && y >= 0 && x < width && y < height;
  }
};

// Returns the inverse depths of the reduced image 1; NaN if unknown.
ImageF inverse_depths(const SmallView& view, const DenseCameras& c, const DenseMatches& matches) {
  DepthOptions exact;
  exact.disparity_deviation = 0;
  const ImageF depth = depth_map(matches, c.camera1, c.camera2, c.pose, exact).depth;
  ImageF w(view.width, view.height, 1, kUnknownDepth);
  const auto pixel = [](int small, double scale, int side) {
    return std::clamp(static_cast<int>(std::lround((small + 0.5) * scale - 0.5)), 0, side - 1);
  };
  for (int y = 0; y < view.height; ++y) {
    for (int x = 0; x < view.width; ++x) {
      const float z =
          depth.at(pixel(x, view.scale_x, depth.width), pixel(y, view.scale_y, depth.height));
      if (1 / z > 0) w.at(x, y) = 1 / z;
    }
  }
  return w;
}

// Computes slopes from neighbours two px away if both are known; otherwise 0.
void set_slopes(PlaneGrid& grid) {
  const ImageF& w = grid.w;
  grid.wx = grid.wy = ImageF(w.width, w.height);
  for (int y = 0; y < w.height; ++y) {
    for (int x = 0; x < w.width; ++x) {
      const float along = w.at(std::min(x + 2, w.width - 1), y) - w.at(std::max(x - 2, 0), y),
                  down = w.at(x, std::min(y + 2, w.height - 1)) - w.at(x, std::max(y - 2, 0));
      grid.wx.at(x, y) = std::isnan(along) ? 0 : along / 4;
      grid.wy.at(x, y) = std::isnan(down) ? 0 : down / 4;
    }
  }
}

// Projects the point at inverse depth w of pixel (x, y) in view 1 to view 2.
Vec2 seen_point(const Intrinsics& from, const Intrinsics& to, const Pose& pose, double x, double y,
                double w) {
  const Vec3 q = times(pose.R, Vec3{(x - from.cx) / from.fx, (y - from.cy) / from.fy, 1});
  const Vec3 X = {q[0] + w * pose.t[0], q[1] + w * pose.t[1], q[2] + w * pose.t[2]};
  return {to.fx * X[0] / X[2] + to.cx, to.fy * X[1] / X[2] + to.cy};
}

void set_motion(const Intrinsics& from, const Intrinsics& to, const Pose& pose, PlaneGrid& grid) {
  grid.motion = ImageF(grid.known.width, grid.known.height);
  runtime::parallel_for(grid.known.height, [&](int y) {
    for (int x = 0; x < grid.known.width; ++x) {
      const double w = std::max(0.0F, grid.w.at(x, y)), step = 1e-3 * w + 1e-6;
      const Vec2 here = seen_point(from, to, pose, x, y, w),
                 near = seen_point(from, to, pose, x, y, w + step);
      grid.motion.at(x, y) =
          static_cast<float>(std::hypot(near[0] - here[0], near[1] - here[1]) / step + 1e-6);
    }
  });
}

std::vector<GridPoint> points_of(const SmallView& view, const DenseCameras& c) {
  std::vector<GridPoint> out;
  const std::vector<Vec3> points = triangulate(c.matches, c.camera1, c.camera2, c.pose);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!std::isfinite(points[i][2]) || !(points[i][2] > 0)) continue;
    const auto [x, y] = view.nearest(c.matches[i].x1, c.matches[i].y1);
    if (view.contains(x, y)) out.push_back({x, y, static_cast<float>(1 / points[i][2])});
  }
  return out;
}

bool are_on_one_surface(const PlaneGrid& grid, int x, int y, int dx, int dy) {
  if (!grid.known.at(x, y) || !grid.known.at(x + dx, y + dy)) return false;
  const float difference = grid.value(x, y, dx, dy) - grid.w.at(x + dx, y + dy);
  return std::abs(difference) * grid.motion.at(x, y) <= 1;
}

}  // namespace

void remove_islands(std::span<const GridPoint> points, PlaneGrid& grid) {
  constexpr int kSmallest = 400, kSmallestWithPoint = 60, kGap = 3;  // px
  const int width = grid.known.width, height = grid.known.height;
  const auto pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  DisjointSets sets(pixels);  // connected pixels
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const auto place = std::size_t(y * width + x);
      for (const int gap : {1, kGap}) {
        if (x + gap < width && are_on_one_surface(grid, x, y, gap, 0))
          sets.join(place, place + std::size_t(gap));
        if (y + gap < height && are_on_one_surface(grid, x, y, 0, gap))
          sets.join(place, place + std::size_t(gap * width));
      }
    }
  }
  std::vector<int> sizes(pixels, 0);
  for (int i = 0; i < width * height; ++i)
    sizes[sets.root(std::size_t(i))] += grid.known.pixels[std::size_t(i)];
  std::vector<char> has_point(pixels, 0);  // of a region, by its root
  for (const GridPoint& p : points) {
    const float difference = grid.w.at(p.x, p.y) - p.w;
    if (grid.known.at(p.x, p.y) && std::abs(difference) * grid.motion.at(p.x, p.y) <= 2)
      has_point[sets.root(std::size_t(p.y * width + p.x))] = 1;
  }
  for (int i = 0; i < width * height; ++i) {
    const std::size_t root = sets.root(std::size_t(i));
    if (sizes[root] < (has_point[root] ? kSmallestWithPoint : kSmallest))
      grid.known.pixels[std::size_t(i)] = 0;
  }
}

void remove_islands(View image1, View image2, const DenseCameras& c, DenseMatches& matches) {
  const SmallView view1(image1, c.camera1), view2(image2, c.camera2);
  PlaneGrid grid;
  grid.w = inverse_depths(view1, c, matches);
  set_slopes(grid);
  grid.known = ImageU8(view1.width, view1.height);
  for (std::size_t i = 0; i < grid.known.pixels.size(); ++i)
    grid.known.pixels[i] = !std::isnan(grid.w.pixels[i]);
  const ImageU8 known = grid.known;
  set_motion(view1.camera, view2.camera, c.pose, grid);
  remove_islands(points_of(view1, c), grid);
  for (int y = 0; y < matches.x.height; ++y) {
    for (int x = 0; x < matches.x.width; ++x) {
      const auto [px, py] = view1.nearest_inside(x, y);
      if (known.at(px, py) && !grid.known.at(px, py)) matches.x.at(x, y) = kUnknownDepth;
    }
  }
}

}  // namespace bifocal::pair
