// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "adjust/scenes.hpp"

namespace bifocal {
namespace {

using test::Scene;

// The observations of the truth with other noise of 1 px.
AdjustProblem with_noise(const AdjustProblem& exact, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  AdjustProblem problem = exact;
  for (AdjustObservation& o : problem.observations) o.x += normal(random), o.y += normal(random);
  return problem;
}

Vec3 centre_of(const AdjustImage& image) {
  const Vec3 c = times(transposed(image.cam_from_world.R), image.cam_from_world.t);
  return {-c[0], -c[1], -c[2]};
}

// Squares of the errors of 300 adjustments and the variances that adjust() reports agree.
TEST(AdjustCovariance, IsThatOfManyAdjustments) {
  const AdjustProblem exact =
      test::make_scene({.images = 6, .points = 40, .noise = 0, .visible = 0.9}).truth;
  AdjustProblem problem = exact;
  const AdjustResult result = adjust(problem, {.covariance = true});
  ASSERT_EQ(result.pose_covariances.size(), 6u);
  constexpr int kRuns = 300;
  std::mt19937_64 random(1);
  double focal = 0, point = 0, centre = 0, rotation = 0;
  for (int run = 0; run < kRuns; ++run) {
    AdjustProblem noisy = with_noise(exact, random);
    (void)adjust(noisy, {.function_tolerance = 1e-9});
    focal += std::pow(noisy.cameras[0].params[0] - exact.cameras[0].params[0], 2) / kRuns;
    for (std::size_t k = 0; k < 3; ++k)
      point += std::pow(noisy.points[3][k] - exact.points[3][k], 2) / kRuns;
    const Vec3 a = centre_of(noisy.images[2]), b = centre_of(exact.images[2]);
    for (std::size_t k = 0; k < 3; ++k) centre += std::pow(a[k] - b[k], 2) / kRuns;
    const Mat3 R =
        times(noisy.images[2].cam_from_world.R, transposed(exact.images[2].cam_from_world.R));
    rotation += std::pow(R[7] - R[5], 2) / 4 / kRuns;  // about the first axis of the camera
  }
  const auto& pose = result.pose_covariances[2];
  const auto& X = result.point_covariances[3];
  // 300 squares have a standard deviation of 8 per cent.
  EXPECT_NEAR(focal / result.camera_covariances[0][0], 1, 0.3);
  EXPECT_NEAR(point / (X[0] + X[4] + X[8]), 1, 0.3);
  EXPECT_NEAR(centre / (pose[21] + pose[28] + pose[35]), 1, 0.3);
  EXPECT_NEAR(rotation / pose[0], 1, 0.3);
}

TEST(AdjustCovariance, IsZeroForTheGaugeAndForConstants) {
  AdjustProblem problem = test::make_scene({.images = 6, .points = 40}).start;
  problem.constant_points.assign(40, false);
  AdjustProblem constant = problem;
  const AdjustResult free = adjust(problem, {.covariance = true});
  for (const double v : free.pose_covariances[0]) EXPECT_EQ(v, 0);
  EXPECT_GT(free.pose_covariances[1][0], 0);
  EXPECT_EQ(free.camera_covariances[0][1 * 4 + 1], 0);
  constant.images[3].is_constant = true;
  constant.constant_points[5] = true;
  const AdjustResult fixed = adjust(constant, {.covariance = true});
  for (const double v : fixed.pose_covariances[3]) EXPECT_EQ(v, 0);
  for (const double v : fixed.point_covariances[5]) EXPECT_EQ(v, 0);
  EXPECT_GT(fixed.pose_covariances[0][0], 0);
}

// The variance of the residuals equals the variance of the noise.
TEST(AdjustCovariance, RedundancyCountsWhatObservationsLeave) {
  AdjustProblem problem =
      test::make_scene({.images = 20, .points = 500, .noise = 0.7, .visible = 0.4}).start;
  const AdjustResult result = adjust(problem, {.covariance = true});
  EXPECT_EQ(result.redundancy, 2 * result.counts[0] - (6 * 20 + 2 + 3 * 500) + 7);
  EXPECT_NEAR(2 * result.final_cost / static_cast<double>(result.redundancy), 0.49, 0.03);
}

}  // namespace
}  // namespace bifocal
