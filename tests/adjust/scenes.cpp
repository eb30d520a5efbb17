// SPDX-License-Identifier: BSD-3-Clause
#include "adjust/scenes.hpp"

#include <limits>
#include <numbers>

namespace bifocal::test {
namespace {

using Random = std::mt19937_64;

double normal(Random& random) {
  // The sum of twelve uniform numbers is the same on every system.
  double sum = -6;
  for (int k = 0; k < 12; ++k) sum += static_cast<double>(random() >> 11) * 0x1p-53;
  return sum;
}
double uniform(Random& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }
Vec3 normal3(Random& random, double size) {
  return {size * normal(random), size * normal(random), size * normal(random)};
}

// A camera at `centre` that looks at the origin.
Pose looking_at_origin(const Vec3& centre) {
  const Vec3 z = unit({-centre[0], -centre[1], -centre[2]});
  const Vec3 x = unit(cross({0, 1, 0.01}, z)), y = cross(z, x);
  Pose pose;
  pose.R = {x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]};
  const Vec3 t = times(pose.R, centre);
  pose.t = {-t[0], -t[1], -t[2]};
  return pose;
}

void disturb(const SceneOptions& o, Random& random, AdjustProblem& start) {
  for (std::size_t i = 1; i < start.images.size(); ++i) {
    Pose& pose = start.images[i].cam_from_world;
    const Vec3 shift = normal3(random, 0.05 * o.disturbed);
    pose.R = times(small_rotation(normal3(random, 0.01 * o.disturbed)), pose.R);
    for (std::size_t k = 0; k < 3; ++k) pose.t[k] += shift[k];
  }
  for (Vec3& point : start.points) {
    const Vec3 shift = normal3(random, 0.1 * o.disturbed);
    for (std::size_t k = 0; k < 3; ++k) point[k] += shift[k];
  }
  for (AdjustCamera& camera : start.cameras) {
    const auto focal = static_cast<std::size_t>(LensCamera::focal_lengths(camera.model));
    for (std::size_t k = 0; k < focal; ++k) camera.params[k] *= 1 + 0.02 * o.disturbed;
    for (std::size_t k = focal + 2; k < camera.params.size(); ++k)
      camera.params[k] *= 1 - 0.2 * o.disturbed;
  }
}

}  // namespace

Mat3 small_rotation(const Vec3& w) {
  const double angle = norm(w);
  Mat3 R = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  if (angle == 0) return R;
  const Mat3 W = cross_matrix(w), W2 = times(W, W);
  for (std::size_t i = 0; i < 9; ++i)
    R[i] += std::sin(angle) / angle * W[i] + (1 - std::cos(angle)) / (angle * angle) * W2[i];
  return R;
}

Vec2 projected(const AdjustProblem& problem, const LensCamera& camera, int image,
               const Vec3& point) {
  const Pose& pose = problem.images[static_cast<std::size_t>(image)].cam_from_world;
  Vec3 X = times(pose.R, point);
  for (std::size_t k = 0; k < 3; ++k) X[k] += pose.t[k];
  if (X[2] < 0.1)
    return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
  const Intrinsics& K = camera.pinhole();
  return camera.distort({K.fx * X[0] / X[2] + K.cx, K.fy * X[1] / X[2] + K.cy});
}

Scene make_scene(const SceneOptions& o) {
  Random random(o.seed);
  AdjustProblem truth;
  std::vector<LensCamera> lenses;
  for (int c = 0; c < o.cameras; ++c) {
    truth.cameras.push_back({.model = o.model, .params = typical_params(o.model)});
    lenses.emplace_back(o.model, truth.cameras.back().params);
  }
  for (int i = 0; i < o.images; ++i) {
    const double angle = 2 * std::numbers::pi * i / o.images;
    const Vec3 jitter = normal3(random, 0.3);
    AdjustImage image{.cam_from_world = {}, .camera = i % o.cameras};
    image.cam_from_world =
        looking_at_origin({8 * std::cos(angle) + jitter[0], jitter[1] + 2 * std::sin(3 * angle),
                           8 * std::sin(angle) + jitter[2]});
    truth.images.push_back(image);
  }
  for (int p = 0; p < o.points; ++p) {
    const Vec3 point = normal3(random, 1.5);
    truth.points.push_back(point);
    for (int i = 0; i < o.images; ++i) {
      if (uniform(random) >= o.visible && i != p % o.images && i != (p + 1) % o.images) continue;
      const LensCamera& lens = lenses[static_cast<std::size_t>(i % o.cameras)];
      Vec2 px = projected(truth, lens, i, point);
      if (!(px[0] > -100 && px[0] < 1100 && px[1] > -100 && px[1] < 900)) continue;
      const bool is_wrong = uniform(random) < o.outliers;
      const double size = is_wrong ? 50 : o.noise;
      px = {px[0] + size * normal(random), px[1] + size * normal(random)};
      truth.observations.push_back({i, p, px[0], px[1]});
    }
  }
  Scene scene{truth, truth};
  disturb(o, random, scene.start);
  return scene;
}

}  // namespace bifocal::test
