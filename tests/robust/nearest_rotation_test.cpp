// SPDX-License-Identifier: BSD-3-Clause
// Rotations of matrices that are not ideal, compared with Eigen's SVD, and the check of every
// function that takes a rotation.
#include <bifocal/adjust.hpp>
#include <bifocal/colmap/model.hpp>
#include <bifocal/error.hpp>
#include <bifocal/rectify.hpp>
#include <bifocal/geometry.hpp>
#include <bifocal/stereo.hpp>
#include <bifocal/two_view.hpp>

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <limits>
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

class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}
  double number() { return normal_(random_); }
  Vector3d vector() { return {number(), number(), number()}; }
  Matrix matrix() {
    return Matrix::NullaryExpr([this](Eigen::Index) { return number(); });
  }
  Matrix rotation() {
    return Eigen::Quaterniond(number(), number(), number(), number())
        .normalized()
        .toRotationMatrix();
  }
  Matrix of_values(const Vector3d& S) { return rotation() * S.asDiagonal() * rotation(); }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
};

// U diag(1, 1, det(U V')) V'.
Matrix nearest(const Matrix& M) {
  const Eigen::JacobiSVD<Matrix> svd(M, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Matrix UV = svd.matrixU() * svd.matrixV().transpose();
  return svd.matrixU() * Vector3d(1, 1, UV.determinant()).asDiagonal() * svd.matrixV().transpose();
}

double off(const Mat3& R) {
  const Matrix m = eigen_of(R);
  return (m * m.transpose() - Matrix::Identity()).cwiseAbs().maxCoeff() +
         std::abs(m.determinant() - 1);
}

TEST(NearestRotation, EqualsTheOneOfTheSingularVectors) {
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    Matrix M = random.matrix() * std::pow(10, 10 * random.number());
    if (i % 3 == 0) M = random.rotation() + 1e-3 * random.matrix();
    const Mat3 R = nearest_rotation(array_of(M));
    EXPECT_LT(off(R), 1e-14);
    const Vector3d S = M.jacobiSvd().singularValues();
    const double gap = S[1] + std::copysign(S[2], M.determinant());  // 0: R is not unique
    EXPECT_LT((eigen_of(R) - nearest(M)).norm(), 1e-13 * S[0] / gap);
  }
  const Mat3 half_a_circle = {-1, 0, 0, 0, -1, 0, 0, 0, 1};
  EXPECT_EQ(nearest_rotation(half_a_circle), half_a_circle);
}

TEST(NearestRotation, LeavesARotationItsBits) {
  Random random(2);
  for (int i = 0; i < 100; ++i) {
    const Mat3 R = array_of(random.rotation() * random.rotation());
    EXPECT_EQ(nearest_rotation(R), R);
    EXPECT_EQ(checked_rotation("R", R), R);
  }
}

