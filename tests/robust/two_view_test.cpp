// SPDX-License-Identifier: BSD-3-Clause
// The two-view functions on their own, compared with plain formulas and with the truth of
// synthetic scenes.
#include <bifocal/error.hpp>
#include <bifocal/two_view.hpp>

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

namespace bifocal {
namespace {

using Matrix = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using Eigen::Vector3d;

Matrix eigen_of(const Mat3& m) { return Eigen::Map<const Matrix>(m.data()); }
Mat3 array_of(const Matrix& m) {
  Mat3 out;
  Eigen::Map<Matrix>(out.data()) = m;
  return out;
}
Matrix skew(const Vector3d& t) {
  Matrix m;
  m << 0, -t[2], t[1], t[2], 0, -t[0], -t[1], t[0], 0;
  return m;
}

constexpr Intrinsics kCamera1{900, 950, 640, 480}, kCamera2{1100, 1050, 600, 500};

// Two views of points, or of a plane with normal' X = 1.
struct Views {
  Matrix R;
  Vector3d t, normal{0.02, -0.03, 0.12};
  std::vector<Vector3d> X;
  std::vector<PointPair> points;
  std::vector<ScenePoint> seen;  // in camera 2, with camera 1 as the world

  explicit Views(int count, double noise, unsigned seed, bool plane = false) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> u(-1, 1);
    std::normal_distribution<double> n(0, 1);
    R = Eigen::AngleAxisd(0.3 * u(random), Vector3d(u(random), u(random), u(random)).normalized())
            .toRotationMatrix();
    t = Vector3d(u(random), u(random), u(random)).normalized();
    while (static_cast<int>(points.size()) < count) {
      Vector3d x(2 * u(random), 2 * u(random), 6 + 2 * u(random));
      if (plane) x /= normal.dot(x);
      const Vector3d y = R * x + t;
      if (y[2] < 0.5) continue;
      X.push_back(x);
      points.push_back({kCamera1.fx * x[0] / x[2] + kCamera1.cx + noise * n(random),
                        kCamera1.fy * x[1] / x[2] + kCamera1.cy + noise * n(random),
                        kCamera2.fx * y[0] / y[2] + kCamera2.cx + noise * n(random),
                        kCamera2.fy * y[1] / y[2] + kCamera2.cy + noise * n(random)});
      seen.push_back({points.back().x2, points.back().y2, x[0], x[1], x[2]});
    }
  }
  [[nodiscard]] Matrix E() const { return skew(t) * R; }
  [[nodiscard]] Matrix F() const {
    return eigen_of(kCamera2.matrix()).inverse().transpose() * E() *
           eigen_of(kCamera1.matrix()).inverse();
  }
  [[nodiscard]] Matrix H() const {
    return eigen_of(kCamera2.matrix()) * (R + t * normal.transpose()) *
           eigen_of(kCamera1.matrix()).inverse();
  }
  [[nodiscard]] Pose pose() const { return {array_of(R), {t[0], t[1], t[2]}}; }
};

constexpr Intrinsics kCameras[] = {kCamera1, kCamera2};
std::span<const Intrinsics> cameras_for(ModelKind kind) {
  return std::span(kCameras).first(std::size_t(problem_info(kind).cameras));
}

double apart(const Mat3& a, const Matrix& b) {  // two matrices of any scale
  const Matrix unit_a = eigen_of(a).normalized(), unit_b = b.normalized();
  return std::min((unit_a - unit_b).norm(), (unit_a + unit_b).norm());
}

// Sampson distances by the Jacobian of the constraints, as in textbooks.
double plain_sampson(ModelKind kind, const Matrix& M, const PointPair& p) {
  const Vector3d a(p.x1, p.y1, 1), b(p.x2, p.y2, 1);
  if (kind == ModelKind::fundamental) {
    const Vector3d l = M * a, m = M.transpose() * b;
    return std::abs(b.dot(l)) / std::sqrt(l.head<2>().squaredNorm() + m.head<2>().squaredNorm());
  }
  const Vector3d q = M * a;
  Eigen::Vector2d c(q[2] * p.x2 - q[0], q[2] * p.y2 - q[1]);
  Eigen::Matrix<double, 2, 4> J;
  J << M(2, 0) * p.x2 - M(0, 0), M(2, 1) * p.x2 - M(0, 1), q[2], 0, M(2, 0) * p.y2 - M(1, 0),
      M(2, 1) * p.y2 - M(1, 1), 0, q[2];
  return std::sqrt(c.dot((J * J.transpose()).inverse() * c));
}

TEST(TwoView, ResidualsAreSampsonDistances) {
  const Views v(50, 3, 1), plane(50, 3, 2, true);
  const auto of_F = residuals(ModelKind::fundamental, array_of(v.F()), v.points);
  const auto of_E = residuals(ModelKind::essential, array_of(-7 * v.E()), v.points, kCameras);
  const auto of_H = residuals(ModelKind::homography, array_of(plane.H()), plane.points);
  for (std::size_t i = 0; i < 50; ++i) {
    const double expected = plain_sampson(ModelKind::fundamental, v.F(), v.points[i]);
    EXPECT_NEAR(of_F[i], expected, 1e-8);
    EXPECT_NEAR(of_E[i], expected, 1e-8);
    EXPECT_NEAR(of_H[i], plain_sampson(ModelKind::homography, plane.H(), plane.points[i]), 1e-8);
  }
  Matrix A;
  A << 1.1, 0.2, 5, -0.1, 0.9, 8, 0, 0, 1;
  for (const ModelKind kind : {ModelKind::affine, ModelKind::similarity})
    EXPECT_NEAR(residuals(kind, array_of(2 * A), v.points)[3],
                plain_sampson(ModelKind::homography, A, v.points[3]), 1e-8);
}

TEST(TwoView, ResidualsOfAPoseAreReprojectionDistances) {
  Views v(20, 2, 3);
  v.seen[4].x = NAN;
  v.seen[5].Z = -100;
  const auto e = residuals(v.pose(), v.seen, kCamera2);
  for (std::size_t i = 0; i < 20; ++i) {
    if (i == 4 || i == 5) {
      EXPECT_TRUE(std::isnan(e[i]));
      continue;
    }
    const Vector3d y = v.R * v.X[i] + v.t;
    EXPECT_NEAR(e[i],
                std::hypot(kCamera2.fx * y[0] / y[2] + kCamera2.cx - v.seen[i].x,
                           kCamera2.fy * y[1] / y[2] + kCamera2.cy - v.seen[i].y),
                1e-8);
  }
}

double cost(ModelKind kind, const Mat3& m, const Views& v) {
  double sum = 0;
  for (const double e : residuals(kind, m, v.points, cameras_for(kind))) sum += e * e;
  return sum;
}

TEST(TwoView, RefineFindsALocalMinimum) {
  for (const ModelKind kind :
       {ModelKind::homography, ModelKind::fundamental, ModelKind::essential}) {
    const bool plane = kind == ModelKind::homography;
    for (unsigned seed = 0; seed < 10; ++seed) {
      const Views v(100, 1, seed, plane);
      const Matrix truth = plane ? v.H() : kind == ModelKind::essential ? v.E() : v.F();
      Matrix start = truth.normalized();
      for (int i = 0; i < 9; ++i) start(i / 3, i % 3) *= 1 + 1e-3 * std::sin(7.0 * i + seed);
      const Refined r = refine(kind, array_of(start), v.points, cameras_for(kind));
      EXPECT_EQ(r.count, 100);
      EXPECT_NEAR(eigen_of(r.model).norm(), 1, 1e-12);
      const double least = cost(kind, r.model, v);
      EXPECT_NEAR(r.rms, std::sqrt(least / 100), 1e-9);
      EXPECT_LE(least, cost(kind, array_of(truth), v));
      if (!plane) {
        const auto s = Eigen::JacobiSVD<Matrix>(eigen_of(r.model)).singularValues();
        EXPECT_LT(s[2], 1e-12);
        if (kind == ModelKind::essential) {
          EXPECT_NEAR(s[0], s[1], 1e-12);
        }
      }
      // Refining again changes no element, and refining from the truth gives the same cost.
      EXPECT_LT(apart(refine(kind, r.model, v.points, cameras_for(kind)).model, eigen_of(r.model)),
                1e-6);
      const Refined other = refine(kind, array_of(truth), v.points, cameras_for(kind));
      EXPECT_LT(std::abs(cost(kind, other.model, v) - least), 1e-6 * least);
    }
  }
}

// A start with a projective third row. The optimum of an affine map leaves the two smallest
// singular values of the centred points (R. Hartley, A. Zisserman, 2nd ed., algorithm 4.7).
TEST(TwoView, RefineOfAffineMapsIgnoresAProjectiveStart) {
  std::mt19937 random(6);
  std::normal_distribution<double> normal(0, 1);
  for (int trial = 0; trial < 20; ++trial) {
    for (const ModelKind kind : {ModelKind::affine, ModelKind::similarity}) {
      const double a = 1 + 0.2 * normal(random), b = 0.2 * normal(random);
      Matrix M;
      M << a, -b, 100 * normal(random), b, a, 100 * normal(random), 0, 0, 1;
      std::vector<PointPair> points;
      Eigen::Matrix<double, 50, 4> rows;
      for (int i = 0; i < 50; ++i) {
        const Vector3d p(640 + 300 * normal(random), 480 + 200 * normal(random), 1), q = M * p;
        points.push_back({p[0] + normal(random), p[1] + normal(random), q[0] + normal(random),
                          q[1] + normal(random)});
        rows.row(i) << points[size_t(i)].x1, points[size_t(i)].y1, points[size_t(i)].x2,
            points[size_t(i)].y2;
      }
      Matrix start = M;
      start.row(2) << 1e-4 * normal(random), 1e-4 * normal(random), 1;
      start.topLeftCorner<2, 2>() += 0.05 * Eigen::Matrix2d::Random();
      const Refined r = refine(kind, array_of(start), points),
                    best = refine(kind, array_of(M), points);
      EXPECT_NEAR(r.rms, best.rms, 1e-6 * best.rms);
      const Matrix found = eigen_of(r.model) / r.model[8];
      EXPECT_EQ(found(2, 0), 0);
      EXPECT_EQ(found(2, 1), 0);
      if (kind == ModelKind::similarity) {
        EXPECT_NEAR(found(0, 0), found(1, 1), 1e-12);
        EXPECT_NEAR(found(0, 1), -found(1, 0), 1e-12);
        continue;
      }
      const auto s =
          Eigen::JacobiSVD<Eigen::Matrix<double, 50, 4>>(rows.rowwise() - rows.colwise().mean())
              .singularValues();
      EXPECT_NEAR(r.rms, std::sqrt((s[2] * s[2] + s[3] * s[3]) / 50), 1e-6);
    }
  }
}

TEST(TwoView, RefineKeepsWrongPointsOutByFlagsOrThreshold) {
  Views v(100, 0.5, 4);
  std::vector<std::uint8_t> flags(100, 1);
  for (std::size_t i = 0; i < 30; ++i) {
    v.points[i].x2 += 40 + double(i);
    flags[i] = 0;
  }
  const Mat3 start = array_of(v.F());
  const Refined by_flags = refine(ModelKind::fundamental, start, v.points, {}, flags);
  EXPECT_EQ(by_flags.count, 70);
  EXPECT_LT(by_flags.rms, 0.6);
  const Refined by_threshold =
      refine(ModelKind::fundamental, start, v.points, {}, {}, {.threshold = 5});
  EXPECT_LT(by_threshold.rms, 0.8);
  EXPECT_GT(refine(ModelKind::fundamental, start, v.points).rms, 2);
}

TEST(TwoView, RefineTakesAnAbsolutePose) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const Views v(60, 1, seed);
    Pose start = v.pose();
    start.R = array_of(v.R * Eigen::AngleAxisd(0.02, Vector3d(1, 2, 3).normalized()).matrix());
    start.t[0] += 0.1;
    const Refined r = refine(start, v.seen, kCamera2);
    const auto at_truth = residuals(v.pose(), v.seen, kCamera2);
    double sum = 0;
    for (const double e : at_truth) sum += e * e;
    EXPECT_LE(r.rms, std::sqrt(sum / 60));
    EXPECT_LT(apart(r.pose.R, v.R), 0.005);
    EXPECT_NEAR(eigen_of(r.pose.R).determinant(), 1, 1e-9);
    EXPECT_EQ(r.model, r.pose.R);
  }
}

