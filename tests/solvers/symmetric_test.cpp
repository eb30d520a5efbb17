// SPDX-License-Identifier: BSD-3-Clause
// Minimal solvers find the true solution of exactly symmetric motions and scenes: rolls by
// multiples of 90 degrees, motions along an axis, right and equilateral triangles in front of the
// camera. There, coefficients that are never zero for random samples vanish, or two solutions
// merge.
#include "solvers/batches.hpp"
#include "synthetic/random.hpp"

namespace bifocal::test {
namespace {

constexpr int kSamples = 200;
using Triangle = std::array<Vec3, 3>;  // in the frame of the camera

// Makes samples of one pose; points are 3 to 9 units deep, within 31 degrees of the axis.
SampleBatch two_view_samples(MinimalSolver solver, const Pose& pose) {
  std::mt19937_64 random(5);
  const SolverShape shape = solver_shape(solver);
  const int m = shape.sample_rows / 4;
  SampleBatch batch{solver, kSamples, std::vector<double>(shape.sample_rows * kSamples), {}};
  const Mat3 E = times(cross_matrix(pose.t), pose.R);
  for (int i = 0; i < kSamples; ++i) {
    for (int p = 0; p < m;) {
      const double z = synthetic::uniform(random, 3, 9);
      const Vec3 X = {z * synthetic::uniform(random, -0.6, 0.6),
                      z * synthetic::uniform(random, -0.6, 0.6), z};
      Vec3 Y = times(pose.R, X);
      for (int k = 0; k < 3; ++k) Y[k] += pose.t[k];
      if (Y[2] < 0.1) continue;
      const double seen[] = {X[0] / X[2], X[1] / X[2], Y[0] / Y[2], Y[1] / Y[2]};
      for (int k = 0; k < 4; ++k) batch.samples[(k * m + p) * kSamples + i] = seen[k];
      ++p;
    }
    batch.truth.insert(batch.truth.end(), E.begin(), E.end());
  }
  return batch;
}

// Makes samples of absolute poses from triangles in the frame of the camera.
template <class Draw>
SampleBatch camera_samples(const Draw& triangle) {
  std::mt19937_64 random(6);
  SampleBatch batch{MinimalSolver::p3p, kSamples, std::vector<double>(18 * kSamples), {}};
  for (int i = 0; i < kSamples; ++i) {
    const Triangle seen = triangle(random);
    const Pose pose{synthetic::rotation_about(synthetic::random_direction(random),
                                              synthetic::uniform(random, 0, 3)),
                    {0.3, -0.2, 0.5}};
    for (int p = 0; p < 3; ++p) {
      Vec3 X = seen[p];
      for (int k = 0; k < 3; ++k) X[k] -= pose.t[k];
      X = times(transposed(pose.R), X);
      for (int k = 0; k < 3; ++k) {
        batch.samples[(3 * p + k) * kSamples + i] = seen[p][k] / norm(seen[p]);
        batch.samples[(9 + 3 * p + k) * kSamples + i] = X[k];
      }
    }
    batch.truth.insert(batch.truth.end(), pose.R.begin(), pose.R.end());
    batch.truth.insert(batch.truth.end(), pose.t.begin(), pose.t.end());
  }
  return batch;
}

// Expects that at most these fractions of the samples miss the truth in double and in float.
void expect_found(const std::string& name, const SampleBatch& batch, double missed_f64,
                  double missed_f32, double limit_f64 = 1e-6) {
  const auto distance = synthetic::solution_distance(batch.solver);
  const auto f64 = errors_to_truth(batch, solve<double>(batch), distance);
  EXPECT_LE(failure_rate(name + " f64", f64, limit_f64), missed_f64);
  const auto f32 = errors_to_truth(batch, solve<float>(batch), distance);
  EXPECT_LE(failure_rate(name + " f32", f32, 5e-2), missed_f32);
}

const Mat3 kRolls[] = {{1, 0, 0, 0, 1, 0, 0, 0, 1},    // 0 degrees
                       {0, -1, 0, 1, 0, 0, 0, 0, 1},   // 90
                       {-1, 0, 0, 0, -1, 0, 0, 0, 1},  // 180
                       {0, 1, 0, -1, 0, 0, 0, 0, 1}};  // 270
const Vec3 kAxes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

TEST(Symmetric, five_points_determine_rolled_motions_along_an_axis) {
  for (const MinimalSolver solver :
       {MinimalSolver::essential_5pt, MinimalSolver::essential_5pt_action}) {
    const bool is_action = solver == MinimalSolver::essential_5pt_action;
    for (int roll = 0; roll < 4; ++roll) {
      for (int axis = 0; axis < 3; ++axis) {
        const std::string name =
            fmt::format("{} roll {} t {}", is_action ? "action" : "5pt", 90 * roll, axis);
        expect_found(name, two_view_samples(solver, {kRolls[roll], kAxes[axis]}),
                     is_action ? 0.01 : 0.04, 0.4);
      }
    }
  }
}

TEST(Symmetric, three_points_determine_upright_motions_along_an_axis) {
  for (const double yaw : {0.0, 0.3, 0.785398163397448}) {
    for (int axis = 0; axis < 3; ++axis) {
      const Pose pose{synthetic::rotation_about({0, 1, 0}, yaw), kAxes[axis]};
      expect_found(fmt::format("upright yaw {:.2f} t {}", yaw, axis),
                   two_view_samples(MinimalSolver::essential_upright_3pt, pose), 0.01, 0.06);
    }
  }
}

// A camera above the right angle is on the danger cylinder: two solutions merge, which halves the
// digits.
TEST(Symmetric, the_camera_above_the_right_angle_of_a_triangle_is_found) {
  expect_found("right angle", camera_samples([](std::mt19937_64& random) {
                 const double z = synthetic::uniform(random, 3, 9);
                 return Triangle{{{0, 0, z},
                                  {synthetic::uniform(random, 0.3, 2), 0, z},
                                  {0, synthetic::uniform(random, 0.3, 2), z}}};
               }),
               0.02, 0.1, 1e-4);
}

TEST(Symmetric, cameras_above_symmetric_triangles_are_found) {
  const double s = std::sqrt(0.75);
  expect_found("equilateral", camera_samples([s](std::mt19937_64& random) {
                 const double z = synthetic::uniform(random, 3, 9);
                 return Triangle{{{1, 0, z}, {-0.5, s, z}, {-0.5, -s, z}}};
               }),
               0, 0);
  expect_found("corner of a cube", camera_samples([](std::mt19937_64& random) {
                 const double z = std::floor(synthetic::uniform(random, 1, 9));
                 return Triangle{{{z, 0, 0}, {0, z, 0}, {0, 0, z}}};
               }),
               0, 0);
  expect_found("three corners of a square", camera_samples([](std::mt19937_64& random) {
                 const double z = synthetic::uniform(random, 3, 9);
                 return Triangle{{{1, 1, z}, {-1, 1, z}, {1, -1, z}}};
               }),
               0, 0);
}

TEST(Symmetric, a_homography_of_huge_points_is_finite_or_not_found) {
  for (const double scale : {1e-100, 1e-20, 1e10, 1e20, 1e60, 1e150, 1e200}) {
    SampleBatch batch = make_samples(MinimalSolver::homography_4pt, 100);
    for (double& v : batch.samples) v *= scale;
    const auto solved = solve<double>(batch);
    for (int i = 0; i < batch.n; ++i) {
      for (int k = 0; k < 9 && solved.counts[i] > 0; ++k)
        EXPECT_TRUE(std::isfinite(solved.at(i, 0, k))) << scale;
      if (solved.counts[i] > 0) EXPECT_NEAR(solved.matrix(i, 0).norm(), 1, 1e-9) << scale;
    }
  }
}

}  // namespace
}  // namespace bifocal::test
