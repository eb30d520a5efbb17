// SPDX-License-Identifier: BSD-3-Clause
// Scenes of every problem of bifocal/problems.def, with their truth; its word `scene` says which.
#pragma once

#include <Eigen/Core>
#include <Eigen/LU>
#include <bifocal/robust.hpp>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "synthetic/random.hpp"
#include "synthetic/pose_scenes.hpp"
#include "robust/pair_points.hpp"
#include "synthetic/two_view_scenes.hpp"

namespace bifocal::robust {

enum class SceneKind {
  plane,    // two views of a plane
  map,      // points of an image and where a random model of the problem takes them
  general,  // two views
  upright,  // two views whose y axes are the vertical
  camera    // one view of known points
};
inline SceneKind scene_kind(ModelKind problem) {
  static constexpr SceneKind kinds[] = {
#define BIFOCAL_PROBLEM(name, label, family, symbol, scene) SceneKind::scene,
#include <bifocal/problems.def>
#undef BIFOCAL_PROBLEM
  };
  return kinds[static_cast<size_t>(problem)];
}

using RowMajor3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
inline RowMajor3 matrix_of(const Mat3& m) { return Eigen::Map<const RowMajor3>(m.data()); }

struct ProblemScene {
  ModelKind problem;
  std::vector<double> numbers;       // of all points, as the problem has them
  std::vector<Intrinsics> cameras;   // as many as it takes
  std::vector<std::uint8_t> labels;  // 1: a true match
  RowMajor3 in_pixels;               // two views: the true H or F
  RowMajor3 result;                  // the true matrix of the result, of length 1 (R: as it is)
  Pose pose;                         // where the problem has one