TEST(TwoView, RefineWithoutPointsIsTheStart) {
  const Views v(10, 0, 1);
  const Refined r = refine(ModelKind::fundamental, array_of(v.F()), {});
  EXPECT_EQ(r.count, 0);
  EXPECT_LT(apart(r.model, v.F()), 1e-12);
  std::vector<PointPair> bad = {{NAN, 1, 2, 3}};
  EXPECT_EQ(refine(ModelKind::fundamental, array_of(v.F()), bad).count, 0);
}

TEST(TwoView, PosesOfAnEssentialMatrixHoldTheTruth) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Views v(30, 0, seed);
    const EssentialPoses poses = decompose_essential(array_of(-3 * v.E()));
    const double errors[] = {(eigen_of(poses.R[0]) - v.R).norm(),
                             (eigen_of(poses.R[1]) - v.R).norm()};
    EXPECT_LT(std::min(errors[0], errors[1]), 1e-9);
    RecoveredPose r = recover_pose(array_of(v.E()), v.points, kCamera1, kCamera2);
    EXPECT_LT((eigen_of(r.cam2_from_cam1.R) - v.R).norm(), 1e-9);
    EXPECT_LT((Vector3d(r.cam2_from_cam1.t.data()) - v.t).norm(), 1e-9);
    EXPECT_EQ(r.in_front, 30);
    std::vector<std::uint8_t> flags(30, 0);
    flags[3] = flags[9] = 1;
    r = recover_pose(array_of(v.E()), v.points, kCamera1, kCamera2, flags);
    EXPECT_EQ(r.in_front, 2);
    EXPECT_EQ(r.are_there, flags);
  }
}

