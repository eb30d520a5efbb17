// SPDX-License-Identifier: BSD-3-Clause
// Two images of one camera with unknown focal length: the accuracy of the estimate, and no claim if
// two views do not determine it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bifocal/two_view.hpp>
#include <bifocal/error.hpp>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "synthetic/accuracy.hpp"
#include "synthetic/random.hpp"
#include "synthetic/two_view_scenes.hpp"
#include "support/needs_problem.hpp"

namespace bifocal::test {
namespace {

using synthetic::kSceneHeight;
using synthetic::kSceneWidth;
using synthetic::uniform;

constexpr Intrinsics kUnknown = {1, 1, 640, 480};  // square pixels

struct FocalScene {
  Intrinsics camera;
  Pose truth;
  std::vector<PointPair> points;
  int right = 0;
};

struct Recipe {
  int points = 1000;
  double inliers = 0.6, noise = 0.5;
  double aspect = 1;  // fx / fy
  bool planar = false;
  std::function<Pose(std::mt19937_64&)> motion;
};

Vec3 rotated(const Mat3& A, const Vec3& v) {
  Vec3 out{};
  for (std::size_t i = 0; i < 9; ++i) out[i / 3] += A[i] * v[i % 3];
  return out;
}

// A rotation of 5 to 30 degrees and a translation of 1 to 2, in front of points at depths of 4
// to 12.
Pose any_motion(std::mt19937_64& random) {
  Pose pose;
  pose.R = synthetic::rotation_about(synthetic::random_direction(random),
                                     uniform(random, 5, 30) * std::numbers::pi / 180);
  pose.t = synthetic::random_direction(random);
  for (double& v : pose.t) v *= uniform(random, 1, 2);
  return pose;
}
Pose sideways(std::mt19937_64& random) {  // parallel axes
  Pose pose = any_motion(random);
  pose.R = synthetic::rotation_about({0, 0, 1}, uniform(random, 0, 0.5));
  return pose;
}
Pose rotation_pose(std::mt19937_64& random) {
  Pose pose = any_motion(random);
  pose.t = {0, 0, 0};
  return pose;
}
// Moves around a point on the axis of camera 1, at distance 8, which both cameras look at.
Pose around(std::mt19937_64& random) {
  Pose pose;
  const double tilt = uniform(random, 0, 3);
  pose.R =
      synthetic::rotation_about({std::cos(tilt), std::sin(tilt), 0}, uniform(random, 0.2, 0.4));
  const Vec3 moved = rotated(pose.R, {0, 0, 8});
  pose.t = {-moved[0], -moved[1], 8 - moved[2]};
  return pose;
}

FocalScene make(const Recipe& recipe, std::mt19937_64& random) {
  std::normal_distribution<double> noise(0, recipe.noise);
  for (;;) {
    FocalScene s;
    s.camera = {uniform(random, 700, 2000), 1, 640, 480};
    s.camera.fy = s.camera.fx / recipe.aspect;
    s.truth = recipe.motion(random);
    const Vec3 plane = {uniform(random, -0.4, 0.4), uniform(random, -0.4, 0.4), 1};
    const int right = static_cast<int>(recipe.inliers * recipe.points);
    for (int tries = 0; tries < 100 * right && s.right < right; ++tries) {
      const double x = uniform(random, 0, kSceneWidth), y = uniform(random, 0, kSceneHeight);
      const Vec3 ray = {(x - s.camera.cx) / s.camera.fx, (y - s.camera.cy) / s.camera.fy, 1};
      double z = uniform(random, 4, 12);
      if (recipe.planar) z = 8 / (plane[0] * ray[0] + plane[1] * ray[1] + 1);
      Vec3 Y = rotated(s.truth.R, {ray[0] * z, ray[1] * z, z});
      for (std::size_t i = 0; i < 3; ++i) Y[i] += s.truth.t[i];
      const double u = s.camera.fx * Y[0] / Y[2] + s.camera.cx,
                   v = s.camera.fy * Y[1] / Y[2] + s.camera.cy;
      if (Y[2] < 0.5 || u < 0 || u > kSceneWidth || v < 0 || v > kSceneHeight) continue;
      s.points.push_back(
          {x + noise(random), y + noise(random), u + noise(random), v + noise(random)});
      ++s.right;
    }
    if (s.right < right) continue;
    while (static_cast<int>(s.points.size()) < recipe.points)
      s.points.push_back({uniform(random, 0, kSceneWidth), uniform(random, 0, kSceneHeight),
                          uniform(random, 0, kSceneWidth), uniform(random, 0, kSceneHeight)});
    return s;
  }
}

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

struct Tally {
  int ok = 0, rotations = 0, known = 0, off = 0;               // off: claimed, and 25 % off
  std::vector<double> focal, rotation, direction, deviations;  // errors if f is claimed
};

Tally run(const Recipe& recipe, int scenes, const char* name) {
  std::mt19937_64 random(17);
  Tally tally;
  Intrinsics given = kUnknown;
  given.fx = recipe.aspect;
  for (int k = 0; k < scenes; ++k) {
    const FocalScene s = make(recipe, random);
    const RelativePoseResult r = estimate_relative_pose(
        ModelKind::shared_focal, s.points,
        {.cameras = std::array{given},
         .options = {.threshold = 1.25, .seed = static_cast<std::uint64_t>(k)}});
    tally.ok += r.ok();
    tally.rotations += r.outcome == Outcome::rotation_only;
    const double error = r.focal_length / s.camera.fx - 1;
    if (r.outcome == Outcome::rotation_only) tally.focal.push_back(std::abs(error));
    if (!r.ok() || !r.focal_is_known()) continue;
    ++tally.known;
    tally.off += std::abs(error) > 0.25;
    tally.focal.push_back(std::abs(error));
    tally.deviations.push_back(std::abs(r.focal_length - s.camera.fx) / r.focal_deviation);
    tally.rotation.push_back(synthetic::rotation_error_deg(r.pose.R, s.truth.R));
    tally.direction.push_back(synthetic::direction_error_deg(r.pose.t, s.truth.t));
  }
  fmt::print("{}: {} ok, {} turned, {} of known f ({} of them 25 % off)", name, tally.ok,
             tally.rotations, tally.known, tally.off);
  if (tally.known > 0)
    fmt::print("; medians: f {:.2f} %, R {:.3f} deg, t {:.3f} deg, error / deviation {:.2f}",
               100 * median(tally.focal), median(tally.rotation), median(tally.direction),
               median(tally.deviations));
  fmt::print("\n");
  return tally;
}

using SharedFocal = test::NeedsProblem<ModelKind::shared_focal>;

TEST_F(SharedFocal, is_found_with_the_pose) {
  for (const double inliers : {0.8, 0.5, 0.3}) {
    const Tally t =
        run({.inliers = inliers, .motion = any_motion}, 50, fmt::format("{}", inliers).c_str());
    EXPECT_GE(t.ok, 48);
    EXPECT_GE(t.known, 40);
    EXPECT_LE(t.off, 1);
    EXPECT_LT(median(t.focal), 0.02);
    EXPECT_LT(median(t.rotation), 0.2);
    EXPECT_LT(median(t.direction), 1);
  }
}

TEST_F(SharedFocal, keeps_the_ratio_of_the_focal_lengths) {
  const Tally t = run({.aspect = 1.25, .motion = any_motion}, 30, "aspect 1.25");
  EXPECT_GE(t.known, 24);
  EXPECT_LT(median(t.focal), 0.02);
  EXPECT_LT(median(t.rotation), 0.2);
}

// 0.6745 is the median absolute value of a standard normal variable.
TEST_F(SharedFocal, deviation_agrees_with_the_error) {
  const Tally t =
      run({.points = 400, .inliers = 1, .motion = any_motion}, 200, "deviation, 400 matches");
  EXPECT_GT(median(t.deviations), 0.5);
  EXPECT_LT(median(t.deviations), 0.9);
}

// Without wrong matches, and with all matches as inliers, both are least squares.
TEST_F(SharedFocal, deviation_agrees_with_the_covariance) {
  std::mt19937_64 random(5);
  for (int k = 0; k < 10; ++k) {
    const FocalScene s = make({.points = 300, .inliers = 1, .motion = any_motion}, random);
    const RelativePoseResult r =
        estimate_relative_pose(ModelKind::shared_focal, s.points,
                               {.cameras = std::array{kUnknown}, .options = {.threshold = 3}});
    ASSERT_TRUE(r.ok() && r.num_inliers == 300);
    const ModelCovariance c =
        covariance(ModelKind::shared_focal, r.model, s.points, {{kUnknown}}, r.inliers, r.noise);
    ASSERT_TRUE(c.ok);
    EXPECT_EQ(c.parameters, 6);
    // Biweights of 6 deviations leave the correct matches about 0.9 of their weight.
    EXPECT_NEAR(r.focal_deviation / std::sqrt(c.focal_variance), 1, 0.1);
    double along = 0;  // none along F
    for (std::size_t i = 0; i < 81; ++i) along += r.model[i / 9] * c.model[i] * r.model[i % 9];
    EXPECT_LT(along, 1e-12);
  }
}

// Parallel axes do not determine f; rounding and noise must not hide this.
TEST_F(SharedFocal, covariance_is_large_if_two_views_do_not_determine_it) {
  std::mt19937_64 random(6);
  int surely = 0, found = 0;
  for (int k = 0; k < 20; ++k) {
    const FocalScene s =
        make({.points = 400, .inliers = 1, .noise = 0.3, .motion = sideways}, random);
    const RelativePoseResult r =
        estimate_relative_pose(ModelKind::shared_focal, s.points,
                               {.cameras = std::array{kUnknown}, .options = {.threshold = 3}});
    if (!r.ok()) continue;
    found += 1;
    const ModelCovariance c =
        covariance(ModelKind::shared_focal, r.model, s.points, {{kUnknown}}, r.inliers, r.noise);
    surely += c.ok && std::sqrt(c.focal_variance) < 0.1 * r.focal_length;
  }
  EXPECT_GE(found, 18);
  EXPECT_LE(surely, 2);
}

TEST_F(SharedFocal, is_not_claimed_if_two_views_do_not_determine_it) {
  const Tally parallel = run({.motion = sideways}, 40, "parallel axes");
  EXPECT_GE(parallel.ok, 36);  // F and the inliers are correct
  EXPECT_LE(parallel.known, 2);
  const Tally meeting = run({.motion = around}, 40, "axes that meet at equal distances");
  EXPECT_GE(meeting.ok, 36);
  EXPECT_LE(meeting.known, 2);
  for (const double inliers : {1.0, 0.6, 0.3}) {
    const Tally plane = run({.inliers = inliers, .planar = true, .motion = any_motion}, 40,
                            fmt::format("a plane, {}", inliers).c_str());
    EXPECT_LE(plane.known, 2);
  }
}

TEST_F(SharedFocal, of_a_rotation_is_reported_without_a_translation) {
  const Tally t = run({.motion = rotation_pose}, 40, "turn");
  EXPECT_GE(t.rotations, 38);
  EXPECT_EQ(t.known, 0);
  EXPECT_LT(median(t.focal), 0.02);
}

TEST_F(SharedFocal, result_has_the_scene_points_and_F) {
  std::mt19937_64 random(3);
  const FocalScene s = make({.inliers = 0.9, .noise = 0, .motion = any_motion}, random);
  const RelativePoseResult r =
      estimate_relative_pose(ModelKind::shared_focal, s.points, {.cameras = std::array{kUnknown}});
  ASSERT_TRUE(r.ok());
  EXPECT_NEAR(r.focal_length, s.camera.fx, 1e-3);
  EXPECT_GE(r.in_front, s.right * 99 / 100);
  EXPECT_LT(r.rms, 1);
  const std::vector<double> errors =
      residuals(ModelKind::shared_focal, r.model, s.points, {{kUnknown}});
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (r.inliers[i]) {
      EXPECT_LT(errors[i], 2) << i;
    }
  }
  // The fit returns to the optimum from a nearby start.
  Mat3 start = r.model;
  start[2] *= 1.001;
  const Refined again = refine(ModelKind::shared_focal, start, s.points, {{kUnknown}}, r.inliers);
  for (std::size_t i = 0; i < 9; ++i)
    EXPECT_NEAR(again.model[i] * std::copysign(1.0, again.model[8] * r.model[8]), r.model[i], 1e-6);
}

TEST_F(SharedFocal, refuses_an_invalid_camera) {
  const std::vector<PointPair> points(10);
  EXPECT_THROW((void)estimate_relative_pose(ModelKind::shared_focal, points,
                                            {.cameras = std::array{Intrinsics{0, 1, 0, 0}}}),
               Error);
  EXPECT_THROW(
      (void)estimate_relative_pose(ModelKind::shared_focal, points,
                                   {.cameras = std::array{Intrinsics{1, 1, std::nan(""), 0}}}),
      Error);
  EXPECT_THROW((void)estimate(ModelKind::shared_focal, std::span<const PointPair>(points)), Error);
  EXPECT_EQ(estimate_relative_pose(ModelKind::shared_focal, std::span(points).first(5),
                                   {.cameras = std::array{kUnknown}})
                .outcome,
            Outcome::too_few_points);
}

}  // namespace
}  // namespace bifocal::test
