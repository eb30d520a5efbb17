// SPDX-License-Identifier: BSD-3-Clause
#include "synthetic/facades.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "synthetic/random.hpp"
#include "synthetic/two_view_scenes.hpp"

namespace bifocal::synthetic {
namespace {

constexpr double kWindowWidth = 1.5, kWindowHeight = 2, kRelief = 0.4;
constexpr int kWindowPoints = 14;

// Places a camera about 14 in front of the wall at z = 0; it looks at a point near the
// wall's middle.
Pose camera_before_wall(std::mt19937_64& random) {
  const Vec3 centre = {uniform(random, -3, 3), uniform(random, -1, 1), uniform(random, -15, -13)};
  const Vec3 target = {uniform(random, -0.5, 0.5), uniform(random, -0.5, 0.5), 0};
  Vec3 z;
  for (std::size_t i = 0; i < 3; ++i) z[i] = target[i] - centre[i];
  const double length = std::hypot(z[0], z[1], z[2]);
  for (double& v : z) v /= length;
  const double roll = uniform(random, -0.1, 0.1), side = std::hypot(z[0], z[2]);
  const Vec3 level = {z[2] / side, 0, -z[0] / side};
  const Vec3 down = cross(z, level);
  Pose world;
  for (std::size_t i = 0; i < 3; ++i) {
    world.R[i] = std::cos(roll) * level[i] + std::sin(roll) * down[i];
    world.R[3 + i] = std::cos(roll) * down[i] - std::sin(roll) * level[i];
    world.R[6 + i] = z[i];
  }
  const Vec3 moved = times(world.R, centre);
  for (std::size_t i = 0; i < 3; ++i) world.t[i] = -moved[i];
  return world;
}

std::optional<Vec2> seen(const Pose& camera, const Intrinsics& k, const Vec3& X) {
  Vec3 Y = times(camera.R, X);
  for (std::size_t i = 0; i < 3; ++i) Y[i] += camera.t[i];
  const Vec2 x = {k.fx * Y[0] / Y[2] + k.cx, k.fy * Y[1] / Y[2] + k.cy};
  if (x[0] < 0 || x[0] >= kSceneWidth || x[1] < 0 || x[1] >= kSceneHeight) return std::nullopt;
  return x;
}

Pose relative(const Pose& one, const Pose& two) {
  Pose pose{times(two.R, transposed(one.R)), {}};
  const Vec3 moved = times(pose.R, one.t);
  for (std::size_t i = 0; i < 3; ++i) pose.t[i] = two.t[i] - moved[i];
  return pose;
}

}  // namespace

FacadeScene make_facade(const FacadeOptions& o, std::mt19937_64& random) {
  std::normal_distribution<double> noise(0, o.noise);
  FacadeScene s;
  const Pose camera1 = camera_before_wall(random), camera2 = camera_before_wall(random);
  s.truth = relative(camera1, camera2);
  std::vector<Vec3> window(kWindowPoints);
  for (Vec3& X : window)
    X = {uniform(random, 0, 0.8 * kWindowWidth), uniform(random, 0, 0.8 * kWindowHeight),
         uniform(random, -kRelief, kRelief)};
  const int windows = o.columns * o.rows;
  const auto at = [&](int w, int point) {
    const Vec3& X = window[static_cast<std::size_t>(point)];
    return Vec3{(w % o.columns - 0.5 * o.columns) * kWindowWidth + X[0],
                (w / o.columns - 0.5 * o.rows) * kWindowHeight + X[1], X[2]};
  };
  const auto any = [&](int count) {
    return std::uniform_int_distribution<int>(0, count - 1)(random);
  };
  const std::size_t all = static_cast<std::size_t>(windows * kWindowPoints);
  std::vector<std::uint8_t> taken1(all), taken2(all);
  while (s.points.size() < static_cast<std::size_t>(o.points)) {
    const int point = any(kWindowPoints), first = any(windows);
    const int second = uniform(random, 0, 1) < o.repeated ? any(windows) : first;
    std::uint8_t& is_taken1 = taken1[static_cast<std::size_t>(first * kWindowPoints + point)];
    std::uint8_t& is_taken2 = taken2[static_cast<std::size_t>(second * kWindowPoints + point)];
    const auto x1 = seen(camera1, s.camera, at(first, point)),
               x2 = seen(camera2, s.camera, at(second, point));
    if (is_taken1 || is_taken2 || !x1 || !x2) continue;
    is_taken1 = is_taken2 = 1;
    s.points.push_back({(*x1)[0] + noise(random), (*x1)[1] + noise(random),
                        (*x2)[0] + noise(random), (*x2)[1] + noise(random)});
    s.labels.push_back(first == second);
  }
  return s;
}

}  // namespace bifocal::synthetic
