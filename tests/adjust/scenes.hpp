// SPDX-License-Identifier: BSD-3-Clause
// Synthetic scenes for bundle adjustment: cameras around points, with the truth.
#pragma once

#include <bifocal/adjust.hpp>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "support/lens_cameras.hpp"

namespace bifocal::test {

struct SceneOptions {
  int images = 10, points = 200;
  std::string model = "SIMPLE_RADIAL";
  int cameras = 1;       // image i has camera i modulo this number
  double noise = 0.5;    // of observations, px
  double outliers = 0;   // share of wrong observations
  double visible = 0.5;  // share of images that see a point
  double disturbed = 1;  // of the start: 1: poses by about 1 degree and 0.05, points by 0.1
  std::uint64_t seed = 1;
};

struct Scene {
  AdjustProblem truth, start;  // truth has the noisy observations too
};

// Parameters of a camera of 1000 x 800 px with a moderate lens.
inline std::vector<double> typical_params(const std::string& model) {
  return camera_params(model, 800, 499.5, 399.5);
}

[[nodiscard]] Scene make_scene(const SceneOptions& options);

// exp([w]x).
[[nodiscard]] Mat3 small_rotation(const Vec3& w);

// Projects by LensCamera's own code; NaN if the point is not in front of the camera.
[[nodiscard]] Vec2 projected(const AdjustProblem& problem, const LensCamera& camera, int image,
                             const Vec3& point);

}  // namespace bifocal::test
