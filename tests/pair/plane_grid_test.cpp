// SPDX-License-Identifier: BSD-3-Clause
#include "pair/plane_grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace bifocal::pair {
namespace {

constexpr int kWidth = 100, kHeight = 80;

// Makes a fully known oblique plane; a point moves by 100 px per unit of inverse depth.
PlaneGrid grid() {
  const ImageF slope(kWidth, kHeight, 1, 0.003F), none(kWidth, kHeight, 1, 0.0F);
  PlaneGrid g{{ImageF(kWidth, kHeight), slope, none},
              ImageU8(kWidth, kHeight),
              ImageF(kWidth, kHeight, 1, 100.0F)};
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      g.planes.w.at(x, y) = 0.2F + 0.003F * float(x);
      g.known.at(x, y) = 1;
    }
  }
  return g;
}

int known(const PlaneGrid& g) { return int(std::ranges::count(g.known.pixels, std::uint8_t{1})); }

TEST(PlaneGrid, fills_holes_by_the_plane_around_them) {
  PlaneGrid g = grid();
  for (int y = 40; y < 43; ++y) {
    for (int x = 50; x < 53; ++x) {
      g.known.at(x, y) = 0;
      g.planes.w.at(x, y) = 7;
    }
  }
  fill_holes(2, g);
  EXPECT_EQ(known(g), kWidth * kHeight);
  EXPECT_NEAR(g.planes.w.at(51, 41), 0.2 + 0.003 * 51, 1e-5);
}

TEST(PlaneGrid, leaves_holes_open_where_neighbours_disagree) {
  PlaneGrid g = grid();
  for (int y = 0; y < kHeight; ++y)
    for (int x = 50; x < kWidth; ++x) g.planes.w.at(x, y) += 0.5F;
  g.known.at(49, 40) = g.known.at(50, 40) = g.known.at(51, 40) = 0;
  g.known.at(50, 39) = g.known.at(50, 41) = 0;
  PlaneGrid before = g;
  fill_holes(1, g);
  // A filled pixel lies on either plane.
  for (const int x : {49, 50, 51}) {
    if (!g.known.at(x, 40)) continue;
    const float w = g.planes.w.at(x, 40) - 0.2F - 0.003F * float(x);
    EXPECT_LT(std::min(std::abs(w), std::abs(w - 0.5F)), 0.01F);
  }
}

// Three patches of 10 x 10 px are surrounded by unknown pixels. The second patch has a point, and
// the third continues the plane.
TEST(PlaneGrid, removes_islands_without_support) {
  PlaneGrid g = grid();
  const auto make_patch = [&](int x0, int y0, float step) {
    for (int y = y0 - 4; y < y0 + 14; ++y) {
      for (int x = x0 - 4; x < x0 + 14; ++x) {
        const bool is_inside = x >= x0 && x < x0 + 10 && y >= y0 && y < y0 + 10;
        g.known.at(x, y) = is_inside;
        g.planes.w.at(x, y) += is_inside ? step : 0;
      }
    }
  };
  make_patch(10, 10, 0.4F);
  make_patch(40, 10, 0.4F);
  make_patch(70, 10, 0);
  for (int y = 12; y < 15; ++y)
    for (int x = 66; x < 69; ++x) g.known.at(x, y) = 1;  // 1 px left of the third patch
  const GridPoint point{45, 15, g.planes.w.at(45, 15)};
  PlaneGrid strict = g;
  remove_islands(std::span(&point, 1), {.area = 400, .points = 1}, g);
  EXPECT_EQ(g.known.at(15, 15), 0);
  EXPECT_EQ(g.known.at(45, 15), 1);
  EXPECT_EQ(g.known.at(75, 15), 1);
  EXPECT_EQ(g.known.at(5, 60), 1);
  // One point does not support a patch if two are required.
  remove_islands(std::span(&point, 1), {.area = 400, .points = 2}, strict);
  EXPECT_EQ(strict.known.at(45, 15), 0);
  EXPECT_EQ(strict.known.at(75, 15), 1);
}

// The surface in front ends at column 45.
TEST(PlaneGrid, removes_planes_near_edges_only) {
  PlaneGrid g = grid();
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < 46; ++x) g.planes.w.at(x, y) += 0.1F;
  remove_edges(g);
  // A column of the window, 19 of 361 pixels, is more than 5 %.
  for (int x = 0; x < kWidth; ++x) EXPECT_EQ(g.known.at(x, 40), x < 37 || x > 54) << x;
}

TEST(PlaneGrid, single_errors_on_an_oblique_surface_are_no_edges) {
  PlaneGrid g = grid();
  for (int y = 3; y < kHeight; y += 6)
    for (int x = 3; x < kWidth; x += 6) g.planes.w.at(x, y) += 0.1F;
  remove_edges(g);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) EXPECT_EQ(g.known.at(x, y), x % 6 != 3 || y % 6 != 3);
}

}  // namespace
}  // namespace bifocal::pair
