// SPDX-License-Identifier: BSD-3-Clause
// Synthetic bundle adjustment problems of stated sizes.
#pragma once

#include <bifocal/adjust.hpp>

#include <cstdint>
#include <vector>

#include "adjustment/shapes.hpp"

namespace bifocal::bench {

struct AdjustMaking {
  double noise = 0.5;    // standard deviation of x and of y, px
  double wrong = 0;      // share of observations that are displaced by 5 to 50 px
  double disturbed = 1;  // of the start: 1 is 0.2 degrees, 0.05 or 0.1 m, 1 % of focal lengths
  // Deformation of the start that no camera notices: 0.1 bends and scales a scene of radius L by
  // the conformal map z + 0.1 z^2 / L of the horizontal plane.
  double drift = 0;
  std::uint64_t seed = 1;
};

struct MadeProblem {
  AdjustProblem start;
  // The truth, of which the observations of `start` are noisy projections.
  std::vector<AdjustCamera> cameras;
  std::vector<AdjustImage> images;
  std::vector<Vec3> points;
  std::int64_t wrong = 0;  // observations that were displaced

  // Expected cost of the solution without wrong observations, px^2.
  [[nodiscard]] double noise_floor(const AdjustMaking& making) const;
};

// Makes a problem with exactly the shape's numbers of cameras, points and observations. Every point
// has at least 2 observations. Cameras are RADIAL, each with its own focal length and distortion.
// Throws Error(usage) if the cameras of the scene do not see enough points.
[[nodiscard]] MadeProblem make_adjust_problem(const AdjustShape& shape,
                                              const AdjustMaking& making = {});

}  // namespace bifocal::bench
