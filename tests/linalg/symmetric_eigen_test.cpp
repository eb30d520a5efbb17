// SPDX-License-Identifier: BSD-3-Clause
// symmetric_eigen(): residuals and orthogonality over all matrix types made symmetric.
#include "linalg/svd_batches.hpp"

namespace bifocal::test {
namespace {

template <class T>
struct Eigenpairs {
  int count = 0, n = 0;
  std::vector<T> values, vectors;
  std::vector<int> status;
  [[nodiscard]] Eigen::VectorXd L(int b) const { return unpack(values, count, b, n, 1); }
  [[nodiscard]] Eigen::MatrixXd V(int b) const { return unpack(vectors, count, b, n, n); }
};

template <class T>
Eigenpairs<T> run(const Matrices& matrices, const SvdOptions& options = {}) {
  Eigenpairs<T> out;
  out.count = static_cast<int>(matrices.size());
  out.n = static_cast<int>(matrices[0].cols());
  const std::vector<T> data = pack<T>(matrices);
  out.values.assign(static_cast<std::size_t>(out.count * out.n), T(-77));
  out.vectors.assign(static_cast<std::size_t>(out.count * out.n * out.n), T(-77));
  out.status.assign(matrices.size(), -77);
  Queue queue;
  symmetric_eigen<T>(queue, {data.data(), out.n, out.n, out.count},
                     {out.values.data(), out.vectors.data(), out.status.data()}, options);
  return out;
}

// Makes A + A', which may be indefinite, and A'A, which is positive semidefinite.
template <class T>
Matrices symmetric_types(int n, std::uint64_t seed) {
  Matrices all;
  for (const Eigen::MatrixXd& A : all_types<T>(n, n, seed)) {
    all.push_back(rounded<T>(A / 2 + A.transpose() / 2));
    const double top = A.cwiseAbs().maxCoeff();
    const Eigen::MatrixXd B = top > 0 ? Eigen::MatrixXd(A / top) : A;
    all.push_back(rounded<T>(B.transpose() * B));
  }
  return all;
}

template <class T>
void check_size(int n, double& residual, double& orthogonality) {
  const Matrices matrices = symmetric_types<T>(n, 1);
  const Eigenpairs<T> got = run<T>(matrices);
  for (int b = 0; b < got.count; ++b) {
    const Eigen::MatrixXd& A = matrices[static_cast<std::size_t>(b)];
    const double r = eigen_ratio(A, got.L(b), got.V(b), ulp_of<T>()),
                 o = orthogonality_ratio(got.V(b), ulp_of<T>());
    EXPECT_LE(std::max(r, o), 10) << precision_name<T>() << ' ' << n << " matrix " << b;
    EXPECT_TRUE(is_descending(got.L(b), false)) << n << " matrix " << b;
    EXPECT_EQ(got.status[static_cast<std::size_t>(b)], 0) << n << " matrix " << b;
    residual = std::max(residual, r);
    orthogonality = std::max(orthogonality, o);
  }
}

TEST(SymmetricEigen, IsBackwardStableForEveryTypeAndSize) {
  double residual = 0, orthogonality = 0;
  for (int n = 1; n <= 32; ++n) {
    check_size<float>(n, residual, orthogonality);
    check_size<double>(n, residual, orthogonality);
  }
  fmt::print("symmetric_eigen, n 1..32: |AV-VL| {:.2f} |I-V'V| {:.2f}\n", residual, orthogonality);
}

TEST(SymmetricEigen, IsBackwardStableOnEveryTarget) {
  for_each_target([](const std::string& target) {
    double residual = 0, orthogonality = 0;
    for (const int n : {2, 5, 9, 16}) {
      check_size<float>(n, residual, orthogonality);
      check_size<double>(n, residual, orthogonality);
    }
    fmt::print("symmetric_eigen on {}: |AV-VL| {:.2f} |I-V'V| {:.2f}\n", target, residual,
               orthogonality);
  });
}

// Positive definite matrices D B D with well-conditioned B: even the smallest eigenvalue has
// its digits.
TEST(SymmetricEigen, SmallValuesOfScaledMatricesKeepTheirDigits) {
  double worst = 0;
  for (const int n : {2, 4, 9, 16}) {
    Matrices matrices;
    for (int b = 0; b < 20; ++b) {
      const Eigen::MatrixXd G = random_matrices<double>(1, 3 * n, n, static_cast<unsigned>(b))[0];
      Eigen::VectorXd d(n);
      for (int i = 0; i < n; ++i) d[i] = std::exp2(-std::round(20.0 * ((7 * i) % n) / n));
      matrices.push_back(d.asDiagonal() * (G.transpose() * G) * d.asDiagonal());
      matrices.back() = (matrices.back() + matrices.back().transpose()) / 2;
    }
    const Eigenpairs<double> got = run<double>(matrices);
    for (int b = 0; b < got.count; ++b) {
      // The true values are computed in long double.
      const WideMatrix A = matrices[static_cast<std::size_t>(b)].cast<Wide>();
      const Eigen::SelfAdjointEigenSolver<WideMatrix> solver(A);
      const WideVector truth = solver.eigenvalues().reverse();
      for (int i = 0; i < n; ++i) {
        const double error =
            std::abs(static_cast<double>((Wide(got.L(b)[i]) - truth[i]) / truth[i]));
        const double noise = static_cast<double>(1e-19L * truth[0] / truth[i]);
        EXPECT_LE(error, 1e-14 + 10 * noise) << n << " matrix " << b << " value " << i;
        worst = std::max(worst, error - 10 * noise);
      }
    }
  }
  fmt::print("symmetric_eigen: largest relative error of a value {:.2g}\n", worst);
}

TEST(SymmetricEigen, ReadsTheLowerTriangle) {
  Matrices matrices = symmetric_types<double>(6, 3);
  const Eigenpairs<double> clean = run<double>(matrices);
  for (Eigen::MatrixXd& A : matrices) A.triangularView<Eigen::StrictlyUpper>().setConstant(NAN);
  const Eigenpairs<double> got = run<double>(matrices);
  EXPECT_EQ(clean.values, got.values);
  EXPECT_EQ(clean.vectors, got.vectors);
}

TEST(SymmetricEigen, ReportsUnsolvedMatrices) {
  Matrices matrices = symmetric_types<float>(7, 3);
  const Eigenpairs<float> clean = run<float>(matrices);
  matrices[5](6, 2) = INFINITY;
  const Eigenpairs<float> got = run<float>(matrices);
  for (int b = 0; b < got.count; ++b) {
    if (b == 5) {
      EXPECT_EQ(got.status[5], int(LinalgStatus::not_finite));
      EXPECT_TRUE(got.L(5).array().isNaN().all() && got.V(5).array().isNaN().all());
    } else {
      EXPECT_TRUE(clean.L(b) == got.L(b) && clean.V(b) == got.V(b));
    }
  }
  const Eigenpairs<float> one = run<float>(random_matrices<float>(3, 7, 7, 1), {.max_sweeps = 1});
  EXPECT_EQ(one.status, std::vector<int>(3, int(LinalgStatus::not_converged)));
}

}  // namespace
}  // namespace bifocal::test
