// SPDX-License-Identifier: BSD-3-Clause
// Which images are matched with each other, and their ranges of depths.
#pragma once

#include <bifocal/dense.hpp>

#include <string>
#include <vector>

#include "dense/shape.hpp"

namespace bifocal::dense {

// A pinhole camera in the scene.
struct Placed {
  Intrinsics camera;
  Pose cam_from_world;
  Shape shape;
};

struct PlannedView {
  Placed placed;
  std::vector<int> sources;          // views to match with, the best first
  std::vector<int> checks;           // views whose depths are compared, the best first
  double farthest = 0, nearest = 0;  // range of inverse depths
  double error_px = 0;     // deviation of the positions of its points from errors of the cameras
  std::string fault = {};  // why it cannot be matched; empty: it can
};

// Chooses up to options.views sources of each view: views that see the same points from directions
// that differ by some degrees, at a similar scale. Without points, the points are pixels of the
// view at the depth at which the optical axes of views pass each other. The views of a point must
// ascend.
[[nodiscard]] std::vector<PlannedView> plan_views(std::span<const Placed> views,
                                                  std::span<const DensePoint> points,
                                                  const DenseOptions& options);

// Returns the 3 x 3 matrix K2 R K1^-1 and the vector K2 t, at a level of both pyramids.
[[nodiscard]] std::vector<float> geometry_of(const Placed& from, const Placed& to, int level);

}  // namespace bifocal::dense