// t up to its sign; -1 if R and t are no factors of E in the order that [t]x R[0] = E asks for.
double distance(const EssentialPoses& poses, const Matrix& E) {
  const Eigen::JacobiSVD<Matrix> svd(E, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Matrix W;
  W << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  const Matrix U = svd.matrixU(), Vt = svd.matrixV().transpose();
  const double sign = (U * Vt).determinant();
  const Matrix A = sign * U * W * Vt, B = sign * U * W.transpose() * Vt;
  const Matrix first = eigen_of(poses.R[0]), second = eigen_of(poses.R[1]);
  const Vector3d t(poses.t.data());
  const double of_t = std::min((t - U.col(2)).norm(), (t + U.col(2)).norm());
  const Matrix product = eigen_of(cross_matrix(poses.t)) * first;
  if (!(product.cwiseProduct(E).sum() > 0)) return -1;
  return of_t + std::min((first - A).norm() + (second - B).norm(),
                         (first - B).norm() + (second - A).norm());
}

TEST(DecomposeEssential, GivesTheNearestRotationsForAnySingularValues) {
  Random random(3);
  const Vector3d values[] = {{1, 1, 0},       {1, 1 - 1e-10, 0}, {1, 1 - 1e-7, 0}, {1, 0.98, 0},
                             {1, 0.6, 0},     {1, 0.05, 0},      {1, 1e-4, 0},     {1, 1e-8, 0},
                             {1, 0.9, 0.004}, {1, 0.7, 0.4},     {1, 1, 1e-9}};
  for (const Vector3d& S : values) {
    for (int i = 0; i < 50; ++i) {
      const Matrix E = random.of_values(S) * std::pow(10, 3 * random.number());
      const EssentialPoses poses = decompose_essential(array_of(E));
      EXPECT_LT(off(poses.R[0]), 1e-14) << S.transpose();
      EXPECT_LT(off(poses.R[1]), 1e-14) << S.transpose();
      EXPECT_NEAR(norm(poses.t), 1, 1e-14);
      const double error = distance(poses, E);
      EXPECT_GE(error, 0) << S.transpose();
      EXPECT_LT(error, 1e-12 / (S[1] - S[2])) << S.transpose();
    }
  }
}

// K2' F K1 with focal lengths that are wrong by up to a factor of 4, and other principal points.
TEST(RecoverPose, GivesARotationForWrongCameras) {
  Random random(4);
  const Intrinsics k1{900, 950, 640, 480}, k2{1100, 1050, 600, 500};
  for (int i = 0; i < 100; ++i) {
    const Matrix R =
        Eigen::AngleAxisd(0.2 * random.number(), random.vector().normalized()).toRotationMatrix();
    const Pose pose = {array_of(R), {0.9, 0.3, 0.3}};
    const Mat3 F = times(transposed(k2.inverse_matrix()),
                         times(times(cross_matrix(pose.t), pose.R), k1.inverse_matrix()));
    const auto wrong = [&](Intrinsics k) {
      const double f = std::pow(2, random.number());
      return Intrinsics{k.fx * f, k.fy * f, k.cx + 50 * random.number(), k.cy};
    };
    const Intrinsics a = wrong(k1), b = wrong(k2);
    const Mat3 E = times(transposed(b.matrix()), times(F, a.matrix()));
    const RecoveredPose found = recover_pose(E, {}, a, b);
    EXPECT_LT(off(found.cam2_from_cam1.R), 1e-14);
    EXPECT_GE(distance(decompose_essential(E), eigen_of(E)), 0);
  }
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

TEST(DecomposeEssential, RefusesMatricesWithoutAPose) {
  Random random(5);
  for (int i = 0; i < 20; ++i) {
    const Mat3 rank1 = array_of(random.vector() * random.vector().transpose());
    EXPECT_EQ(refusal([&] { return decompose_essential(rank1); })
                  .find("decompose_essential: E has "
                        "rank 1: its singular "),
              0U);
    EXPECT_NE(refusal([&] {
                return recover_pose(rank1, {}, {1, 1, 0, 0}, {1, 1, 0, 0});
              }).find("rank 1"),
              std::string::npos);
  }
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL}) {
    Mat3 E = cross_matrix({1, 2, 3});
    E[5] = bad;
    EXPECT_EQ(refusal([&] { return decompose_essential(E); }),
              "decompose_essential: the matrix is not finite or too large");
    EXPECT_EQ(refusal([&] { return nearest_rotation(E); }),
              "nearest_rotation: the matrix is not finite");
  }
}

TEST(DecomposeHomography, GivesRotationsForAnyPlane) {
  Random random(6);
  const Intrinsics k{800, 800, 320, 240};
  for (int i = 0; i < 100; ++i) {
    Matrix H =
        random.rotation() + std::pow(10, -i % 7) * random.vector() * random.vector().transpose();
    if (std::abs(H.determinant()) < 1e-3) continue;
    const Mat3 px = times(k.matrix(), times(array_of(H), k.inverse_matrix()));
    for (const PlaneMotion& m : decompose_homography(px, k, k)) {
      EXPECT_LT(off(m.cam2_from_cam1.R), 1e-13);
      const Mat3 R = m.cam2_from_cam1.R;
      Matrix again =
          eigen_of(R) + Vector3d(m.cam2_from_cam1.t.data()) * Vector3d(m.normal.data()).transpose();
      again *= again.cwiseProduct(H).sum() / again.squaredNorm();
      EXPECT_LT((again - H).norm(), 1e-7 * H.norm());
    }
  }
}

// Every public function that takes a rotation, as numbers of its result.
struct Entry {
  std::string name;
  std::function<std::vector<double>(const Mat3& R)> call;
};
constexpr Intrinsics kCamera{500, 500, 320, 240};

std::vector<double> numbers_of(const Rectification& r) {
  std::vector<double> out = {double(r.width), double(r.height)};
  for (const RectifiedSide& side : r.sides) out.insert(out.end(), side.H.begin(), side.H.end());
  for (const PolarRow& row : r.sides[1].rows) out.push_back(row.x);
  return out;
}

// Images of a scene by camera 2, whose pose is `pose`.
std::vector<PointPair> pairs_of(const Pose& pose, std::vector<ScenePoint>& seen) {
  Random random(7);
  std::vector<PointPair> pairs;
  for (int i = 0; i < 30; ++i) {
    const Vec3 X = {random.number(), random.number(), 6 + random.number()}, Y = times(pose.R, X);
    const double z = Y[2] + pose.t[2];
    const auto px = [&](double u, double v) {
      return std::array{500 * u + 320 + 0.3 * random.number(), 500 * v + 240};
    };
    const auto one = px(X[0] / X[2], X[1] / X[2]),
               two = px((Y[0] + pose.t[0]) / z, (Y[1] + pose.t[1]) / z);
    pairs.push_back({one[0], one[1], two[0], two[1]});
    seen.push_back({two[0], two[1], X[0], X[1], X[2]});
  }
  return pairs;
}

