// SPDX-License-Identifier: BSD-3-Clause
#include "pair/plane_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "runtime/disjoint_sets.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::pair {
namespace {

// Mean plane of the known neighbours within 2 px that agree with their median; at least two
// thirds must agree.
struct Agreed {
  bool is_found = false;
  float w = 0, wx = 0, wy = 0;
};
Agreed agreed_plane(const PlaneGrid& grid, int x, int y) {
  constexpr int kReach = 2, kNeighbours = 24, kLeast = 12;
  float w[kNeighbours], wx[kNeighbours], wy[kNeighbours], sorted[kNeighbours];
  int n = 0;
  for (int dy = -kReach; dy <= kReach; ++dy) {
    for (int dx = -kReach; dx <= kReach; ++dx) {
      const int px = x + dx, py = y + dy;
      if (px < 0 || py < 0 || px >= grid.known.width || py >= grid.known.height ||
          !grid.known.at(px, py))
        continue;
      w[n] = grid.value(px, py, -dx, -dy);
      wx[n] = grid.planes.wx.at(px, py);
      wy[n] = grid.planes.wy.at(px, py);
      ++n;
    }
  }
  if (n < kLeast) return {};
  std::copy_n(w, n, sorted);
  std::nth_element(sorted, sorted + n / 2, sorted + n);
  const float middle = sorted[n / 2], most = 1 / grid.motion.at(x, y);
  Agreed sum;
  int agreeing = 0;
  for (int i = 0; i < n; ++i) {
    if (!(std::abs(w[i] - middle) <= most)) continue;
    ++agreeing;
    sum.w += w[i];
    sum.wx += wx[i];
    sum.wy += wy[i];
  }
  if (3 * agreeing < 2 * n) return {};
  const auto count = static_cast<float>(agreeing);
  return {true, sum.w / count, sum.wx / count, sum.wy / count};
}

bool are_on_one_surface(const PlaneGrid& grid, int x, int y, int dx, int dy) {
  if (!grid.known.at(x, y) || !grid.known.at(x + dx, y + dy)) return false;
  const float difference = grid.value(x, y, dx, dy) - grid.planes.w.at(x + dx, y + dy);
  return std::abs(difference) * grid.motion.at(x, y) <= 1;
}

}  // namespace

SeenPoint seen_point(const Intrinsics& from, const Intrinsics& to, const Pose& pose, double x,
                     double y, double w) {
  const Vec3 q = times(pose.R, Vec3{(x - from.cx) / from.fx, (y - from.cy) / from.fy, 1});
  const Vec3 X = {q[0] + w * pose.t[0], q[1] + w * pose.t[1], q[2] + w * pose.t[2]};
  return {to.fx * X[0] / X[2] + to.cx, to.fy * X[1] / X[2] + to.cy, w / X[2]};
}

void set_motion(const Intrinsics& from, const Intrinsics& to, const Pose& pose, PlaneGrid& grid) {
  grid.motion = ImageF(grid.known.width, grid.known.height);
  runtime::parallel_for(grid.known.height, [&](int y) {
    for (int x = 0; x < grid.known.width; ++x) {
      const double w = std::max(0.0F, grid.planes.w.at(x, y)), step = 1e-3 * w + 1e-6;
      const SeenPoint here = seen_point(from, to, pose, x, y, w),
                      near = seen_point(from, to, pose, x, y, w + step);
      grid.motion.at(x, y) =
          static_cast<float>(std::hypot(near.u - here.u, near.v - here.v) / step + 1e-6);
    }
  });
}

void fill_holes(int rounds, PlaneGrid& grid) {
  for (int round = 0; round < rounds; ++round) {
    PlaneGrid next = grid;
    runtime::parallel_for(grid.known.height, [&](int y) {
      for (int x = 0; x < grid.known.width; ++x) {
        if (grid.known.at(x, y)) continue;
        const Agreed plane = agreed_plane(grid, x, y);
        if (!plane.is_found) continue;
        next.known.at(x, y) = 1;
        next.planes.w.at(x, y) = plane.w;
        next.planes.wx.at(x, y) = plane.wx;
        next.planes.wy.at(x, y) = plane.wy;
      }
    });
    grid = std::move(next);
  }
}

void remove_islands(std::span<const GridPoint> points, const SmallestRegion& smallest,
                    PlaneGrid& grid) {
  constexpr int kSmallestWithPoints = 60, kGap = 3;  // px
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
  std::vector<int> supporting(pixels, 0);  // points of a region, by its root
  for (const GridPoint& p : points) {
    const float difference = grid.planes.w.at(p.x, p.y) - p.w;
    if (grid.known.at(p.x, p.y) && std::abs(difference) * grid.motion.at(p.x, p.y) <= 2)
      ++supporting[sets.root(std::size_t(p.y * width + p.x))];
  }
  for (int i = 0; i < width * height; ++i) {
    const std::size_t root = sets.root(std::size_t(i));
    const bool is_supported =
        sizes[root] >= kSmallestWithPoints && supporting[root] >= smallest.points;
    if (sizes[root] < smallest.area && !is_supported) grid.known.pixels[std::size_t(i)] = 0;
  }
}

void remove_edges(PlaneGrid& grid) {
  constexpr int kReach = 9, kMostOff = (2 * kReach + 1) * (2 * kReach + 1) / 20;
  constexpr float kShare = 0.02F, kMotion = 3;  // px
  const int width = grid.known.width, height = grid.known.height;
  ImageF w = grid.planes.w;
  for (std::size_t i = 0; i < w.pixels.size(); ++i)
    if (!grid.known.pixels[i]) w.pixels[i] = std::numeric_limits<float>::quiet_NaN();
  const auto is_near_edge = [&](int x, int y) {
    const float most = std::max(kShare * w.at(x, y), kMotion / grid.motion.at(x, y));
    const float slope = grid.planes.wx.at(x, y);
    const int first = std::max(0, x - kReach), end = std::min(width, x + kReach + 1);
    int off = 0;
    for (int py = std::max(0, y - kReach); py < std::min(height, y + kReach + 1); ++py) {
      const float start = grid.value(x, y, first - x, py - y);
      const float* row = &w.at(first, py);
      for (int i = 0; i < end - first; ++i)
        off += std::abs(start + static_cast<float>(i) * slope - row[i]) > most;  // unknown: false
      if (off > kMostOff) return true;
    }
    return false;
  };
  runtime::parallel_for(height, [&](int y) {
    for (int x = 0; x < width; ++x)
      if (grid.known.at(x, y) && is_near_edge(x, y)) grid.known.at(x, y) = 0;
  });
}

}  // namespace bifocal::pair
