// SPDX-License-Identifier: BSD-3-Clause
// Four matches between images of one camera with known vertical direction: equations of its
// solutions, possible camera orientations, and samples without a solution.
#include <Eigen/Geometry>
#include <Eigen/SVD>

#include "solvers/batches.hpp"

namespace bifocal::test {
namespace {

using Eigen::Vector3d;

constexpr MinimalSolver kSolver = MinimalSolver::relative_pose_4pt_gravity_shared_focal;
constexpr int kFirstGravity = 16, kSecondGravity = 19;

double& at(SampleBatch& batch, int row, int i) {
  return batch.samples[static_cast<std::size_t>(row) * batch.n + i];
}
double at(const SampleBatch& batch, int row, int i) {
  return batch.samples[static_cast<std::size_t>(row) * batch.n + i];
}
Vector3d gravity(const SampleBatch& batch, int row, int i) {
  return {at(batch, row, i), at(batch, row + 1, i), at(batch, row + 2, i)};
}

// Returns the rotation that takes the direction to the y axis, by Eigen.
Matrix3 levelling(const Vector3d& g) {
  return Eigen::Quaterniond::FromTwoVectors(g, Vector3d::UnitY()).toRotationMatrix();
}

TEST(Gravity, solutions_fit_the_points_and_rotate_about_the_vertical) {
  SKIP_UNLESS_BUILT(kSolver);
  const SampleBatch batch = make_samples(kSolver, 20000);
  const auto solved = solve<double>(batch);
  std::vector<double> fits, essentials, upright;
  for (int i = 0; i < batch.n; ++i) {
    const Matrix3 L1 = levelling(gravity(batch, kFirstGravity, i));
    const Matrix3 L2 = levelling(gravity(batch, kSecondGravity, i));
    for (int s = 0; s < solved.counts[i]; ++s) {
      const Matrix3 F = solved.matrix(i, s);
      const double f = solved.at(i, s, 9);
      EXPECT_NEAR(F.norm(), 1, 1e-12);
      EXPECT_GT(f, 0.05);
      EXPECT_LT(f, 50);
      double worst = 0;
      for (int p = 0; p < 4; ++p) {
        const Vector3d a(at(batch, p, i), at(batch, 4 + p, i), 1);
        const Vector3d b(at(batch, 8 + p, i), at(batch, 12 + p, i), 1);
        worst = std::max(worst, std::abs(b.dot(F * a)));
      }
      fits.push_back(worst);
      const Vector3d K(f, f, 1);
      const Matrix3 E = (L2 * K.asDiagonal() * F * K.asDiagonal() * L1.transpose()).normalized();
      const Vector3d values = Eigen::JacobiSVD<Eigen::Matrix3d>(E).singularValues();
      essentials.push_back(std::max(values[2], values[0] - values[1]));
      // [t]x R with R about the y axis.
      upright.push_back(
          std::max({std::abs(E(1, 1)), std::abs(E(0, 0) - E(2, 2)), std::abs(E(0, 2) + E(2, 0))}));
    }
  }
  EXPECT_LE(failure_rate("epipolar equations", fits, 1e-7), 0.001);
  EXPECT_LE(failure_rate("singular values of E", essentials, 1e-7), 0.0001);
  EXPECT_LE(failure_rate("turn about the vertical", upright, 1e-7), 0.0001);
}

double missed(const SampleBatch& batch, const std::string& what) {
  return failure_rate(
      what, errors_to_truth(batch, solve<double>(batch), synthetic::solution_distance(kSolver)),
      1e-6);
}

// Makes the solver's scenes with this direction of gravity in the frame of camera 1.
SampleBatch with_gravity(const Vector3d& g1, int n) {
  SampleBatch batch = make_samples(kSolver, n);
  std::mt19937_64 random(3);
  for (int i = 0; i < n; ++i) {
    synthetic::Scene scene(SceneKind::zoomed, random);
    for (int p = 0; p < 4; ++p) {
      const PointPair seen = scene.seen(scene.point());
      at(batch, p, i) = seen.x1, at(batch, 4 + p, i) = seen.y1;
      at(batch, 8 + p, i) = seen.x2, at(batch, 12 + p, i) = seen.y2;
    }
    const Vector3d g2 = matrix_of(scene.cam2_from_cam1().R) * g1;
    for (int k = 0; k < 3; ++k)
      at(batch, kFirstGravity + k, i) = g1[k], at(batch, kSecondGravity + k, i) = g2[k];
    double* truth = &batch.truth[static_cast<std::size_t>(10 * i)];
    const Mat3 F = scene.fundamental();
    std::copy(F.begin(), F.end(), truth);
    truth[9] = scene.focal_length();
  }
  return batch;
}

TEST(Gravity, the_camera_may_be_held_in_any_way) {
  SKIP_UNLESS_BUILT(kSolver);
  const Vector3d directions[] = {{0, 1, 0}, {0, -1, 0}, {1, 0, 0},         {-1, 0, 0},
                                 {0, 0, 1}, {0, 0, -1}, {0.6, -0.64, 0.48}};
  for (const Vector3d& g : directions) {
    EXPECT_LE(
        missed(with_gravity(g, 10000), fmt::format("gravity along {} {} {}", g[0], g[1], g[2])),
        0.003);
  }
}

TEST(Gravity, length_and_sign_do_not_matter) {
  SKIP_UNLESS_BUILT(kSolver);
  SampleBatch batch = make_samples(kSolver, 20000);
  for (int i = 0; i < batch.n; ++i) {
    for (int k = 0; k < 3; ++k) {
      at(batch, kFirstGravity + k, i) *= -9.81;
      at(batch, kSecondGravity + k, i) *= -0.1;
    }
  }
  EXPECT_LE(missed(batch, "gravity, of another length and sign"), 0.001);
}

template <class Edit>
int solutions_of(Edit edit) {
  SampleBatch batch = make_samples(kSolver, 1000);
  for (int i = 0; i < batch.n; ++i) edit(batch, i);
  int total = 0;
  for (const int count : solve<double>(batch).counts) total += count;
  for (const int count : solve<float>(batch).counts) total += count;
  return total;
}

TEST(Gravity, equal_points_or_no_number_have_no_solution) {
  SKIP_UNLESS_BUILT(kSolver);
  EXPECT_EQ(solutions_of([](SampleBatch& batch, int i) {
              for (const int row : {0, 4, 8, 12}) at(batch, row + 1, i) = at(batch, row, i);
            }),
            0);
  EXPECT_EQ(solutions_of([](SampleBatch& batch, int i) {
              for (const int row : {0, 4, 8, 12}) at(batch, row + 3, i) = at(batch, row + 2, i);
            }),
            0);
  for (const int row : {0, 7, kFirstGravity, kSecondGravity + 2}) {
    EXPECT_EQ(solutions_of([row](SampleBatch& batch, int i) { at(batch, row, i) = std::nan(""); }),
              0);
  }
  EXPECT_EQ(solutions_of([](SampleBatch& batch, int i) {
              for (int k = 0; k < 3; ++k) at(batch, kFirstGravity + k, i) = 0;
            }),
            0);
}

TEST(Gravity, no_motion_ends_and_stays_finite) {
  SKIP_UNLESS_BUILT(kSolver);
  SampleBatch batch = make_samples(kSolver, 1000);
  for (int i = 0; i < batch.n; ++i) {
    for (int row = 0; row < 8; ++row) at(batch, 8 + row, i) = at(batch, row, i);
    for (int k = 0; k < 3; ++k) at(batch, kSecondGravity + k, i) = at(batch, kFirstGravity + k, i);
  }
  const auto solved = solve<double>(batch);
  for (int i = 0; i < batch.n; ++i) {
    for (int s = 0; s < solved.counts[i]; ++s) {
      for (int k = 0; k < 10; ++k) ASSERT_TRUE(std::isfinite(solved.at(i, s, k)));
    }
  }
}

}  // namespace
}  // namespace bifocal::test