std::vector<double> adjusted(const Mat3& R, const Vec3& t, const std::vector<PointPair>& pairs,
                             const std::vector<ScenePoint>& seen) {
  AdjustProblem problem;
  problem.cameras = {{"PINHOLE", {500, 500, 320, 240}, {}, true}};
  problem.images = {{.cam_from_world = {}, .camera = 0, .is_constant = true},
                    {.cam_from_world = {R, t}, .camera = 0}};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    problem.points.push_back({seen[i].X, seen[i].Y, seen[i].Z});
    problem.observations.push_back({0, int(i), pairs[i].x1, pairs[i].y1});
    problem.observations.push_back({1, int(i), pairs[i].x2, pairs[i].y2});
  }
  Queue queue;
  (void)adjust(queue, problem, {.max_iterations = 2});
  const Mat3& out = problem.images[1].cam_from_world.R;
  EXPECT_LT(off(out), 1e-13);
  return {out.begin(), out.end()};
}

std::vector<Entry> entries_of(const Vec3& t, const std::vector<PointPair>& pairs,
                              const std::vector<ScenePoint>& seen) {
  const Camera camera{kCamera, {}, 640, 480};
  const auto all = [](const auto& array) {
    return std::vector<double>(array.begin(), array.end());
  };
  return {
      {"residuals: R",
       [=](const Mat3& R) {
         return residuals({R, t}, seen, kCamera);
       }},
      {"refine: R",
       [=](const Mat3& R) {
         const Refined r = refine({R, t}, seen, kCamera);
         EXPECT_LT(off(r.pose.R), 1e-14);
         return all(r.pose.R);
       }},
      {"covariance: R",
       [=](const Mat3& R) {
         return all(covariance({R, t}, seen, kCamera).pose);
       }},
      {"covariance: R",
       [=](const Mat3& R) {
         return all(covariance({R, unit(t)}, pairs, kCamera, kCamera).pose);
       }},
      {"triangulate: R",
       [=](const Mat3& R) {
         std::vector<double> z;
         for (const Vec3& X : triangulate(pairs, kCamera, kCamera, {R, t})) z.push_back(X[2]);
         return z;
       }},
      {"rectify: R",
       [=](const Mat3& R) {
         return numbers_of(rectify(camera, camera, {R, t}));
       }},
      {"rectify_polar: R",
       [=](const Mat3& R) {
         return numbers_of(rectify_polar(camera, camera, {R, t}, {}));
       }},
      {"depth_map: R",
       [=](const Mat3& R) {
         DenseMatches m;
         m.x = ImageF(640, 1, 1, 300), m.y = ImageF(640, 1, 1, 240);
         m.dx = ImageF(640, 1, 1, 1), m.dy = ImageF(640, 1, 1, 0);
         const DepthMap map = depth_map(m, kCamera, kCamera, {R, t});
         std::vector<double> z;
         for (const float depth : map.depth.pixels) z.push_back(std::isnan(depth) ? -1 : depth);
         return z;
       }},
      {"adjust: images[1].cam_from_world.R",
       [=](const Mat3& R) { return adjusted(R, t, pairs, seen); }},
      {"model_pose: R",
       [=](const Mat3& R) {
         return all(colmap::model_pose({R, t}).rotation);
       }},
  };
}

TEST(Rotations, AreCheckedByEveryFunctionThatTakesOne) {
  const Mat3 R =
      array_of(Eigen::AngleAxisd(0.1, Vector3d(1, 2, 1).normalized()).toRotationMatrix());
  const Vec3 t = {-1, 0.1, 0.05};
  std::vector<ScenePoint> seen;
  const std::vector<PointPair> pairs = pairs_of({R, t}, seen);
  for (const Entry& e : entries_of(t, pairs, seen)) {
    Mat3 near = R, large = R, mirrored = R, unknown = R;
    for (std::size_t k = 0; k < 9; ++k) near[k] += 1e-4 * ((k * 5) % 9 - 4.0) / 4;
    for (double& v : large) v *= 2;
    for (std::size_t k = 6; k < 9; ++k) mirrored[k] = -mirrored[k];
    unknown[4] = std::numeric_limits<double>::quiet_NaN();
    const std::string fault =
        e.name + " is no rotation: R R' differs from I, or its determinant from 1, by ";
    EXPECT_EQ(refusal([&] { return e.call(large); }), fault + "7, must be at most 0.001");
    EXPECT_EQ(refusal([&] { return e.call(mirrored); }), fault + "2, must be at most 0.001");
    EXPECT_EQ(refusal([&] { return e.call(unknown); }),
              e.name + " is no rotation: R is not finite");
    // Within the tolerance, the nearest rotation is used.
    const std::vector<double> of_near = e.call(near),
                              wanted = e.call(array_of(nearest(eigen_of(near))));
    ASSERT_EQ(of_near.size(), wanted.size()) << e.name;
    for (std::size_t k = 0; k < wanted.size(); ++k)
      EXPECT_NEAR(of_near[k], wanted[k], 1e-8 * (1 + std::abs(wanted[k]))) << e.name;
  }
}

}  // namespace
}  // namespace bifocal
