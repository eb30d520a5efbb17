// SPDX-License-Identifier: BSD-3-Clause
// Absolute pose by P3P. Scene points are shifted and scaled to about unit size; errors are in px.
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/error.hpp>
#include <bifocal/robust.hpp>
#include <cmath>
#include <numbers>

#include "robust/result.hpp"
#include "robust/scalar_lanes.hpp"

namespace bifocal {
namespace {

using robust::Lanes;

// Scaled world: (X - centre) / length.
struct World {
  Vec3 centre{};
  double length = 1;
};

World world_of(std::span<const ScenePoint> points, const std::vector<int>& order) {
  World w;
  const auto n = static_cast<double>(order.size());
  for (const int i : order) {
    const ScenePoint& p = points[static_cast<size_t>(i)];
    w.centre[0] += p.X / n;
    w.centre[1] += p.Y / n;
    w.centre[2] += p.Z / n;
  }
  double sum = 0;
  for (const int i : order) {
    const ScenePoint& p = points[static_cast<size_t>(i)];
    sum += std::hypot(p.X - w.centre[0], p.Y - w.centre[1], p.Z - w.centre[2]) / n;
  }
  if (sum > 0 && std::isfinite(sum)) w.length = sum;
  return w;
}

double image_area(std::span<const ScenePoint> points, const std::vector<int>& order) {
  if (order.empty()) return 0;
  const auto [left, right] = std::minmax_element(order.begin(), order.end(), [&](int a, int b) {
    return points[static_cast<size_t>(a)].x < points[static_cast<size_t>(b)].x;
  });
  const auto [top, bottom] = std::minmax_element(order.begin(), order.end(), [&](int a, int b) {
    return points[static_cast<size_t>(a)].y < points[static_cast<size_t>(b)].y;
  });
  return (points[static_cast<size_t>(*right)].x - points[static_cast<size_t>(*left)].x) *
         (points[static_cast<size_t>(*bottom)].y - points[static_cast<size_t>(*top)].y);
}

Pose pose_in_world(const World& world, const double* model) {
  Pose pose;
  std::copy_n(model, 9, pose.R.begin());
  Vec3 turned;
  Lanes::mat3_apply(pose.R.data(), world.centre.data(), turned.data());
  for (size_t i = 0; i < 3; ++i) pose.t[i] = world.length * model[9 + i] - turned[i];
  return pose;
}

bool finite(const ScenePoint& p) {
  return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.X) && std::isfinite(p.Y) &&
         std::isfinite(p.Z);
}

}  // namespace

AbsolutePoseResult estimate_absolute_pose(std::span<const ScenePoint> points,
                                          const Intrinsics& camera, const RobustOptions& options,
                                          const MatchPriors& priors) {
  robust::check_options(options);
  robust::check_camera("camera", camera);
  robust::check_priors(priors, points.size());
  AbsolutePoseResult result;
  result.inliers.assign(points.size(), 0);
  robust::PairPoints pair;
  pair.set_order(
      static_cast<int>(points.size()), options.seed,
      [&](int i) { return finite(points[static_cast<size_t>(i)]); }, priors);
  const World world = world_of(points, pair.order);
  pair.fill(5, [&](int i, int c) {
    const ScenePoint& p = points[static_cast<size_t>(i)];
    const double values[5] = {(p.x - camera.cx) / camera.fx, (p.y - camera.cy) / camera.fy,
                              (p.X - world.centre[0]) / world.length,
                              (p.Y - world.centre[1]) / world.length,
                              (p.Z - world.centre[2]) / world.length};
    return values[c];
  });
  const double t2 = options.threshold * options.threshold;
  pair.info[Lanes::INFO_THRESHOLD] = 1 / t2;
  pair.info[Lanes::INFO_CHANCE] =
      std::min(1.0, std::numbers::pi * t2 / image_area(points, pair.order));
  pair.info[Lanes::INFO_FOCAL] = camera.fx;
  pair.info[Lanes::INFO_FOCAL + 1] = camera.fy;
  robust::Result found;
  robust::run_search(robust::Problem::absolute_pose, pair, options, 1, found, result);
  if (!result.ok()) return result;
  result.cam_from_world = pose_in_world(world, found.data());
  result.model = result.cam_from_world.R;
  return result;
}

}  // namespace bifocal
