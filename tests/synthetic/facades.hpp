// SPDX-License-Identifier: BSD-3-Clause
// Two views of a synthetic facade of equal windows, with correct matches or with matches between
// any two windows.
#pragma once

#include <bifocal/camera.hpp>
#include <bifocal/geometry.hpp>
#include <cstdint>
#include <random>
#include <vector>

namespace bifocal::synthetic {

// A window is 1.5 wide and 2 high and has 14 points, up to 0.4 in front of or behind the wall. Both
// cameras (1280 x 960 px, f = 1000) stand about 14 in front of the wall and up to 6 apart.
struct FacadeOptions {
  int columns = 8, rows = 4;
  int points = 200;
  double noise = 1;  // px
  // Fraction of matches between two windows drawn at random; the rest is correct. No two matches
  // share a point.
  double repeated = 1;
};

struct FacadeScene {
  Intrinsics camera{1000, 1000, 640, 480};
  Pose truth;
  std::vector<PointPair> points;
  std::vector<std::uint8_t> labels;  // 1: the same window
};

[[nodiscard]] FacadeScene make_facade(const FacadeOptions& options, std::mt19937_64& random);

}  // namespace bifocal::synthetic
