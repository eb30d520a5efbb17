// SPDX-License-Identifier: BSD-3-Clause
// Synthetic two-view scenes with their truth, as in the protocol of the benchmarks: 1280x960 px, f
// = 1000; up to 30 degrees of rotation, baseline 0.7 to 1.5, depth 4 to 12 (a slanted plane at
// depth 8 if planar); Gaussian noise in both images, outliers uniform in both images.
#pragma once

#include <bifocal/camera.hpp>
#include <bifocal/geometry.hpp>
#include <cstdint>
#include <random>
#include <vector>

namespace bifocal::synthetic {

struct SceneOptions {
  int points = 2000;
  double inliers = 0.5;  // fraction
  double noise = 1;      // px
  bool planar = false;
  bool upright = false;  // the cameras rotate about the vertical (their y axes) alone
  double baseline = 1;   // times 0.7 to 1.5; 0: the camera only rotates
  // The lens: k of the division model about the image centre, in units of half the diagonal. Noise
  // and outliers are added in the distorted image.
  double distortion = 0;
  double on_plane = 0;  // fraction of the true matches on the slanted plane, if not all are
};

struct TwoViewScene {
  Intrinsics camera{1000, 1000, 640, 480};
  Pose truth;
  Mat3 H{};  // planar only, px
  std::vector<PointPair> points;
  std::vector<std::uint8_t> labels;  // 1: true match
  std::vector<Vec2> depths;          // depths in both cameras; wrong matches: 0
  std::vector<PointPair> clean;      // 200 noise-free pairs that no estimator sees, without lens
};

[[nodiscard]] TwoViewScene make_scene(const SceneOptions& options, std::mt19937_64& random);

constexpr double kSceneWidth = 1280, kSceneHeight = 960;  // px
constexpr double kSceneHalfDiagonal = 800;                // px

// Removes the lens distortion from a point (x, y) of an image, and adds it.
[[nodiscard]] Vec2 without_lens(double x, double y, double distortion);
[[nodiscard]] Vec2 through_lens(double x, double y, double distortion);

}  // namespace bifocal::synthetic
