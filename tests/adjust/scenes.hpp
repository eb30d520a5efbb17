// SPDX-License-Identifier: BSD-3-Clause
// Synthetic scenes for bundle adjustment: cameras around points, with the truth.
#pragma once

#include <bifocal/adjust.hpp>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

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
  const double f = 800, cx = 499.5, cy = 399.5;
  if (model == "SIMPLE_PINHOLE" || model == "SIMPLE_FISHEYE") return {f, cx, cy};
  if (model == "PINHOLE" || model == "FISHEYE") return {f, 1.02 * f, cx, cy};
  if (model == "SIMPLE_RADIAL" || model == "SIMPLE_RADIAL_FISHEYE") return {f, cx, cy, -0.1};
  if (model == "RADIAL" || model == "RADIAL_FISHEYE") return {f, cx, cy, -0.1, 0.05};
  if (model == "OPENCV") return {f, 1.02 * f, cx, cy, -0.1, 0.05, 1e-3, -2e-3};
  if (model == "FULL_OPENCV")
    return {f, 1.02 * f, cx, cy, 0.2, 0.05, 1e-3, -2e-3, 0.01, 0.3, 0.02, 0.01};
  if (model == "OPENCV_FISHEYE") return {f, 1.02 * f, cx, cy, -0.05, 0.02, 0.01, -0.01};
  if (model == "THIN_PRISM_FISHEYE")
    return {f, 1.02 * f, cx, cy, -0.05, 0.02, 1e-3, -2e-3, 0.01, -0.01, 2e-3, -1e-3};
  if (model == "FOV") return {f, 1.02 * f, cx, cy, 0.8};
  if (model == "SIMPLE_DIVISION") return {f, cx, cy, -0.2};
  if (model == "DIVISION") return {f, 1.02 * f, cx, cy, -0.2};
  return {f, 1.02 * f, cx, cy, 0.55, 1.1};  // EUCM
}
inline const std::vector<std::string>& all_models() {
  static const std::vector<std::string> models = {"SIMPLE_PINHOLE",
                                                  "PINHOLE",
                                                  "SIMPLE_RADIAL",
                                                  "RADIAL",
                                                  "OPENCV",
                                                  "FULL_OPENCV",
                                                  "SIMPLE_FISHEYE",
                                                  "FISHEYE",
                                                  "FOV",
                                                  "SIMPLE_RADIAL_FISHEYE",
                                                  "RADIAL_FISHEYE",
                                                  "OPENCV_FISHEYE",
                                                  "EUCM",
                                                  "THIN_PRISM_FISHEYE",
                                                  "SIMPLE_DIVISION",
                                                  "DIVISION"};
  return models;
}

[[nodiscard]] Scene make_scene(const SceneOptions& options);

// exp([w]x).
[[nodiscard]] Mat3 small_rotation(const Vec3& w);

// Projects by LensCamera's own code; NaN if the point is not in front of the camera.
[[nodiscard]] Vec2 projected(const AdjustProblem& problem, const LensCamera& camera, int image,
                             const Vec3& point);

}  // namespace bifocal::test
