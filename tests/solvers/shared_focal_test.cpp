// SPDX-License-Identifier: BSD-3-Clause
// Six matches between images of one camera: equations of its solutions, completeness of the
// solutions, and the roots of the polynomial of degree 15.
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <random>

#include "solvers/batches.hpp"
#include "solvers/lanes.hpp"

namespace bifocal::test {
namespace {

constexpr MinimalSolver kSolver = MinimalSolver::relative_pose_6pt_shared_focal;

double at(const SampleBatch& batch, int row, int i) {
  return batch.samples[static_cast<std::size_t>(row) * batch.n + i];
}

// Returns diag(f, f, 1) F diag(f, f, 1), scaled to norm 1.
Matrix3 essential_of(const Matrix3& F, double f) {
  const Eigen::Vector3d K(f, f, 1);
  return (K.asDiagonal() * F * K.asDiagonal()).normalized();
}

TEST(SharedFocal, solutions_are_essential_and_fit_the_points) {
  const SampleBatch batch = make_samples(kSolver, 20000);
  const auto solved = solve<double>(batch);
  std::vector<double> fits, essentials;
  std::array<int, 16> histogram{};
  for (int i = 0; i < batch.n; ++i) {
    ++histogram[static_cast<std::size_t>(solved.counts[i])];
    for (int s = 0; s < solved.counts[i]; ++s) {
      const Matrix3 F = solved.matrix(i, s);
      const double f = solved.at(i, s, 9);
      EXPECT_NEAR(F.norm(), 1, 1e-12);
      EXPECT_GT(f, 0.05);
      EXPECT_LT(f, 50);
      double worst = 0;
      for (int p = 0; p < 6; ++p) {
        const Eigen::Vector3d a(at(batch, p, i), at(batch, 6 + p, i), 1);
        const Eigen::Vector3d b(at(batch, 12 + p, i), at(batch, 18 + p, i), 1);
        worst = std::max(worst, std::abs(b.dot(F * a)));
      }
      fits.push_back(worst);
      const Eigen::Vector3d values =
          Eigen::JacobiSVD<Eigen::Matrix3d>(essential_of(F, f)).singularValues();
      essentials.push_back(std::max(values[2], values[0] - values[1]));
    }
  }
  fmt::print("shared focal, samples with 0, 1, ... 15 solutions: {}\n", fmt::join(histogram, " "));
  EXPECT_LE(failure_rate("epipolar equations", fits, 1e-10), 0);
  EXPECT_LE(failure_rate("singular values of E", essentials, 1e-6), 0.002);
}

// Solves the equations before the elimination of f by Gauss-Newton steps from any start,
// independently of the solver. w: F = w . N of length 1; g: log f.
struct Start {
  Eigen::Vector3d w;
  double g;
};
using Basis = Eigen::Matrix<double, 9, 3>;

Matrix3 matrix_at(const Basis& N, const Eigen::Vector3d& w) {
  const Eigen::Vector<double, 9> F = N * w;
  return Eigen::Map<const Matrix3>(F.data());
}

Eigen::Vector<double, 10> equations(const Basis& N, const Start& s) {
  const Matrix3 E = essential_of(matrix_at(N, s.w), std::exp(s.g));
  const Matrix3 EEt = E * E.transpose(), trace = 2 * EEt * E - EEt.trace() * E;
  Eigen::Vector<double, 10> r;
  r << Eigen::Map<const Eigen::Vector<double, 9>>(trace.data()), E.determinant();
  return r;
}

bool converge(const Basis& N, Start& s) {
  for (int step = 0; step < 60; ++step) {
    const Eigen::Vector<double, 10> r = equations(N, s);
    Eigen::Matrix<double, 10, 4> J;
    for (int k = 0; k < 4; ++k) {
      Start up = s, down = s;
      constexpr double kStep = 1e-6;
      (k < 3 ? up.w[k] : up.g) += kStep;
      (k < 3 ? down.w[k] : down.g) -= kStep;
      J.col(k) = (equations(N, up) - equations(N, down)) / (2 * kStep);
    }
    Eigen::CompleteOrthogonalDecomposition<Eigen::Matrix<double, 10, 4>> solver;
    solver.setThreshold(1e-7);  // the equations ignore the length of w
    Eigen::Vector4d delta = solver.compute(J).solve(-r);
    if (delta.norm() > 0.3) delta *= 0.3 / delta.norm();
    s.w = (s.w + delta.head<3>()).normalized();
    s.g += delta[3];
    if (!(std::abs(s.g) < 3)) return false;
    if (delta.norm() < 1e-11) return equations(N, s).norm() < 1e-12;
  }
  return false;
}

TEST(SharedFocal, every_solution_that_random_starts_reach_is_found) {
  const SampleBatch batch = make_samples(kSolver, 200, 7);
  const auto solved = solve<double>(batch);
  std::mt19937_64 random(9);
  std::normal_distribution<double> normal;
  int reached = 0, missed = 0;
  for (int i = 0; i < batch.n; ++i) {
    Eigen::Matrix<double, 6, 9> A;
    for (int p = 0; p < 6; ++p) {
      const Eigen::Vector3d a(at(batch, p, i), at(batch, 6 + p, i), 1);
      const Eigen::Vector3d b(at(batch, 12 + p, i), at(batch, 18 + p, i), 1);
      const Matrix3 row = b * a.transpose();
      A.row(p) = Eigen::Map<const Eigen::RowVector<double, 9>>(row.data());
    }
    const Eigen::JacobiSVD<Eigen::Matrix<double, 6, 9>> svd(A, Eigen::ComputeFullV);
    const Basis N = svd.matrixV().rightCols<3>();
    for (int trial = 0; trial < 40; ++trial) {
      Start s{Eigen::Vector3d(normal(random), normal(random), normal(random)).normalized(),
              0.5 * normal(random)};
      if (!converge(N, s)) continue;
      ++reached;
      double nearest = 1;
      for (int k = 0; k < solved.counts[i]; ++k)
        nearest =
            std::min(nearest, std::max(projective_distance(solved.matrix(i, k), matrix_at(N, s.w)),
                                       std::abs(solved.at(i, k, 9) / std::exp(s.g) - 1)));
      missed += !(nearest < 1e-5);
    }
  }
  fmt::print("shared focal: {} of {} solutions reached from random starts are not the solver's\n",
             missed, reached);
  EXPECT_GT(reached, 2000);
  EXPECT_LE(missed, reached / 100);
}

TEST(SharedFocal, six_points_on_a_plane_have_no_solution) {
  const SampleBatch batch = make_samples(kSolver, SceneKind::planar, 1000);
  const auto solved = solve<double>(batch);
  int found = 0;
  for (const int count : solved.counts) found += count;
  EXPECT_EQ(found, 0);
}

// Returns real roots as the eigenvalues of the companion matrix; false if two are within 1e-4.
bool companion_roots(const std::vector<double>& c, std::vector<double>& roots) {
  const auto n = static_cast<Eigen::Index>(c.size()) - 1;
  Eigen::MatrixXd companion = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    companion(i, n - 1) = -c[static_cast<std::size_t>(i)] / c.back();
    if (i > 0) companion(i, i - 1) = 1;
  }
  const Eigen::VectorXcd values = companion.eigenvalues();
  roots.clear();
  for (Eigen::Index i = 0; i < n; ++i) {
    if (values[i].imag() == 0) roots.push_back(values[i].real());
    for (Eigen::Index j = 0; j < i; ++j)
      if (std::abs(values[i] - values[j]) < 1e-4 * (1 + std::abs(values[i]))) return false;
  }
  std::sort(roots.begin(), roots.end());
  return true;
}

TEST(Roots, of_degree_15_are_the_real_eigenvalues_of_the_companion) {
  using L = lanes<double>;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  int decided = 0, other = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    std::vector<double> c(16), expected;
    double binomial = 1;  // coefficients whose roots are spread evenly over all angles
    for (std::size_t k = 0; k < 16; ++k) {
      c[k] = std::sqrt(binomial) * normal(random);
      binomial *= static_cast<double>(15 - k) / static_cast<double>(k + 1);
    }
    if (!companion_roots(c, expected)) continue;
    ++decided;
    double roots[15];
    const int count = static_cast<int>(L::real_roots_15(c.data(), roots));
    std::sort(roots, roots + count);
    bool same = count == static_cast<int>(expected.size());
    for (std::size_t i = 0; same && i < expected.size(); ++i)
      same = std::abs(roots[i] - expected[i]) < 1e-7 * (1 + expected[i] * expected[i]);
    other += !same;
  }
  fmt::print("degree 15: {} of {} polynomials have other roots than the companion\n", other,
             decided);
  EXPECT_GT(decided, 18000);
  EXPECT_LE(other, decided / 1000);  // three roots in a cell
}

}  // namespace
}  // namespace bifocal::test
