// SPDX-License-Identifier: BSD-3-Clause
#include "synthetic/samples.hpp"

#include <cmath>
#include <numbers>

#include "synthetic/random.hpp"

namespace bifocal::synthetic {
namespace {

Vec3 scaled(const Vec3& v, double s) { return {s * v[0], s * v[1], s * v[2]}; }

Mat3 normalised(Mat3 M) {
  double sum = 0;
  for (const double v : M) sum += v * v;
  for (double& v : M) v /= std::sqrt(sum);
  return M;
}

// Writes sample i of a batch, point p of m: one function for each word `data`
// of bifocal/solvers.def.
struct Place {
  SampleBatch& batch;
  int i, p, m;
  double& operator[](int row) const {
    return batch.samples[static_cast<std::size_t>(row) * batch.n + i];
  }
};
void put_two_view(const Scene& scene, const Vec3& X, const Place& at) {
  const PointPair seen = scene.seen(X);
  at[at.p] = seen.x1, at[at.m + at.p] = seen.y1;
  at[2 * at.m + at.p] = seen.x2, at[3 * at.m + at.p] = seen.y2;
}
void put_absolute(const Scene& scene, const Vec3& X, const Place& at) {
  const Vec3 Y = scene.in_camera2(X), bearing = scaled(Y, 1 / std::sqrt(dot(Y, Y)));
  for (int k = 0; k < 3; ++k) {
    at[3 * at.p + k] = bearing[k];
    at[3 * (at.m + at.p) + k] = X[k];
  }
}
void put_two_view_depth(const Scene& scene, const Vec3& X, const Place& at) {
  put_two_view(scene, X, at);
  at[4 * at.m + at.p] = X[2];
  at[5 * at.m + at.p] = scene.in_camera2(X)[2] / scene.depth_scale() - scene.depth_shift();
}
void put_image_points(const Scene& scene, const Vec3& X, const Place& at) {
  const PointPair seen = scene.seen(X);
  at[at.p] = seen.x2, at[at.m + at.p] = seen.y2;
  for (int k = 0; k < 3; ++k) at[2 * at.m + 3 * at.p + k] = X[k];
}

// Appends the true solution: one function for each word `model`.
void append(const auto& numbers, std::vector<double>& truth) {
  truth.insert(truth.end(), numbers.begin(), numbers.end());
}
void append_homography(const Scene& scene, std::vector<double>& truth) {
  append(scene.homography(), truth);
}
void append_essential(const Scene& scene, std::vector<double>& truth) {
  append(scene.essential(), truth);
}
void append_fundamental(const Scene& scene, std::vector<double>& truth) {
  append(scene.fundamental(), truth);
}
void append_focal(const Scene& scene, std::vector<double>& truth) {
  append(scene.fundamental(), truth);
  truth.push_back(scene.focal_length());
}
void append_radial_fundamental(const Scene& scene, std::vector<double>& truth) {
  append(scene.fundamental(), truth);
  truth.push_back(scene.distortion());
}
void append_pose(const Scene& scene, std::vector<double>& truth) {
  append(scene.cam2_from_cam1().R, truth);
  append(scene.cam2_from_cam1().t, truth);
}
void append_pose_focal(const Scene& scene, std::vector<double>& truth) {
  append_pose(scene, truth);
  truth.push_back(scene.focal_length());
}
void append_pose_focal_depth(const Scene& scene, std::vector<double>& truth) {
  append_pose_focal(scene, truth);
  truth.push_back(scene.depth_scale());
  truth.push_back(scene.depth_shift());
}

struct Recipe {
  int points;
  void (*put_point)(const Scene&, const Vec3&, const Place&);
  void (*append_truth)(const Scene&, std::vector<double>&);
};
constexpr Recipe kRecipes[] = {
#define SOLVER(name, data, points, model, ...) {points, put_##data, append_##model},
#include <bifocal/solvers.def>
};

constexpr SolverScene kScenes[] = {
#define SOLVER_SCENE(name, scene, missed_f64, missed_f32) \
  {MinimalSolver::name, SceneKind::scene, missed_f64, missed_f32},
#include "synthetic/solver_scenes.def"
};
static_assert(std::size(kScenes) == std::size(kRecipes));
static_assert([] {  // in the order of the solvers
  for (std::size_t i = 0; i < std::size(kScenes); ++i)
    if (kScenes[i].solver != static_cast<MinimalSolver>(i)) return false;
  return true;
}());

}  // namespace

const SolverScene& solver_scene(MinimalSolver solver) {
  return kScenes[static_cast<std::size_t>(solver)];
}

Scene::Scene(SceneKind kind, std::mt19937_64& random)
    : has_plane_(kind == SceneKind::planar || kind == SceneKind::frontal), random_(random) {
  draw_lens(kind);
  const double angle = uniform(random, 0, std::numbers::pi / 6);
  const Vec3 axis = random_direction(random);
  pose_.R = rotation_about(kind == SceneKind::upright ? Vec3{0, 1, 0} : axis, angle);
  const Vec3 away = random_direction(random);
  pose_.t = scaled(away, uniform(random, 0.5, 1.5));
  if (kind == SceneKind::frontal) {
    pose_.R = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    pose_.t[2] = 0;
    plane_ = {0, 0, 1 / uniform(random, 4, 12)};
  }
  if (!has_plane_ || kind == SceneKind::frontal) return;
  // The plane passes through a point 4 to 12 units deep and is seen at less than 60 degrees by
  // camera 1. Camera 2, with centre -R't, is on the same side of the plane and not too near.
  const auto& [R, t] = pose_;
  const Vec3 centre = {-(R[0] * t[0] + R[3] * t[1] + R[6] * t[2]),
                       -(R[1] * t[0] + R[4] * t[1] + R[7] * t[2]),
                       -(R[2] * t[0] + R[5] * t[1] + R[8] * t[2])};
  Vec3 normal;
  do {
    normal = random_direction(random);
    plane_ = scaled(normal, 1 / (normal[2] * uniform(random, 4, 12)));
  } while (normal[2] <= 0.5 || dot(plane_, centre) > 0.9);
}

void Scene::draw_lens(SceneKind kind) {
  using enum SceneKind;
  if (kind == zoomed || kind == zoomed_depth) lens_.focal = uniform(random_, 0.7, 4);
  if (kind == distorted) lens_.distortion = uniform(random_, -0.4, 0);
  if (kind == zoomed_depth) {
    depth_scale_ = uniform(random_, 0.5, 2);
    depth_shift_ = uniform(random_, -1, 1);
  }
}

Vec3 Scene::point() {
  for (;;) {
    const double x = uniform(random_, -0.5, 0.5), y = uniform(random_, -0.5, 0.5);
    const double on_plane = plane_[0] * x + plane_[1] * y + plane_[2];
    const double z = has_plane_ ? 1 / on_plane : uniform(random_, 4, 12);
    const Vec3 X = {x * z, y * z, z};
    if (z > 1 && in_camera2(X)[2] > 1) return X;
  }
}

Vec3 Scene::in_camera2(const Vec3& X) const {
  Vec3 Y = pose_.t;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) Y[i] += pose_.R[3 * i + j] * X[j];
  }
  return Y;
}

