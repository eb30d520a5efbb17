// SPDX-License-Identifier: BSD-3-Clause
// Absolute pose by P3P. Scene points are shifted and scaled to about unit size; errors are in px.
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/error.hpp>
#include <bifocal/robust.hpp>
#include <cmath>
#include <numbers>

#include "robust/columns.hpp"
#include "robust/result.hpp"
#include "robust/scalar_lanes.hpp"
#include "robust/search.hpp"

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
  const auto [left, right] = std::minmax_element(order.begin(), order.end(), [&](int a, int b) {
    return points[static_cast<size_t>(a)].x < points[static_cast<size_t>(b)].x;
  });
  const auto [top, bottom] = std::minmax_element(order.begin(), order.end(), [&](int a, int b) {
    return points[static_cast<size_t>(a)].y < points[static_cast<size_t>(b)].y;
  });
  return (points[static_cast<size_t>(*right)].x - points[static_cast<size_t>(*left)].x) *
         (points[static_cast<size_t>(*bottom)].y - points[static_cast<size_t>(*top)].y);
}

// Model: R, t of the scaled world; parameters: a turn and shift of the camera frame.
class PoseProblem final : public robust::Problem {
 public:
  PoseProblem(const robust::Points& scene, double threshold, double area) {
    points = scene;
    columns = 5;
    kernels = robust::kernels_for(robust::ErrorModel::reprojection);
    inverse_squared_threshold = 1 / (threshold * threshold);
    error_dof = 2;
    chance_rate = std::min(1.0, std::numbers::pi * threshold * threshold / area);
    sample_size = 3;
    sample_rows = 18;
    max_solutions = 4;
    solution_rows = 12;
    solve = solvers::p3p_functions().simd_f64;
  }
  void gather(const int* sample, double* column, int stride) const override {
    const auto& c = points.f64.columns;
    for (int i = 0; i < 3; ++i) {
      const double x = c[0][sample[i]], y = c[1][sample[i]], scale = 1 / std::hypot(x, y, 1);
      const double values[6] = {x * scale,       y * scale,       scale,
                                c[2][sample[i]], c[3][sample[i]], c[4][sample[i]]};
      for (int k = 0; k < 3; ++k) {
        column[(3 * i + k) * stride] = values[k];
        column[(9 + 3 * i + k) * stride] = values[3 + k];
      }
    }
  }
  void extract(const double* column, int stride, int k, robust::Model& model) const override {
    for (int i = 0; i < 12; ++i) {
      model[static_cast<size_t>(i)] = column[(12 * k + i) * stride];
    }
  }
  [[nodiscard]] int dof() const override { return 6; }
  void open(const robust::Model& model, robust::ChartState& state) const override {
    std::copy(model.begin(), model.end(), state.begin());
  }
  void tangent(const robust::ChartState&, robust::Tangent& D) const override {
    D.fill(0);
    for (size_t i = 0; i < 6; ++i) D[7 * i] = 1;
  }
  void move(robust::ChartState& state, const robust::Tangent&, const double* delta) const override {
    Lanes::pose_move(state.data(), delta);
  }
  void close(const robust::ChartState& state, robust::Model& model) const override {
    std::copy_n(state.begin(), 12, model.begin());
  }
};

Pose pose_in_world(const World& world, const robust::Model& model) {
  Pose pose;
  std::copy_n(model.begin(), 9, pose.R.begin());
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
                                          const Intrinsics& camera, const RobustOptions& options) {
  robust::check_options(options);
  robust::check_camera("camera", camera);
  AbsolutePoseResult result;
  result.inliers.assign(points.size(), 0);
  const std::vector<int> order = robust::shuffled_finite(
      static_cast<int>(points.size()), options.seed,
      [&](int i) { return finite(points[static_cast<size_t>(i)]); }, result.not_finite);
  if (order.size() < 3) {
    result.outcome = Outcome::too_few_points;
    return result;
  }
  const World world = world_of(points, order);
  const robust::Columns columns(
      static_cast<int>(order.size()), 5,
      [&](int i, int c) {
        const ScenePoint& p = points[static_cast<size_t>(order[static_cast<size_t>(i)])];
        const double values[5] = {(p.x - camera.cx) / camera.fx, (p.y - camera.cy) / camera.fy,
                                  (p.X - world.centre[0]) / world.length,
                                  (p.Y - world.centre[1]) / world.length,
                                  (p.Z - world.centre[2]) / world.length};
        return values[c];
      },
      {camera.fx, camera.fy});
  const PoseProblem problem(columns.points(), options.threshold, image_area(points, order));
  const robust::SearchResult found = robust::search(problem, options);
  robust::fill_result(problem, order, 1, found, result);
  if (!result.ok()) return result;
  result.cam_from_world = pose_in_world(world, found.model);
  result.model = result.cam_from_world.R;
  return result;
}

}  // namespace bifocal
