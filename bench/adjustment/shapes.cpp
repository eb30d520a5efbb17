// SPDX-License-Identifier: BSD-3-Clause
#include "adjustment/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace bifocal::bench {

const std::vector<AdjustShape>& large_shapes() {
  static const std::vector<AdjustShape> shapes = {
      {"trafalgar257", 257, 65132, 225911, 1},   {"dubrovnik356", 356, 226730, 1255268, 2},
      {"ladybug1723", 1723, 156502, 678718, 0},  {"venice1778", 1778, 993923, 5001946, 4},
      {"final4585", 4585, 1324582, 9125125, 10}, {"final13682", 13682, 4456117, 28987644, 30},
  };
  return shapes;
}

AdjustShape scaled(const AdjustShape& shape, int divisor) {
  if (divisor == 1) return shape;
  return {.name = fmt::format("{}_{}", shape.name, divisor),
          .cameras = std::max(5, shape.cameras / divisor),
          .points = shape.points / divisor,
          .observations = shape.observations / divisor,
          .landmarks = shape.landmarks == 0 ? 0 : std::max(1, shape.landmarks / divisor)};
}

std::vector<AdjustShape> small_shapes() {
  constexpr int kProblems = 50;
  std::vector<AdjustShape> shapes;
  for (int i = 0; i < kProblems; ++i) {
    const double position = i / (kProblems - 1.0);
    const int cameras = static_cast<int>(std::lround(5 * std::pow(100, position)));
    const int points = cameras * (60 + 10 * (i % 5));
    const double track = std::min(3.5 + 0.5 * (i % 4), 0.6 * cameras);
    shapes.push_back({.name = fmt::format("small{:02}_{}", i, cameras),
                      .cameras = cameras,
                      .points = points,
                      .observations = std::llround(track * points),
                      .landmarks = i % 3 == 2 && cameras >= 20 ? 0 : 1 + cameras / 150});
  }
  return shapes;
}

}  // namespace bifocal::bench
