// SPDX-License-Identifier: BSD-3-Clause
// Homographies of any number of points, compared with Eigen's singular vectors of the whole system.
#include "solvers/batches.hpp"

namespace bifocal::test {
namespace {

// Pixels of a camera with 1000 px focal length, with noise.
struct Plane {
  std::vector<PointPair> points;
  Matrix3 truth;
};
Plane random_plane(std::mt19937_64& random, int n, double noise_px) {
  EigenScene scene(random, SceneKind::planar);
  std::normal_distribution<double> noise(0, noise_px > 0 ? noise_px : 1);
  const auto pixel = [&](double x, double centre) {
    return 1000 * x + centre + (noise_px > 0 ? noise(random) : 0);
  };
  Plane out;
  for (int i = 0; i < n; ++i) {
    const PointPair p = scene.seen(scene.point());
    out.points.push_back({pixel(p.x1, 640), pixel(p.y1, 480), pixel(p.x2, 640), pixel(p.y2, 480)});
  }
  Matrix3 K;
  K << 1000, 0, 640, 0, 1000, 480, 0, 0, 1;
  out.truth = K * scene.homography() * K.inverse();
  return out;
}

Matrix3 normalisation(const std::vector<PointPair>& points, double PointPair::*x,
                      double PointPair::*y) {
  Eigen::Vector2d mean(0, 0);
  const double n = static_cast<double>(points.size());
  for (const PointPair& p : points) mean += Eigen::Vector2d(p.*x, p.*y) / n;
  double spread = 0;
  for (const PointPair& p : points) spread += (Eigen::Vector2d(p.*x, p.*y) - mean).squaredNorm();
  const double s = std::sqrt(2 * n / spread);
  Matrix3 T;
  T << s, 0, -s * mean.x(), 0, s, -s * mean.y(), 0, 0, 1;
  return T;
}

Matrix3 oracle(const std::vector<PointPair>& points) {
  const Matrix3 T1 = normalisation(points, &PointPair::x1, &PointPair::y1);
  const Matrix3 T2 = normalisation(points, &PointPair::x2, &PointPair::y2);
  const Eigen::Index n = static_cast<Eigen::Index>(points.size());
  Eigen::Matrix<double, Eigen::Dynamic, 9> A = Eigen::MatrixXd::Zero(2 * n, 9);
  for (Eigen::Index i = 0; i < n; ++i) {
    const PointPair& p = points[static_cast<std::size_t>(i)];
    const Eigen::RowVector3d a = T1 * Eigen::Vector3d(p.x1, p.y1, 1);
    const Eigen::RowVector3d b = T2 * Eigen::Vector3d(p.x2, p.y2, 1);
    A.row(2 * i) << a, 0, 0, 0, -b.x() * a;
    A.row(2 * i + 1) << 0, 0, 0, a, -b.y() * a;
  }
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeFullV);
  const Eigen::VectorXd h = svd.matrixV().col(8);
  return (T2.inverse() * Eigen::Map<const Matrix3>(h.data()) * T1).normalized();
}

// Returns the largest distance in px between the points as mapped by two homographies.
double transfer_distance(const std::vector<PointPair>& points, const Mat3& a, const Matrix3& B) {
  const Eigen::Map<const Matrix3> A(a.data());
  double worst = 0;
  for (const PointPair& p : points) {
    const Eigen::Vector3d x(p.x1, p.y1, 1);
    worst = std::max(worst, ((A * x).hnormalized() - (B * x).hnormalized()).norm());
  }
  return worst;
}

TEST(HomographySvd, equals_the_solution_of_the_whole_system) {
  std::mt19937_64 random(1);
  for (const double noise : {0.0, 1.0}) {
    std::vector<double> errors;
    for (int n = 4; n <= 200; ++n) {
      for (int trial = 0; trial < 5; ++trial) {
        const Plane plane = random_plane(random, n, noise);
        const auto H = homography_svd(plane.points);
        ASSERT_TRUE(H) << n;
        ASSERT_NEAR(Eigen::Map<const Matrix3>(H->data()).norm(), 1, 1e-14);
        errors.push_back(transfer_distance(plane.points, *H, oracle(plane.points)));
      }
    }
    EXPECT_LE(failure_rate("homography_svd beside Eigen, px", errors, 1e-7), 0.001);
  }
}

TEST(HomographySvd, of_many_noisy_points_is_nearer_to_the_truth) {
  std::mt19937_64 random(2);
  double mean[2] = {0, 0};
  const int sizes[2] = {20, 2000};
  constexpr int kTrials = 50;
  for (int trial = 0; trial < kTrials; ++trial) {
    for (int k = 0; k < 2; ++k) {
      const Plane plane = random_plane(random, sizes[k], 1);
      const auto H = homography_svd(plane.points);
      ASSERT_TRUE(H);
      mean[k] += transfer_distance(plane.points, *H, plane.truth) / kTrials;
    }
  }
  fmt::print("worst transfer error with 1 px noise: {:.2f} px of 20 points, {:.3f} px of 2000\n",
             mean[0], mean[1]);
  EXPECT_LT(mean[1], 0.4);  // falls with the root of the number of points
  EXPECT_LT(5 * mean[1], mean[0]);
}

TEST(HomographySvd, keeps_orientation) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const Plane plane = random_plane(random, 10 + trial % 30, 0.5);
    const auto H = homography_svd(plane.points);
    ASSERT_TRUE(H);
    for (const PointPair& p : plane.points) ASSERT_GT((*H)[6] * p.x1 + (*H)[7] * p.y1 + (*H)[8], 0);
  }
}

TEST(HomographySvd, of_degenerate_points_is_none) {
  std::mt19937_64 random(4);
  for (int n = 0; n < 4; ++n) EXPECT_FALSE(homography_svd(random_plane(random, n, 0).points));
  for (int n = 4; n <= 40; n += 3) {
    const std::vector<PointPair> good = random_plane(random, n, 0).points;
    auto points = good;
    for (auto& p : points) p = good[0];
    EXPECT_FALSE(homography_svd(points)) << "all equal, " << n;
    for (std::size_t i = 3; i < points.size(); ++i) points[i] = good[i % 3];
    EXPECT_FALSE(homography_svd(points)) << "three different points, " << n;
    points = good;
    for (std::size_t i = 1; i < points.size(); ++i) {
      const double f = 0.1 * static_cast<double>(i);
      points[i] = {good[0].x1 + 50 * f, good[0].y1 - 20 * f, good[0].x2 + 40 * f,
                   good[0].y2 + 30 * f};
    }
    EXPECT_FALSE(homography_svd(points)) << "all on a line, " << n;
    points[0].x1 += 100, points[0].y2 -= 100;
    EXPECT_FALSE(homography_svd(points)) << "all but one on a line, " << n;
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity(), 1e300}) {
      for (double PointPair::*k :
           {&PointPair::x1, &PointPair::y1, &PointPair::x2, &PointPair::y2}) {
        points = good;
        points[static_cast<std::size_t>(n) / 2].*k = bad;
        const auto H = homography_svd(points);
        EXPECT_FALSE(H) << bad << " " << n;
      }
    }
  }
}

}  // namespace
}  // namespace bifocal::test