  [[nodiscard]] int count() const { return static_cast<int>(labels.size()); }
  [[nodiscard]] const PointPair* pairs() const {
    return reinterpret_cast<const PointPair*>(numbers.data());
  }
  [[nodiscard]] const ScenePoint* scene_points() const {
    return reinterpret_cast<const ScenePoint*>(numbers.data());
  }
};

inline void append_points(const auto& points, ProblemScene& scene) {
  const double* first = numbers_of(std::span(points));
  scene.numbers.assign(first, first + points.size() * sizeof(points[0]) / sizeof(double));
}

inline RowMajor3 cross_matrix(const Vec3& t) {
  RowMajor3 m;
  m << 0, -t[2], t[1], t[2], 0, -t[0], -t[1], t[0], 0;
  return m;
}

// px: the model that the problem's solver finds for a minimal sample, a mild random motion of
// points on a circle.
inline RowMajor3 random_map(ModelKind problem, std::mt19937_64& random) {
  const EngineSteps& steps = engine_steps(problem);
  const double turn = synthetic::uniform(random, -0.4, 0.4),
               scale = synthetic::uniform(random, 0.8, 1.25);
  const double shift_x = synthetic::uniform(random, -60, 60),
               shift_y = synthetic::uniform(random, -60, 60);
  std::vector<PointPair> sample;
  for (int k = 0; k < steps.sample_size; ++k) {
    const double angle = 2 * std::numbers::pi * k / steps.sample_size;
    const double x = 400 * std::cos(angle), y = 400 * std::sin(angle);
    const auto moved = [&](double v) { return scale * v + synthetic::uniform(random, -30, 30); };
    sample.push_back({640 + x, 480 + y,
                      640 + shift_x + moved(std::cos(turn) * x - std::sin(turn) * y),
                      480 + shift_y + moved(std::sin(turn) * x + std::cos(turn) * y)});
  }
  PairPoints pair;
  pair.set(problem, {numbers_of(std::span<const PointPair>(sample)), steps.sample_size, {}, {}},
           {});
  Hypotheses hypotheses;
  hypotheses.models.resize(static_cast<size_t>(64 * steps.slots * steps.model_size));
  hypotheses.counts.resize(64);
  steps.solve(pair, 0, 0, 1, hypotheses);
  const std::vector<double> model(hypotheses.models.begin(), hypotheses.models.begin() + 9);
  RowMajor3 H;
  steps.result_matrix(pair.info.data(), model.data(), H.data());
  return H;
}

inline synthetic::TwoViewScene make_map_scene(const synthetic::SceneOptions& o, const RowMajor3& H,
                                              std::mt19937_64& random) {
  synthetic::TwoViewScene s;
  std::normal_distribution<double> noise(0, o.noise);
  for (int i = 0; i < o.points; ++i) {
    const auto inside = [&](double size) { return synthetic::uniform(random, 0, size); };
    PointPair p = {inside(synthetic::kSceneWidth), inside(synthetic::kSceneHeight),
                   inside(synthetic::kSceneWidth), inside(synthetic::kSceneHeight)};
    const bool right = synthetic::uniform(random, 0, 1) < o.inliers;
    if (right) {
      const Eigen::Vector3d to = H * Eigen::Vector3d(p.x1, p.y1, 1);
      p.x2 = to.x() / to.z(), p.y2 = to.y() / to.z();
      if (o.noise > 0) {
        for (double* v : {&p.x1, &p.y1, &p.x2, &p.y2}) *v += noise(random);
      }
    }
    s.points.push_back(p);
    s.labels.push_back(right);
  }
  return s;
}

inline ProblemScene make_problem_scene(ModelKind problem, synthetic::SceneOptions o,
                                       std::mt19937_64& random) {
  ProblemScene scene{problem, {}, {}, {}, {}, {}, {}};
  const SceneKind kind = scene_kind(problem);
  const ProblemInfo info = problem_info(problem);
  if (kind == SceneKind::camera) {
    const synthetic::PoseScene s = synthetic::make_pose_scene(o.points, o.inliers, o.noise, random);
    append_points(s.points, scene);
    scene.cameras = {s.camera};
    scene.labels = s.labels;
    scene.result = matrix_of(s.truth.R);
    scene.pose = s.truth;
    return scene;
  }
  o.planar = kind == SceneKind::plane;
  o.upright = kind == SceneKind::upright;
  const RowMajor3 map = kind == SceneKind::map ? random_map(problem, random) : RowMajor3();
  const synthetic::TwoViewScene s =
      kind == SceneKind::map ? make_map_scene(o, map, random) : synthetic::make_scene(o, random);
  append_points(s.points, scene);
  scene.labels = s.labels;
  scene.cameras.assign(static_cast<size_t>(info.cameras), s.camera);
  if (kind == SceneKind::map || kind == SceneKind::plane) {
    scene.in_pixels = kind == SceneKind::map ? map : matrix_of(s.H);
    scene.result = scene.in_pixels / scene.in_pixels.norm();
    return scene;
  }
  const RowMajor3 E = cross_matrix(s.truth.t) * matrix_of(s.truth.R);
  const RowMajor3 inverse = matrix_of(s.camera.matrix()).inverse();
  scene.in_pixels = inverse.transpose() * E * inverse;
  scene.result = info.cameras > 0 ? RowMajor3(E / E.norm())
                                  : RowMajor3(scene.in_pixels / scene.in_pixels.norm());
  scene.pose = s.truth;
  const double length = std::hypot(s.truth.t[0], s.truth.t[1], s.truth.t[2]);
  for (double& v : scene.pose.t) v /= length;
  return scene;
}

inline PoseResult estimate_scene(const ProblemScene& s, const RobustOptions& options) {
  const auto n = static_cast<size_t>(s.count());
  if (problem_info(s.problem).is_two_view)
    return estimate(s.problem, std::span(s.pairs(), n), s.cameras, options);
  return estimate(s.problem, std::span(s.scene_points(), n), s.cameras, options);
}

// Largest difference of an element; a matrix of two views is known up to its sign.
inline double matrix_distance(const Mat3& found, const RowMajor3& truth) {
  const RowMajor3 m = matrix_of(found);
  return std::min((m - truth).cwiseAbs().maxCoeff(), (m + truth).cwiseAbs().maxCoeff());
}

}  // namespace bifocal::robust
