// SPDX-License-Identifier: BSD-3-Clause
// Compares covariances with the scatter of refine() over many draws of the noise (Monte Carlo).
#include <bifocal/two_view.hpp>
#include <bifocal/error.hpp>

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <random>

#include "problem_scene.hpp"
#include "support/needs_problem.hpp"

namespace bifocal::robust {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;
constexpr int kPoints = 150, kTrials = 600;
constexpr double kNoise = 0.7;

// Checks that the sample covariance agrees with the expected covariance. In the expected directions
// the whitened variances are 1 within the accuracy of kTrials (standard deviation 6 %); in the
// remaining directions the variance is zero.
void expect_agree(const std::vector<VectorXd>& draws, const MatrixXd& expected, int rank) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(expected);
  const auto n = expected.rows();
  const double largest = solver.eigenvalues()[n - 1];
  MatrixXd sample = MatrixXd::Zero(n, n);
  for (const VectorXd& d : draws) sample += d * d.transpose() / double(draws.size());
  for (Eigen::Index k = 0; k < n; ++k) {
    const VectorXd v = solver.eigenvectors().col(k);
    const double found = v.dot(sample * v), value = solver.eigenvalues()[k];
    if (k < n - rank) {
      EXPECT_LT(std::abs(value), 1e-9 * largest);
      EXPECT_LT(found, 1e-3 * largest) << k;
    } else {
      EXPECT_NEAR(found / value, 1, 0.27) << "direction " << k;
    }
  }
}

VectorXd vector_of(const Mat3& m) { return Eigen::Map<const VectorXd>(m.data(), 9); }
template <std::size_t N>
MatrixXd matrix_of(const std::array<double, N>& m) {
  const int n = N == 81 ? 9 : 6;
  return Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(m.data(), n, n);
}

class Covariance : public testing::TestWithParam<ModelKind> {
 protected:
  void SetUp() override { test::skip_unless_built(GetParam()); }
};

TEST_P(Covariance, agrees_with_the_scatter_of_many_draws) {
  const ModelKind kind = GetParam();
  std::mt19937_64 random(5);
  const ProblemScene clean =
      make_problem_scene(kind, {.points = kPoints, .inliers = 1, .noise = 0}, random);
  const std::vector<PointPair> truth = clean.pairs();
  const Refined start =
      refine(kind, estimate(kind, truth, {.cameras = clean.cameras}).model, truth, clean.cameras);
  ASSERT_LT(start.rms, 1e-4);
  const VectorXd model = vector_of(start.model);
  const ModelCovariance expected = covariance(kind, start.model, truth, clean.cameras, {}, kNoise);
  ASSERT_TRUE(expected.ok);
  EXPECT_EQ(expected.parameters, problem_info(kind).degrees_of_freedom);
  std::normal_distribution<double> noise(0, kNoise);
  std::vector<VectorXd> draws;
  double mean_noise = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<PointPair> points = truth;
    for (PointPair& p : points)
      p.x1 += noise(random), p.y1 += noise(random), p.x2 += noise(random), p.y2 += noise(random);
    const Refined fit = refine(kind, start.model, points, clean.cameras);
    const VectorXd found = vector_of(fit.model);
    draws.push_back(found.dot(model) < 0 ? VectorXd(-found - model) : VectorXd(found - model));
    const ModelCovariance own = covariance(kind, fit.model, points, clean.cameras);
    ASSERT_TRUE(own.ok);
    mean_noise += own.noise / kTrials;
  }
  EXPECT_NEAR(mean_noise, kNoise, 0.02 * kNoise);
  expect_agree(draws, matrix_of(expected.model), expected.parameters);
}

INSTANTIATE_TEST_SUITE_P(TwoViews, Covariance,
                         testing::Values(ModelKind::homography, ModelKind::fundamental,
                                         ModelKind::essential, ModelKind::similarity,
                                         ModelKind::affine, ModelKind::upright_essential),
                         [](const auto& tested) { return std::string(to_string(tested.param)); });

Eigen::Matrix3d matrix3(const Mat3& R) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(R.data());
}
// Difference (w, t) of a pose from another pose: R = exp([w]x) R0.
VectorXd difference(const Pose& pose, const Pose& from) {
  const Eigen::AngleAxisd rotation(matrix3(pose.R) * matrix3(from.R).transpose());
  VectorXd d(6);
  d << rotation.angle() * rotation.axis(), pose.t[0] - from.t[0], pose.t[1] - from.t[1],
      pose.t[2] - from.t[2];
  return d;
}

