// SPDX-License-Identifier: BSD-3-Clause
// The emitted solver of the essential matrix on random scenes with their truth.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <random>

#include "lane/scalar.hpp"

namespace bifocal::test {
namespace {

template <class Real>
struct generated {
#include "lane/cpp_begin.h"

#include "math/math.lanes"

#include "linalg/linalg.lanes"

#include "generate/essential_null_space.lane.h"

#include "generate/one_sided_focal.lane.h"

#include "lane/cpp_end.h"
};

using Matrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using Vector9 = Eigen::Matrix<double, 9, 1>;
using Basis = Eigen::Matrix<double, 9, 4>;  // a matrix a column

struct Sample {
  Vector9 truth;
  Basis N;
};

// Five points before two cameras, and an orthonormal null space of their epipolar equations.
Sample make_sample(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> side(-1, 1);
  const auto vector = [&] {
    return Eigen::Vector3d(normal(random), normal(random), normal(random));
  };
  const Matrix3 R = Eigen::AngleAxisd(0.5 * side(random), vector().normalized()).toRotationMatrix();
  const Eigen::Vector3d t = vector().normalized();
  Matrix3 cross;
  cross << 0, -t[2], t[1], t[2], 0, -t[0], -t[1], t[0], 0;
  const Matrix3 E = (cross * R).normalized();
  Eigen::Matrix<double, 9, 5> equations;
  for (int i = 0; i < 5; ++i) {
    const Eigen::Vector3d X(2 * side(random), 2 * side(random), 5 + side(random));
    const Eigen::Vector3d Y = R * X + t, a = X / X[2], b = Y / Y[2];
    for (int r = 0; r < 3; ++r) equations.block<3, 1>(3 * r, i) = b[r] * a;
  }
  const Eigen::Matrix<double, 9, 9> Q = equations.householderQr().householderQ();
  return {Eigen::Map<const Vector9>(E.data()), Q.rightCols<4>()};
}

// The smaller distance of E and its opposite.
double distance(const Vector9& a, const Vector9& b) {
  return std::min((a - b).norm(), (a + b).norm());
}

TEST(GeneratedSolver, finds_the_true_essential_matrix) {
  constexpr int kSamples = 20000;
  std::mt19937_64 random(1);
  std::vector<double> errors, residuals;
  int missed = 0;
  for (int i = 0; i < kSamples; ++i) {
    const Sample sample = make_sample(random);
    double solutions[30], best = 2;
    const int count =
        static_cast<int>(generated<double>::essential_null_space(sample.N.data(), solutions));
    for (int s = 0; s < count; ++s) {
      const double* x = solutions + 3 * s;
      const Vector9 e = (sample.N * Eigen::Vector4d(x[0], x[1], x[2], 1)).normalized();
      best = std::min(best, distance(e, sample.truth));
      const Eigen::Map<const Matrix3> E(e.data());
      const Matrix3 G = E * E.transpose();
      residuals.push_back((2 * G * E - G.trace() * E).norm() + std::abs(E.determinant()));
    }
    missed += best > 1e-6;
    errors.push_back(best);
  }
  std::sort(errors.begin(), errors.end());
  std::sort(residuals.begin(), residuals.end());
  std::printf(
      "%d of %d missed; error: median %.2g, 99 %% %.2g; residual: median %.2g, 99 %% %.2g\n",
      missed, kSamples, errors[errors.size() / 2], errors[errors.size() * 99 / 100],
      residuals[residuals.size() / 2], residuals[residuals.size() * 99 / 100]);
  EXPECT_LE(missed, kSamples / 100);
  EXPECT_LE(residuals[residuals.size() / 2], 1e-12);
}

TEST(GeneratedSolver, finds_the_true_focal_length) {
  constexpr int kSamples = 10000;
  std::mt19937_64 random(2);
  std::vector<double> errors;
  int missed = 0;
  for (int i = 0; i < kSamples; ++i) {
    // A sixth equation that holds for the truth, after the focal length went into the columns.
    const Sample sample = make_sample(random);
    const double f = std::uniform_real_distribution<double>(0.5, 2)(random);
    Vector9 scale;
    scale << 1 / f, 1 / f, 1, 1 / f, 1 / f, 1, 1 / f, 1 / f, 1;
    const Vector9 F = sample.truth.cwiseProduct(scale);
    Eigen::Matrix<double, 9, 3> N;
    N.col(0) = F;
    for (int k = 1; k < 3; ++k)
      N.col(k) = sample.N.col(k).cwiseProduct(scale) + sample.N.col(0).cwiseProduct(scale);
    const Eigen::Matrix<double, 9, 9> Q = N.householderQr().householderQ();
    const Eigen::Matrix3d turn = Eigen::Quaterniond::UnitRandom().toRotationMatrix();
    const Eigen::Matrix<double, 9, 3> basis = Q.leftCols<3>() * turn;
    double solutions[27], best = 10;
    const int count = static_cast<int>(generated<double>::one_sided_focal(basis.data(), solutions));
    for (int s = 0; s < count; ++s) {
      const double* x = solutions + 3 * s;
      const Vector9 own = (basis * Eigen::Vector3d(x[0], x[1], 1)).normalized();
      best = std::min(best, distance(own, F.normalized()) + std::abs(x[2] * f * f - 1));
    }
    missed += !(best <= 1e-6);
    errors.push_back(best);
  }
  std::sort(errors.begin(), errors.end());
  std::printf("%d of %d missed; error: median %.2g, 99 %% %.2g\n", missed, kSamples,
              errors[errors.size() / 2], errors[errors.size() * 99 / 100]);
  EXPECT_LE(missed, kSamples / 100);
}

TEST(GeneratedSolver, returns_nothing_for_data_that_are_no_numbers) {
  double data[36], solutions[30];
  std::fill_n(data, 36, std::nan(""));
  EXPECT_EQ(generated<double>::essential_null_space(data, solutions), 0);
}

}  // namespace
}  // namespace bifocal::test
