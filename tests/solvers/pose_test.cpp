// SPDX-License-Identifier: BSD-3-Clause
// Pose from the essential matrix and triangulation, as double-precision scalars.
#include "solvers/batches.hpp"
#include "solvers/lanes.hpp"
#include "synthetic/random.hpp"

namespace bifocal::test {
namespace {

using L = lanes<double>;

TEST(Pose, candidate_with_the_points_in_front_is_the_true_one) {
  std::mt19937_64 random(3);
  int wrong = 0;
  constexpr int kTrials = 20000, kPoints = 8;
  for (int trial = 0; trial < kTrials; ++trial) {
    EigenScene scene(random);
    const Matrix3 E = scene.essential() * synthetic::uniform(random, -10, 10);
    double R[18], t[3];
    L::pose_candidates(E.data(), R, t);
    PointPair seen[kPoints];
    for (PointPair& v : seen) v = scene.seen(scene.point());
    for (int c = 0; c < 4; ++c) {
      if (c == 2)
        for (double& v : t) v = -v;
      const double* own = R + 9 * (c % 2);
      const auto count = std::count_if(std::begin(seen), std::end(seen), [&](const PointPair& v) {
        return L::pose_in_front(own, t, v.x1, v.y1, v.x2, v.y2);
      });
      const double distance = (Eigen::Map<const Matrix3>(own) - scene.R).norm() +
                              (Eigen::Map<Eigen::Vector3d>(t) - scene.t.normalized()).norm();
      wrong += (count == kPoints) != (distance < 1e-10);
    }
  }
  EXPECT_EQ(wrong, 0) << "of " << kTrials;
}

TEST(Pose, candidates_are_rotations_that_give_back_E) {
  std::mt19937_64 random(4);
  for (int trial = 0; trial < 1000; ++trial) {
    EigenScene scene(random);
    const Matrix3 E = scene.essential();
    double R[18], t[3];
    L::pose_candidates(E.data(), R, t);
    for (int c = 0; c < 2; ++c) {
      const Matrix3 M = Eigen::Map<Matrix3>(R + 9 * c);
      ASSERT_LT((M.transpose() * M - Matrix3::Identity()).norm(), 1e-14);
      ASSERT_GT(M.determinant(), 0.99);
      Matrix3 back;
      L::essential_from_pose(R + 9 * c, t, back.data());
      ASSERT_LT(projective_distance(back, E), 1e-13);
    }
  }
}

// Reference: the least squared image distance over the scene point, by Gauss-Newton with numeric
// derivatives, starting at the true point.
double least_distance(const EigenScene& scene, const PointPair& seen, Eigen::Vector3d X) {
  const auto residual = [&](const Eigen::Vector3d& point) {
    const PointPair v = scene.seen(point);
    return Eigen::Vector4d(v.x1 - seen.x1, v.y1 - seen.y1, v.x2 - seen.x2, v.y2 - seen.y2);
  };
  for (int k = 0; k < 30; ++k) {
    Eigen::Matrix<double, 4, 3> J;
    for (int j = 0; j < 3; ++j) {
      const Eigen::Vector3d h = 1e-5 * Eigen::Vector3d::Unit(j);
      J.col(j) = (residual(X + h) - residual(X - h)) / 2e-5;
    }
    X -= (J.transpose() * J).ldlt().solve(J.transpose() * residual(X));
  }
  return residual(X).squaredNorm();
}

TEST(Triangulation, reaches_the_least_image_distance) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise(0, 1e-3);  // a pixel at a focal length of 1000
  double worst = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    EigenScene scene(random);
    const Eigen::Vector3d truth = scene.point();
    PointPair v = scene.seen(truth);
    v.x1 += noise(random), v.y1 += noise(random), v.x2 += noise(random), v.y2 += noise(random);
    Eigen::Vector3d X;
    L::triangulate(scene.R.data(), scene.t.data(), v.x1, v.y1, v.x2, v.y2, X.data());
    if (X.z() < 0 || X.z() > 50) continue;  // nearly parallel rays: the point is behind or far away
    const PointPair w = scene.seen(X);
    const double distance = std::pow(w.x1 - v.x1, 2) + std::pow(w.y1 - v.y1, 2) +
                            std::pow(w.x2 - v.x2, 2) + std::pow(w.y2 - v.y2, 2);
    worst = std::max(worst, std::sqrt(distance) - std::sqrt(least_distance(scene, v, truth)));
  }
  fmt::print("triangulation: at most {:.3g} focal lengths above the least distance\n", worst);
  EXPECT_LT(worst, 1e-5);
}

TEST(Triangulation, finds_exact_points_and_their_parallax) {
  std::mt19937_64 random(6);
  for (int trial = 0; trial < 2000; ++trial) {
    EigenScene scene(random);
    const Eigen::Vector3d truth = scene.point();
    const PointPair v = scene.seen(truth);
    Eigen::Vector3d X;
    L::triangulate(scene.R.data(), scene.t.data(), v.x1, v.y1, v.x2, v.y2, X.data());
    const Eigen::Vector3d ray1 = truth, ray2 = truth + scene.R.transpose() * scene.t;
    const double angle = std::acos(std::min(1.0, ray1.normalized().dot(ray2.normalized())));
    if (angle > 0.01) {
      EXPECT_LT((X - truth).norm(), 1e-8);
    }
    EXPECT_NEAR(std::atan(L::parallax_tangent(scene.R.data(), v.x1, v.y1, v.x2, v.y2)), angle,
                1e-6);
    EXPECT_EQ(L::pose_in_front(scene.R.data(), scene.t.data(), v.x1, v.y1, v.x2, v.y2),
              angle > 1e-12);
    const Eigen::Vector3d behind = -scene.t;
    EXPECT_FALSE(L::pose_in_front(scene.R.data(), behind.data(), v.x1, v.y1, v.x2, v.y2));
  }
}

}  // namespace
}  // namespace bifocal::test