std::array<double, 2> Scene::Lens::seen(const Vec3& X) const {
  const double x = focal * X[0] / X[2], y = focal * X[1] / X[2];
  if (distortion == 0) return {x, y};
  // The distorted point is s (x, y) with s = 1 + k s^2 r^2.
  const double s = 2 / (1 + std::sqrt(1 - 4 * distortion * (x * x + y * y)));
  return {s * x, s * y};
}

PointPair Scene::seen(const Vec3& X) const {
  const auto [x1, y1] = lens_.seen(X);
  const auto [x2, y2] = lens_.seen(in_camera2(X));
  return {x1, y1, x2, y2};
}

Mat3 Scene::essential() const {
  const auto& [R, t] = pose_;
  Mat3 E;  // [t]x R
  for (std::size_t j = 0; j < 3; ++j) {
    E[j] = t[1] * R[6 + j] - t[2] * R[3 + j];
    E[3 + j] = t[2] * R[j] - t[0] * R[6 + j];
    E[6 + j] = t[0] * R[3 + j] - t[1] * R[j];
  }
  return normalised(E);
}

Mat3 Scene::fundamental() const {
  Mat3 F = essential();
  const double f = lens_.focal;
  F[2] *= f, F[5] *= f, F[6] *= f, F[7] *= f, F[8] *= f * f;
  return normalised(F);
}

Mat3 Scene::homography() const {
  Mat3 H = pose_.R;  // R + t n'
  for (std::size_t i = 0; i < 9; ++i) H[i] += pose_.t[i / 3] * plane_[i % 3];
  return normalised(H);
}

SampleBatch make_samples(MinimalSolver solver, int n, std::uint64_t seed) {
  return make_samples(solver, solver_scene(solver).kind, n, seed);
}

SampleBatch make_samples(MinimalSolver solver, SceneKind kind, int n, std::uint64_t seed) {
  const Recipe& recipe = kRecipes[static_cast<std::size_t>(solver)];
  const SolverShape shape = solver_shape(solver);
  SampleBatch batch{solver, n, {}, {}};
  batch.samples.resize(static_cast<std::size_t>(n) * shape.sample_rows);
  batch.truth.reserve(static_cast<std::size_t>(n) * shape.solution_rows);
  std::mt19937_64 random(seed);
  for (int i = 0; i < n; ++i) {
    Scene scene(kind, random);
    for (int p = 0; p < recipe.points; ++p)
      recipe.put_point(scene, scene.point(), {batch, i, p, recipe.points});
    recipe.append_truth(scene, batch.truth);
  }
  return batch;
}

}  // namespace bifocal::synthetic
