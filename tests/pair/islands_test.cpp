// SPDX-License-Identifier: BSD-3-Clause
#include "pair/islands.hpp"

#include <gtest/gtest.h>

namespace bifocal::pair {
namespace {

constexpr int kWidth = 100, kHeight = 80;

// Makes a fully known oblique plane; a point moves by 100 px per unit of inverse depth.
PlaneGrid oblique_plane() {
  const ImageF slope(kWidth, kHeight, 1, 0.003F), none(kWidth, kHeight, 1, 0.0F);
  PlaneGrid grid{ImageF(kWidth, kHeight), slope, none, ImageU8(kWidth, kHeight, 1, 1),
                 ImageF(kWidth, kHeight, 1, 100.0F)};
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) grid.w.at(x, y) = 0.2F + 0.003F * float(x);
  return grid;
}

// Makes a square of known pixels with unknown pixels around it. `step` is added to its inverse
// depth.
void make_square(PlaneGrid& grid, int x0, int y0, int side, float step) {
  for (int y = y0 - 4; y < y0 + side + 4; ++y) {
    for (int x = x0 - 4; x < x0 + side + 4; ++x) {
      const bool is_inside = x >= x0 && x < x0 + side && y >= y0 && y < y0 + side;
      grid.known.at(x, y) = is_inside;
      grid.w.at(x, y) += is_inside ? step : 0;
    }
  }
}

TEST(Islands, WithoutAPointAreRemoved) {
  PlaneGrid grid = oblique_plane();
  make_square(grid, 10, 10, 10, 0.4F);
  make_square(grid, 40, 10, 10, 0.4F);
  const GridPoint point{45, 15, grid.w.at(45, 15)};
  remove_islands(std::span(&point, 1), grid);
  EXPECT_EQ(grid.known.at(15, 15), 0);
  EXPECT_EQ(grid.known.at(45, 15), 1);
  EXPECT_EQ(grid.known.at(5, 60), 1);
}

// The point must lie on the surface of the island, not in front of it or behind it.
TEST(Islands, WithAPointOfAnotherDepthAreRemoved) {
  PlaneGrid grid = oblique_plane();
  make_square(grid, 40, 10, 10, 0.4F);
  const GridPoint point{45, 15, grid.w.at(45, 15) - 0.1F};
  remove_islands(std::span(&point, 1), grid);
  EXPECT_EQ(grid.known.at(45, 15), 0);
}

TEST(Islands, OfLessThan60PixelsAreRemovedDespiteAPoint) {
  PlaneGrid grid = oblique_plane();
  make_square(grid, 10, 10, 7, 0.4F);
  make_square(grid, 40, 10, 8, 0.4F);
  const GridPoint points[] = {{13, 13, grid.w.at(13, 13)}, {43, 13, grid.w.at(43, 13)}};
  remove_islands(points, grid);
  EXPECT_EQ(grid.known.at(13, 13), 0);
  EXPECT_EQ(grid.known.at(43, 13), 1);
}

TEST(Islands, RegionsOf400PixelsAreNone) {
  PlaneGrid grid = oblique_plane();
  make_square(grid, 10, 10, 19, 0.4F);
  make_square(grid, 40, 10, 20, 0.4F);
  remove_islands({}, grid);
  EXPECT_EQ(grid.known.at(15, 15), 0);
  EXPECT_EQ(grid.known.at(45, 15), 1);
}

// The square continues the plane and is connected with it by pixels 3 px away.
TEST(Islands, PartsOfALargeSurfaceAreNone) {
  PlaneGrid grid = oblique_plane();
  make_square(grid, 70, 10, 10, 0);
  for (int y = 12; y < 15; ++y)
    for (int x = 66; x < 69; ++x) grid.known.at(x, y) = 1;  // 1 px left of the square
  remove_islands({}, grid);
  EXPECT_EQ(grid.known.at(75, 15), 1);
}

}  // namespace
}  // namespace bifocal::pair
