// SPDX-License-Identifier: BSD-3-Clause
// Synthetic two-view scenes with their truth, and how far an estimate is from it: 1280x960 px, f =
// 1000; up to 30 degrees of rotation, baseline 0.7 to 1.5, depth 4 to 12 (a slanted plane at depth
// 8 when planar); Gaussian noise in both images, outliers uniform in both images.
#pragma once

#include <bifocal/geometry.hpp>
#include <random>
#include <vector>

namespace bifocal::bench {

struct SceneOptions {
  int points = 2000;
  double inliers = 0.5;  // share
  double noise = 1;      // px
  bool planar = false;
  bool upright = false;  // the cameras turn about the vertical (their y axes) alone
  double on_plane = 0;   // share of the true matches on the slanted plane, where not all are
};

struct TwoViewScene {
  Intrinsics camera{1000, 1000, 640, 480};
  Pose truth;
  Mat3 H{};  // planar only, px
  std::vector<PointPair> points;
  std::vector<std::uint8_t> labels;  // 1: true match
  std::vector<PointPair> clean;      // 200 noise-free pairs that no estimator sees
};

[[nodiscard]] TwoViewScene make_scene(const SceneOptions& options, std::mt19937_64& random);

constexpr double kSceneWidth = 1280, kSceneHeight = 960;  // px
[[nodiscard]] double uniform(std::mt19937_64& random, double low, double high);
// Of length 1, uniform on the sphere; about a unit axis by an angle in radians.
[[nodiscard]] Vec3 random_direction(std::mt19937_64& random);
[[nodiscard]] Mat3 rotation_about(const Vec3& axis, double angle);

// Degrees.
[[nodiscard]] double rotation_error_deg(const Mat3& R, const Mat3& truth);
[[nodiscard]] double direction_error_deg(const Vec3& t, const Vec3& truth);
// Mean Sampson distance, or distance of H x1 from x2, of the clean pairs, px.
[[nodiscard]] double mean_sampson_px(const Mat3& F, const std::vector<PointPair>& pairs);
[[nodiscard]] double mean_transfer_px(const Mat3& H, const std::vector<PointPair>& pairs);
// Area under the recall curve of errors below `limit`, per cent.
[[nodiscard]] double area_under_recall(std::vector<double> errors, double limit);

}  // namespace bifocal::bench
