// SPDX-License-Identifier: BSD-3-Clause
#include "synthetic/problem_scenes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "robust/pair_points.hpp"
#include "synthetic/accuracy.hpp"
#include "synthetic/pose_scenes.hpp"
#include "synthetic/random.hpp"

namespace bifocal::synthetic {
namespace {

constexpr double kDepthDeviation = 0.03;  // depth errors at points with noise

void append_points(const auto& points, ProblemScene& scene) {
  const double* first = robust::numbers_of(std::span(points));
  scene.numbers.assign(first, first + points.size() * sizeof(points[0]) / sizeof(double));
}

Mat3 of_length_one(Mat3 m) {
  double length2 = 0;
  for (const double v : m) length2 += v * v;
  for (double& v : m) v /= std::sqrt(length2);
  return m;
}

PointPair mapped(const Mat3& H, double x, double y) {
  const double w = H[6] * x + H[7] * y + H[8];
  return {x, y, (H[0] * x + H[1] * y + H[2]) / w, (H[3] * x + H[4] * y + H[5]) / w};
}

// Returns the model in px that the problem's solver finds for a minimal sample: a mild random
// motion of points on a circle.
Mat3 random_map(ModelKind problem, std::mt19937_64& random) {
  const robust::RansacSteps& steps = robust::ransac_steps(problem);
  const double turn = uniform(random, -0.4, 0.4), scale = uniform(random, 0.8, 1.25);
  const double shift_x = uniform(random, -60, 60), shift_y = uniform(random, -60, 60);
  std::vector<PointPair> sample;
  for (int k = 0; k < steps.sample_size; ++k) {
    const double angle = 2 * std::numbers::pi * k / steps.sample_size;
    const double x = 400 * std::cos(angle), y = 400 * std::sin(angle);
    const auto moved = [&](double v) { return scale * v + uniform(random, -30, 30); };
    sample.push_back({640 + x, 480 + y,
                      640 + shift_x + moved(std::cos(turn) * x - std::sin(turn) * y),
                      480 + shift_y + moved(std::sin(turn) * x + std::cos(turn) * y)});
  }
  robust::PairPoints pair;
  const std::span<const PointPair> given(sample);
  pair.set(problem, {robust::numbers_of(given), steps.sample_size, {}, {}}, {});
  robust::Hypotheses found;
  found.models.resize(static_cast<size_t>(64 * steps.slots * steps.model_size));
  found.counts.resize(64);
  steps.solve(pair, 0, 0, 1, found);
  const std::vector<double> model(found.models.begin(), found.models.begin() + 9);
  Mat3 H;
  steps.result_matrix(&pair.info, pair.info.rays, model.data(), H.data());
  return H;
}

TwoViewScene make_map_scene(const SceneOptions& o, const Mat3& H, std::mt19937_64& random) {
  TwoViewScene s;
  s.H = H;
  std::normal_distribution<double> noise(0, o.noise);
  const auto inside = [&](double size) { return uniform(random, 0, size); };
  for (int i = 0; i < o.points; ++i) {
    PointPair p = {inside(kSceneWidth), inside(kSceneHeight), inside(kSceneWidth),
                   inside(kSceneHeight)};
    const bool right = uniform(random, 0, 1) < o.inliers;
    if (right) {
      p = mapped(H, p.x1, p.y1);
      if (o.noise > 0) {
        for (double* v : {&p.x1, &p.y1, &p.x2, &p.y2}) *v += noise(random);
      }
    }
    s.points.push_back(p);
    s.labels.push_back(right);
  }
  for (int i = 0; i < 200; ++i) {
    const double x = inside(kSceneWidth), y = inside(kSceneHeight);
    s.clean.push_back(mapped(H, x, y));
  }
  return s;
}

// Hides the focal length from estimators that have to find it.
void forget_focal_length(ProblemScene& scene) {
  if (!problem_info(scene.problem).estimates_focal_length) return;
  for (Intrinsics& camera : scene.cameras) camera.fx = camera.fy = 1;
}

ProblemScene make_camera_scene(ModelKind problem, const SceneOptions& o, std::mt19937_64& random) {
  const PoseScene s = make_pose_scene(o.points, o.inliers, o.noise, random);
  ProblemScene scene{problem, {}, {s.camera}, s.labels, {}, {}, s.truth.R, s.camera.fx, 0, s.truth};
  forget_focal_length(scene);
  append_points(s.points, scene);
  return scene;
}

}  // namespace

ProblemSceneKind scene_kind(ModelKind problem) {
  struct Row {
    ModelKind problem;
    ProblemSceneKind kind;
  };
  static constexpr Row kRows[] = {
#define PROBLEM_SCENE(name, scene) {ModelKind::name, ProblemSceneKind::scene},
#include "synthetic/problem_scenes.def"
  };
  static_assert(std::size(kRows) == std::size(kModelKinds));
  static_assert([] {  // in the order of the problems
    for (std::size_t i = 0; i < std::size(kRows); ++i)
      if (kRows[i].problem != kModelKinds[i]) return false;
    return true;
  }());
  return kRows[static_cast<size_t>(problem)].kind;
}

std::vector<DepthPair> with_told_depths(const TwoViewScene& s, double deviation,
                                        std::mt19937_64& random) {
  std::normal_distribution<double> error(1, deviation);
  const double units[] = {uniform(random, 0.1, 10), uniform(random, 0.1, 10)};
  const double shift = uniform(random, 0, 2);
  std::vector<DepthPair> points;
  for (size_t i = 0; i < s.points.size(); ++i) {
    const PointPair& p = s.points[i];
    double depths[2];
    for (size_t v = 0; v < 2; ++v) {
      const double z = s.labels[i] ? s.depths[i][v] : uniform(random, 2, 20);
      depths[v] = units[v] * (z * error(random) + (v == 1 ? shift : 0));
    }
    points.push_back({p.x1, p.y1, p.x2, p.y2, depths[0], depths[1]});
  }
  return points;
}

ProblemScene make_problem_scene(ModelKind problem, SceneOptions o, std::mt19937_64& random) {
  const ProblemSceneKind kind = scene_kind(problem);
  if (kind == ProblemSceneKind::camera) return make_camera_scene(problem, o, random);
  o.planar = kind == ProblemSceneKind::plane;
  o.upright = kind == ProblemSceneKind::upright;
  if (kind == ProblemSceneKind::distorted) o.distortion = uniform(random, -0.3, 0);
  const TwoViewScene s = kind == ProblemSceneKind::map
                             ? make_map_scene(o, random_map(problem, random), random)
                             : make_scene(o, random);
  const auto cameras = static_cast<size_t>(problem_info(problem).cameras);
  ProblemScene scene{problem,  {},          std::vector<Intrinsics>(cameras, s.camera),
                     s.labels, s.clean,     s.H,
                     {},       s.camera.fx, o.distortion,
                     s.truth};
  forget_focal_length(scene);
  if (kind == ProblemSceneKind::distorted)
    scene.cameras.front().fx = scene.cameras.front().fy = kSceneHalfDiagonal;
  if (kind == ProblemSceneKind::depths) {
    std::mt19937_64 own = random;  // keeps the next scene equal to a problem's without depths
    append_points(with_told_depths(s, o.noise > 0 ? kDepthDeviation : 0, own), scene);
  } else {
    append_points(s.points, scene);
  }
  if (kind == ProblemSceneKind::map || kind == ProblemSceneKind::plane) {
    scene.result = of_length_one(s.H);
    return scene;
  }
  const Intrinsics& k = s.camera;
  const Vec3& t = s.truth.t;
  const Mat3 E = times({0, -t[2], t[1], t[2], 0, -t[0], -t[1], t[0], 0}, s.truth.R);
  scene.in_pixels = fundamental_from_essential(E, k, k);
  scene.result = of_length_one(problem_info(problem).symbol == "E" ? E : scene.in_pixels);
  const double length = std::hypot(t[0], t[1], t[2]);
  for (double& v : scene.pose.t) v /= length;
  return scene;
}

EstimateResult estimate_scene(const ProblemScene& s, const RobustOptions& options) {
  return with_points(s.problem, s.numbers.data(), [&](const auto* points) {
    return estimate(s.problem, std::span(points, static_cast<size_t>(s.count())),
                    {.cameras = s.cameras, .options = options});
  });
}

std::vector<PointPair> ProblemScene::pairs() const {
  const size_t columns = problem_info(problem).takes_depths ? 6 : 4;
  std::vector<PointPair> pairs;
  for (size_t i = 0; i < numbers.size(); i += columns)
    pairs.push_back({numbers[i], numbers[i + 1], numbers[i + 2], numbers[i + 3]});
  return pairs;
}

double scene_error(const ProblemScene& s, const Mat3& model, const Pose& pose) {
  const ProblemInfo info = problem_info(s.problem);
  if (!info.has_pose)
    return info.symbol == "F" ? mean_sampson_px(model, s.clean) : mean_transfer_px(model, s.clean);
  const double rotation = rotation_error_deg(pose.R, s.pose.R);
  return info.is_two_view ? std::max(rotation, direction_error_deg(pose.t, s.pose.t)) : rotation;
}

}  // namespace bifocal::synthetic
