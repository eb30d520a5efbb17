// SPDX-License-Identifier: BSD-3-Clause
// Sizes of bundle adjustment problems.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bifocal::bench {

struct AdjustShape {
  std::string name;
  int cameras = 0, points = 0;
  std::int64_t observations = 0;
  int landmarks = 0;  // objects that the cameras surround; 0: the cameras move along a street
};

// Sizes of problems of "Bundle adjustment in the large" (S. Agarwal, N. Snavely, S. Seitz, R.
// Szeliski, ECCV 2010), from Trafalgar-257 to Final-13682.
[[nodiscard]] const std::vector<AdjustShape>& large_shapes();

// The shape with cameras, points and observations divided by `divisor`, at least 5 cameras. The
// name becomes NAME_DIVISOR.
[[nodiscard]] AdjustShape scaled(const AdjustShape& shape, int divisor);

// 50 problems of 5 to 500 cameras, in geometric steps; every third one of those with at least 20
// cameras is a street.
[[nodiscard]] std::vector<AdjustShape> small_shapes();

}  // namespace bifocal::bench
