// SPDX-License-Identifier: BSD-3-Clause
#include "synthetic/pose_scenes.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include "synthetic/random.hpp"
#include "synthetic/two_view_scenes.hpp"

namespace bifocal::synthetic {
namespace {

constexpr double kWidth = kSceneWidth, kHeight = kSceneHeight, kMostTurn = std::numbers::pi / 6;

// Returns R' v.
Vec3 turned_back(const Mat3& R, const Vec3& v) {
  Vec3 out{};
  for (size_t i = 0; i < 3; ++i) out[i] = R[i] * v[0] + R[3 + i] * v[1] + R[6 + i] * v[2];
  return out;
}

// Returns a scene point that is visible, without noise.
ScenePoint visible_point(const PoseScene& scene, std::mt19937_64& random) {
  const Intrinsics& k = scene.camera;
  const Vec3& t = scene.truth.t;
  const double x = uniform(random, 0, kWidth), y = uniform(random, 0, kHeight);
  const double z = uniform(random, 4, 12);
  const Vec3 X = turned_back(
      scene.truth.R, {(x - k.cx) / k.fx * z - t[0], (y - k.cy) / k.fy * z - t[1], z - t[2]});
  return {x, y, X[0], X[1], X[2]};
}

}  // namespace

PoseScene make_pose_scene(int points, double inliers, double noise, std::mt19937_64& random,
                          double focal) {
  std::normal_distribution<double> normal(0, noise);
  PoseScene s;
  s.camera.fx = s.camera.fy = focal;
  const Vec3 axis = random_direction(random), away = random_direction(random);
  s.truth.R = rotation_about(axis, uniform(random, 0, kMostTurn));
  const double distance = uniform(random, 0.7, 1.5);
  for (size_t i = 0; i < 3; ++i) s.truth.t[i] = distance * away[i];
  const auto right = std::lround(points * inliers);
  for (int i = 0; i < points; ++i) {
    ScenePoint p = visible_point(s, random);
    if (i < right) {
      p.x += normal(random);
      p.y += normal(random);
    } else {
      p.x = uniform(random, 0, kWidth);
      p.y = uniform(random, 0, kHeight);
    }
    s.points.push_back(p);
    s.labels.push_back(i < right);
  }
  for (size_t i = s.points.size(); i > 1; --i) {
    const size_t j = std::uniform_int_distribution<size_t>(0, i - 1)(random);
    std::swap(s.points[i - 1], s.points[j]);
    std::swap(s.labels[i - 1], s.labels[j]);
  }
  return s;
}

}  // namespace bifocal::synthetic