TEST(TwoView, MotionsOfAHomographyHoldTheTruth) {
  int exactly_two = 0;
  for (unsigned seed = 0; seed < 50; ++seed) {
    const Views v(20, 0, seed, true);
    const double distance = 1 / v.normal.norm();
    for (const double scale : {1.0, -2.5}) {
      const auto all = decompose_homography(array_of(scale * v.H()), kCamera1, kCamera2);
      const auto seen = decompose_homography(array_of(scale * v.H()), kCamera1, kCamera2, v.points);
      EXPECT_EQ(all.size(), 4);
      EXPECT_GE(seen.size(), 2);
      exactly_two += seen.size() == 2 ? 1 : 0;  // the points may lie on either side
      double best = 1;
      for (const PlaneMotion& m : seen) {
        const Matrix R = eigen_of(m.cam2_from_cam1.R);
        const Vector3d t(m.cam2_from_cam1.t.data()), n(m.normal.data());
        EXPECT_NEAR(R.determinant(), 1, 1e-9);
        const Matrix again = eigen_of(kCamera2.matrix()) * (R + t * n.transpose()) *
                             eigen_of(kCamera1.matrix()).inverse();
        EXPECT_LT(apart(array_of(again), v.H()), 1e-9);
        best = std::min(best, (R - v.R).norm() + (t * distance - v.t).norm() +
                                  (n - v.normal.normalized()).norm());
      }
      EXPECT_LT(best, 1e-6);
    }
  }
  EXPECT_GE(exactly_two, 95);
}

