// SPDX-License-Identifier: BSD-3-Clause
// The pose of a camera with unknown focal length: compared with least squares on the correct
// matches, and no focal length is claimed if the points do not determine it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <bifocal/error.hpp>
#include <bifocal/robust.hpp>
#include <cmath>
#include <ctime>
#include <limits>
#include <random>

#include "synthetic/accuracy.hpp"
#include "synthetic/pose_scenes.hpp"
#include "synthetic/random.hpp"
#include "synthetic/two_view_scenes.hpp"
#include "support/needs_problem.hpp"

namespace bifocal::test {
namespace {

using synthetic::make_pose_scene;
using synthetic::PoseScene;
using synthetic::uniform;

constexpr Intrinsics kUnknown = {1, 1, 640, 480};  // square pixels

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

// Returns the focal length of least squares over the correct matches, starting at the truth:
// Gauss-Newton with finite differences in a rotation, a translation and the logarithm of f.
double least_squares(const PoseScene& s) {
  using Parameters = Eigen::Matrix<double, 7, 1>;
  const auto residuals = [&](const Parameters& p) {
    const Vec3 w = {p[0], p[1], p[2]};
    const double angle = std::hypot(w[0], w[1], w[2]);
    const Mat3 rotation =
        angle > 0 ? synthetic::rotation_about({w[0] / angle, w[1] / angle, w[2] / angle}, angle)
                  : Mat3{1, 0, 0, 0, 1, 0, 0, 0, 1};
    std::vector<double> r;
    for (std::size_t i = 0; i < s.points.size(); ++i) {
      if (!s.labels[i]) continue;
      const ScenePoint& point = s.points[i];
      const double X[3] = {point.X, point.Y, point.Z};
      double Y[3], Z[3];
      for (std::size_t k = 0; k < 3; ++k)
        Y[k] = s.truth.R[3 * k] * X[0] + s.truth.R[3 * k + 1] * X[1] + s.truth.R[3 * k + 2] * X[2] +
               s.truth.t[k];
      for (std::size_t k = 0; k < 3; ++k)
        Z[k] = rotation[3 * k] * Y[0] + rotation[3 * k + 1] * Y[1] + rotation[3 * k + 2] * Y[2] +
               p[static_cast<int>(3 + k)];
      const double f = s.camera.fx * std::exp(p[6]);
      r.push_back(f * Z[0] / Z[2] + s.camera.cx - point.x);
      r.push_back(f * Z[1] / Z[2] + s.camera.cy - point.y);
    }
    return r;
  };
  Parameters p = Parameters::Zero();
  for (int step = 0; step < 6; ++step) {
    Eigen::Matrix<double, 7, 7> N = Eigen::Matrix<double, 7, 7>::Zero();
    Parameters g = Parameters::Zero();
    const std::vector<double> r = residuals(p);
    std::vector<double> columns[7];
    for (int k = 0; k < 7; ++k) {
      Parameters ahead = p, back = p;
      ahead[k] += 1e-6, back[k] -= 1e-6;
      const std::vector<double> a = residuals(ahead), b = residuals(back);
      for (std::size_t i = 0; i < r.size(); ++i) columns[k].push_back((a[i] - b[i]) / 2e-6);
    }
    for (std::size_t i = 0; i < r.size(); ++i) {
      Parameters J;
      for (int k = 0; k < 7; ++k) J[k] = columns[k][i];
      N += J * J.transpose();
      g += r[i] * J;
    }
    p -= N.ldlt().solve(g);
  }
  return s.camera.fx * std::exp(p[6]);
}

struct Tally {
  int ok = 0, known = 0;
  double seconds = 0;  // CPU time of this thread
  std::vector<double> errors, least, rotations, deviations;
};

Tally run(int points, double inliers, int scenes, const char* name) {
  std::mt19937_64 random(11);
  Tally tally;
  for (int k = 0; k < scenes; ++k) {
    const PoseScene s = make_pose_scene(points, inliers, 1, random, uniform(random, 600, 2500));
    const std::clock_t start = std::clock();
    const EstimateResult r =
        estimate(ModelKind::camera_pose_focal, s.points,
                 {.cameras = std::array{kUnknown},
                  .options = {.threshold = 2.5, .seed = static_cast<std::uint64_t>(k)}});
    tally.seconds += double(std::clock() - start) / CLOCKS_PER_SEC;
    if (!r.ok()) continue;
    ++tally.ok;
    tally.known += r.focal_is_known();
    const double error = std::abs(r.focal_length - s.camera.fx);
    tally.errors.push_back(error / s.camera.fx);
    tally.least.push_back(std::abs(least_squares(s) / s.camera.fx - 1));
    tally.deviations.push_back(error / r.focal_deviation);
    tally.rotations.push_back(synthetic::rotation_error_deg(r.pose.R, s.truth.R));
  }
  fmt::print("{}: {} of {} ok, {} of known f; {:.1f} ms a pair", name, tally.ok, scenes,
             tally.known, 1e3 * tally.seconds / scenes);
  if (tally.ok > 0)
    fmt::print(
        "; medians: f {:.3f} % off, {:.3f} % of least squares, error / deviation {:.2f}, "
        "R {:.3f} deg",
        100 * median(tally.errors), 100 * median(tally.least), median(tally.deviations),
        median(tally.rotations));
  fmt::print("\n");
  return tally;
}

using CameraPoseFocal = test::NeedsProblem<ModelKind::camera_pose_focal>;

TEST_F(CameraPoseFocal, is_as_good_as_least_squares_on_the_correct_matches) {
  for (const double inliers : {0.8, 0.5, 0.3, 0.15}) {
    const Tally t = run(1000, inliers, 40, fmt::format("{:.0f} % right", 100 * inliers).c_str());
    EXPECT_GE(t.ok, 39) << inliers;
    EXPECT_GE(t.known, 39) << inliers;
    EXPECT_LE(median(t.errors), 1.5 * median(t.least)) << inliers;
  }
}

// 0.6745 is the median absolute value of a standard normal variable.
TEST_F(CameraPoseFocal, deviation_agrees_with_the_error) {
  const Tally t = run(200, 1, 150, "deviation, 200 matches");
  EXPECT_GT(median(t.deviations), 0.5);
  EXPECT_LT(median(t.deviations), 0.9);
}

TEST_F(CameraPoseFocal, keeps_the_ratio_of_the_focal_lengths) {
  std::mt19937_64 random(2);
  for (int k = 0; k < 10; ++k) {
    PoseScene s = make_pose_scene(500, 0.7, 0.5, random);
    for (ScenePoint& p : s.points) p.x *= 2;
    const EstimateResult r = estimate(ModelKind::camera_pose_focal, s.points,
                                      {.cameras = std::array{Intrinsics{2, 1, 1280, 480}}});
    ASSERT_TRUE(r.ok());
    EXPECT_NEAR(r.focal_length, 2000, 60);
    EXPECT_LT(synthetic::rotation_error_deg(r.pose.R, s.truth.R), 1);
  }
}

// A plane determines f, unless it is parallel to the image.
TEST_F(CameraPoseFocal, is_not_claimed_if_the_points_do_not_determine_it) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(0, 0.5);
  int correct = 0, claimed = 0;
  for (const bool slanted : {true, false}) {
    for (int k = 0; k < 20; ++k) {
      std::vector<ScenePoint> points;
      for (int i = 0; i < 300; ++i) {
        const double X = uniform(random, -3, 3), Y = uniform(random, -2, 2);
        const double Z = 8 + (slanted ? 0.8 * X : 0);
        points.push_back(
            {640 + 1000 * X / Z + noise(random), 480 + 1000 * Y / Z + noise(random), X, Y, Z});
        if (i % 3 == 0)
          points.back() = {uniform(random, 0, 1280), uniform(random, 0, 960), X, Y, Z};
      }
      const EstimateResult r =
          estimate(ModelKind::camera_pose_focal, points, {.cameras = std::array{kUnknown}});
      if (!r.focal_is_known()) continue;
      if (slanted) correct += std::abs(r.focal_length - 1000) < 5 * r.focal_deviation;
      if (!slanted) ++claimed;
    }
  }
  EXPECT_GE(correct, 18);
  EXPECT_LE(claimed, 2);
}

TEST_F(CameraPoseFocal, of_wrong_matches_is_not_believed) {
  std::mt19937_64 random(5);
  int believed = 0;
  for (int k = 0; k < 100; ++k) {
    const PoseScene s = make_pose_scene(k % 2 ? 40 : 300, 0, 1, random);
    believed += estimate(ModelKind::camera_pose_focal, s.points,
                         {.cameras = std::array{kUnknown}, .options = {.max_iterations = 5000}})
                    .ok();
  }
  EXPECT_LE(believed, 1);
}

TEST_F(CameraPoseFocal, has_no_result_for_degenerate_points) {
  std::mt19937_64 random(6);
  const PoseScene s = make_pose_scene(200, 0.9, 0.5, random);
  EXPECT_EQ(estimate(ModelKind::camera_pose_focal, std::span(s.points).first(3),
                     {.cameras = std::array{kUnknown}})
                .outcome,
            Outcome::too_few_points);
  const std::vector<ScenePoint> same(50, s.points[0]);
  EXPECT_FALSE(
      estimate(ModelKind::camera_pose_focal, same, {.cameras = std::array{kUnknown}}).ok());
  std::vector<ScenePoint> repeated;
  for (int i = 0; i < 100; ++i) repeated.push_back(s.points[static_cast<std::size_t>(i % 5)]);
  EXPECT_FALSE(
      estimate(ModelKind::camera_pose_focal, repeated, {.cameras = std::array{kUnknown}}).ok());
  std::vector<ScenePoint> at_the_centre = s.points;  // the image has no extent
  for (ScenePoint& p : at_the_centre) p.x = 640, p.y = 480;
  EXPECT_FALSE(
      estimate(ModelKind::camera_pose_focal, at_the_centre, {.cameras = std::array{kUnknown}})
          .ok());
  std::vector<ScenePoint> holes = s.points;
  holes[3].X = std::numeric_limits<double>::quiet_NaN();
  holes[9].y = std::numeric_limits<double>::infinity();
  const EstimateResult r =
      estimate(ModelKind::camera_pose_focal, holes, {.cameras = std::array{kUnknown}});
  EXPECT_TRUE(r.ok());
  EXPECT_EQ(r.not_finite, (std::vector<int>{3, 9}));
}

TEST_F(CameraPoseFocal, refuses_an_invalid_camera) {
  const std::vector<ScenePoint> points(10);
  EXPECT_THROW((void)estimate(ModelKind::camera_pose_focal, points,
                              {.cameras = std::array{Intrinsics{0, 1, 0, 0}}}),
               Error);
  EXPECT_THROW((void)estimate(ModelKind::camera_pose_focal, points,
                              {.cameras = std::array{Intrinsics{1, 1, std::nan(""), 0}}}),
               Error);
}

}  // namespace
}  // namespace bifocal::test
