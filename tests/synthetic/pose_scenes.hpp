// SPDX-License-Identifier: BSD-3-Clause
// Synthetic absolute-pose scenes with their truth: 1280x960 px, f = 1000. The camera is rotated by
// up to 30 degrees and 0.7 to 1.5 units away from the world's frame; scene points have depths of 4
// to 12. The image has Gaussian noise; outliers are uniform in the image, and their scene points
// are drawn like the inliers' scene points.
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
  std::vector<std::uint8_t> labels;  // 1: a correct match
};
// inliers: fraction; noise: px; focal: fx = fy, px.
[[nodiscard]] PoseScene make_pose_scene(int points, double inliers, double noise,
                                        std::mt19937_64& random, double focal = 1000);

}  // namespace bifocal::synthetic