TEST(CovarianceOfAPose, of_two_views_agrees_with_the_scatter_of_many_draws) {
  std::mt19937_64 random(6);
  const ProblemScene clean = make_problem_scene(
      ModelKind::essential, {.points = kPoints, .inliers = 1, .noise = 0}, random);
  const std::vector<PointPair> truth = clean.pairs();
  const auto& cameras = clean.cameras;
  const Mat3 E = estimate(ModelKind::essential, truth, {.cameras = cameras}).model;
  const Pose start = recover_pose(E, truth, cameras[0], cameras[1]).cam2_from_cam1;
  const ModelCovariance expected = covariance(start, truth, cameras[0], cameras[1], {}, kNoise);
  ASSERT_TRUE(expected.ok);
  std::normal_distribution<double> noise(0, kNoise);
  std::vector<VectorXd> draws;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<PointPair> points = truth;
    for (PointPair& p : points)
      p.x1 += noise(random), p.y1 += noise(random), p.x2 += noise(random), p.y2 += noise(random);
    const Refined fit = refine(ModelKind::essential, E, points, cameras);
    draws.push_back(
        difference(recover_pose(fit.model, points, cameras[0], cameras[1]).cam2_from_cam1, start));
  }
  expect_agree(draws, matrix_of(expected.pose), 5);
  const ModelCovariance of_matrix = covariance(ModelKind::essential, E, truth, cameras, {}, kNoise);
  for (std::size_t i = 0; i < 81; ++i)
    EXPECT_NEAR(of_matrix.model[i], expected.model[i], 1e-9 * matrix_of(expected.model).norm());
}

TEST(CovarianceOfAPose, of_scene_points_agrees_with_the_scatter_of_many_draws) {
  SKIP_UNLESS_PROBLEM_IS_BUILT(ModelKind::absolute_pose);
  std::mt19937_64 random(7);
  const ProblemScene clean = make_problem_scene(
      ModelKind::absolute_pose, {.points = kPoints, .inliers = 1, .noise = 0}, random);
  const std::vector<ScenePoint> truth(clean.scene_points(), clean.scene_points() + kPoints);
  const Intrinsics camera = clean.cameras[0];
  const Pose start = estimate(ModelKind::absolute_pose, truth, {.cameras = clean.cameras}).pose;
  const ModelCovariance expected = covariance(start, truth, camera, {}, kNoise);
  ASSERT_TRUE(expected.ok);
  std::normal_distribution<double> noise(0, kNoise);
  std::vector<VectorXd> draws;
  double mean_noise = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<ScenePoint> points = truth;
    for (ScenePoint& p : points) p.x += noise(random), p.y += noise(random);
    const Pose fit = refine(start, points, camera).pose;
    draws.push_back(difference(fit, start));
    mean_noise += covariance(fit, points, camera).noise / kTrials;
  }
  EXPECT_NEAR(mean_noise, kNoise, 0.02 * kNoise);
  expect_agree(draws, matrix_of(expected.pose), 6);
}

TEST(CovarianceArguments, may_contain_flagged_and_invalid_points) {
  std::mt19937_64 random(8);
  const ProblemScene s =
      make_problem_scene(ModelKind::homography, {.points = 50, .inliers = 1, .noise = 1}, random);
  std::vector<PointPair> points = s.pairs();
  const Mat3 H = estimate(ModelKind::homography, points).model;
  const ModelCovariance all = covariance(ModelKind::homography, H, points);
  // Points that are flagged out or not finite have no influence.
  points.push_back({1, 2, 3, 4});
  points.push_back({std::numeric_limits<double>::quiet_NaN(), 2, 3, 4});
  std::vector<std::uint8_t> flags(52, 1);
  flags[50] = 0;
  EXPECT_EQ(covariance(ModelKind::homography, H, points, {}, flags).model, all.model);
  // Four points fit exactly, so the noise has to be given. Three points do not determine H.
  const std::span<const PointPair> some(points);
  EXPECT_FALSE(covariance(ModelKind::homography, H, some.first(4)).ok);
  EXPECT_TRUE(covariance(ModelKind::homography, H, some.first(4), {}, {}, 1).ok);
  EXPECT_FALSE(covariance(ModelKind::homography, H, some.first(3), {}, {}, 1).ok);
  const std::vector<PointPair> same(20, points[0]);
  EXPECT_FALSE(covariance(ModelKind::homography, H, same, {}, {}, 1).ok);
}

TEST(CovarianceArguments, are_named) {
  const std::vector<PointPair> points(10);
  const auto message = [&](const auto& call) {
    try {
      (void)call();
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::usage);
      return std::string(e.what());
    }
    return std::string();
  };
  const Mat3 H = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const Intrinsics camera{100, 100, 0, 0};
  const std::uint8_t flags[3] = {};
  EXPECT_EQ(message([&] { return covariance(ModelKind::homography, Mat3{}, points); }),
            "covariance: the matrix is zero");
  EXPECT_EQ(message([&] { return covariance(ModelKind::homography, H, points, {}, flags); }),
            "covariance: 3 flags for 10 points");
  EXPECT_EQ(message([&] { return covariance(ModelKind::homography, H, points, {}, {}, -1); }),
            "covariance: noise = -1: must be at least 0");
  EXPECT_EQ(message([&] { return covariance(ModelKind::essential, H, points); }),
            "covariance: essential takes 2 cameras, there are 0");
  EXPECT_EQ(message([&] {
              return covariance(Pose{H, {0, 0, 2}}, points, camera, camera);
            }),
            "covariance: t of a relative pose must have length 1");
  const Mat3 tilted = {0, -0.8, 0.6, 1, 0, 0, 0, 0, 0};
  const Intrinsics cameras[] = {camera, camera};
  EXPECT_THROW((void)covariance(ModelKind::upright_essential, tilted, points, cameras), Error);
}

}  // namespace
}  // namespace bifocal::robust
