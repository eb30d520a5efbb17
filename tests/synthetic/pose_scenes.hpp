// SPDX-License-Identifier: BSD-3-Clause
// Synthetic absolute-pose scenes with their truth: 1280x960 px, f = 1000; the camera up to 30
// degrees turned and 0.7 to 1.5 units away from the world's frame, scene points at depth 4 to 12;
// Gaussian noise in the image, outliers uniform in the image with scene points like the others.
#pragma once

#include <bifocal/geometry.hpp>
#include <cstdint>
#include <random>
#include <vector>

namespace bifocal::synthetic {

struct PoseScene {
  Intrinsics camera{1000, 1000, 640, 480};
  Pose truth;                        // camera from world
  std::vector<ScenePoint> points;    // in random order
  std::vector<std::uint8_t> labels;  // 1: right
};
// inliers: share; noise: px; focal: fx = fy, px.
[[nodiscard]] PoseScene make_pose_scene(int points, double inliers, double noise,
                                        std::mt19937_64& random, double focal = 1000);

}  // namespace bifocal::synthetic
