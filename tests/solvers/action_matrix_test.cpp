// SPDX-License-Identifier: BSD-3-Clause
// The real eigenvectors of the action matrix of five points, computed by Eigen, are the solutions.
#include "linalg/action_matrices.hpp"
#include "solvers/batches.hpp"

namespace bifocal::test {
namespace {

TEST(ActionMatrix, work_space_has_the_stated_size) {
  EXPECT_EQ(10 * action_lanes<double>::lane_pitch(10), 100);
  EXPECT_EQ(action_lanes<double>::real_eigenpairs_kept(10), 163);
}

TEST(ActionMatrix, eigenvectors_are_the_products_of_the_solution) {
  std::vector<double> errors;
  for (const ActionMatrix& one : action_matrices(1000)) {
    // The coordinates of the truth in the basis of the null space, as (x, y, z, 1).
    const Eigen::Map<const Eigen::Matrix<double, 4, 9, Eigen::RowMajor>> N(one.N.data());
    const Eigen::Vector4d c = N * Eigen::Map<const Eigen::Vector<double, 9>>(one.truth.data());
    const double x = c[0] / c[3], y = c[1] / c[3], z = c[2] / c[3];
    Eigen::Vector<double, 10> b;
    b << x * x, y * y, x * y, x * z, x, y * z, y, z * z, z, 1;
    errors.push_back((one.A * b - z * b).norm() / (one.A.norm() * b.norm()));
  }
  EXPECT_LE(failure_rate("action matrix: residual at the truth", errors, 1e-9), 0.001);
}

TEST(ActionMatrix, eigenvectors_give_the_true_matrix) {
  std::vector<double> errors;
  for (const ActionMatrix& one : action_matrices(10000)) {
    const Eigen::EigenSolver<Matrix10> solver(one.A);
    errors.push_back(std::numeric_limits<double>::infinity());
    for (int k = 0; k < 10; ++k) {
      if (solver.eigenvalues()[k].imag() != 0) continue;
      const Eigen::VectorXd b = solver.eigenvectors().col(k).real();
      Matrix3 E;
      action_lanes<double>::essential_at_eigenvector(one.N.data(), b.data(), E.data());
      errors.back() = std::min(errors.back(), projective_distance(E, one.truth));
    }
  }
  EXPECT_LE(failure_rate("action matrix, eigenvectors by Eigen", errors, 1e-6), 0.001);
}

}  // namespace
}  // namespace bifocal::test