TEST(TwoView, HomographyOfARotationHasNoPlane) {
  const Views v(20, 0, 3);
  const Matrix H = eigen_of(kCamera2.matrix()) * v.R * eigen_of(kCamera1.matrix()).inverse();
  const auto motions = decompose_homography(array_of(-H), kCamera1, kCamera2);
  ASSERT_EQ(motions.size(), 1);
  EXPECT_LT((eigen_of(motions[0].cam2_from_cam1.R) - v.R).norm(), 1e-9);
  EXPECT_EQ(motions[0].cam2_from_cam1.t, (Vec3{0, 0, 0}));
}

TEST(TwoView, TriangulatedPointsEqualTheScenePoints) {
  Views v(50, 0, 5);
  v.points[7].x1 = NAN;
  const auto X = triangulate(v.points, kCamera1, kCamera2, v.pose());
  for (std::size_t i = 0; i < 50; ++i) {
    if (i == 7)
      EXPECT_TRUE(std::isnan(X[i][2]));
    else
      EXPECT_LT((Vector3d(X[i].data()) - v.X[i]).norm(), 1e-6 * v.X[i].norm());
  }
  Pose behind = v.pose();
  for (double& t : behind.t) t = -t;
  EXPECT_TRUE(std::isnan(triangulate(v.points, kCamera1, kCamera2, behind)[0][0]));
}

template <class Call>
std::string refusal(const Call& call) {
  try {
    (void)call();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::usage);
    return e.what();
  }
  return "accepted";
}

TEST(TwoView, MisuseIsNamed) {
  const Views v(10, 0, 1);
  const Mat3 zero{}, F = array_of(v.F());
  Mat3 bad = F;
  bad[4] = NAN;
  const std::vector<std::uint8_t> flags(3, 1);
  using enum ModelKind;
  EXPECT_EQ(refusal([&] { return residuals(fundamental, zero, v.points); }),
            "residuals: the matrix is zero");
  EXPECT_EQ(refusal([&] { return refine(fundamental, bad, v.points); }),
            "refine: the matrix is not finite or too large");
  EXPECT_EQ(refusal([&] { return residuals(essential, F, v.points); }),
            "residuals: essential takes 2 cameras, there are 0");
  EXPECT_EQ(refusal([&] { return residuals(absolute_pose, F, v.points); }),
            "residuals: absolute_pose is not a model of two views");
  EXPECT_EQ(refusal([&] { return refine(fundamental, F, v.points, {}, flags); }),
            "refine: 3 inlier flags for 10 points");
  EXPECT_EQ(refusal([&] { return refine(fundamental, F, v.points, {}, {}, {.threshold = -1}); }),
            "RefineOptions::threshold = -1: must be at least 0");
  EXPECT_EQ(refusal([&] { return recover_pose(F, v.points, kCamera1, kCamera2, flags); }),
            "recover_pose: 3 inlier flags for 10 points");
  EXPECT_NE(refusal([&] {
              return triangulate(v.points, {}, kCamera2, v.pose());
            }).find("camera1 = (0, 0, 0, 0)"),
            std::string::npos);
  EXPECT_EQ(refusal([&] { return decompose_essential(zero); }),
            "decompose_essential: the matrix is zero");
  EXPECT_EQ(refusal([&] { return decompose_homography(array_of(v.F()), kCamera1, kCamera2); }),
            "decompose_homography: H is singular");
}

}  // namespace
}  // namespace bifocal
