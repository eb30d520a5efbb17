// SPDX-License-Identifier: BSD-3-Clause
// Generated matrices have their documented properties, and the ratios separate correct from
// wrong results.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/batches.hpp"
#include "linalg/matrix_types.hpp"
#include "linalg/ratios.hpp"

namespace bifocal::test {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

template <class T>
void expect_finite_and_repeatable() {
  for (const MatrixTypeInfo& info : matrix_types()) {
    for (const int n : {1, 2, 3, 7, 20}) {
      for (const int m : {n, n + 3, std::max(1, n - 2)}) {
        if (info.square && m != n) continue;
        const Matrix A = make_matrix<T>(info.type, m, n, 5);
        ASSERT_EQ(A.rows(), m) << info.name;
        ASSERT_EQ(A.cols(), n) << info.name;
        EXPECT_TRUE(A.allFinite()) << info.name << " " << m << "x" << n;
        EXPECT_EQ(A, make_matrix<T>(info.type, m, n, 5)) << info.name;
        EXPECT_EQ(A, A.template cast<T>().template cast<double>()) << info.name;
      }
    }
  }
}

TEST(MatrixTypes, AreFiniteRepeatableAndExactInTheirPrecision) {
  expect_finite_and_repeatable<float>();
  expect_finite_and_repeatable<double>();
}

TEST(MatrixTypes, AreListedInTheOrderOfTheirNumbers) {
  for (std::size_t i = 0; i < matrix_types().size(); ++i) {
    EXPECT_EQ(matrix_types()[i].type, static_cast<MatrixType>(i));
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_STRNE(matrix_types()[i].name, matrix_types()[j].name);
    }
  }
  EXPECT_EQ(matrix_types().back().type, MatrixType::clement);
  EXPECT_EQ(matrix_types_of(true).size(), matrix_types().size());
  EXPECT_LT(matrix_types_of(false).size(), matrix_types().size());
}

TEST(MatrixTypes, HaveThePrescribedSingularValues) {
  const double eps = std::numeric_limits<double>::epsilon();
  const auto values = [](MatrixType type, int m, int n) {
    return Vector(Eigen::JacobiSVD<Matrix>(make_matrix<double>(type, m, n, 1)).singularValues());
  };
  const Vector even = values(MatrixType::svd_arithmetic, 8, 5);
  EXPECT_NEAR(even[0], 1, 1e-14);
  EXPECT_NEAR(even[2], 0.5, 1e-14);
  const Vector geometric = values(MatrixType::svd_geometric, 5, 9);
  EXPECT_NEAR(geometric[1], std::pow(eps, 0.25), 1e-14);
  EXPECT_LT(geometric[4], 4 * eps);
  const Vector small = values(MatrixType::svd_one_small, 6, 6);
  EXPECT_NEAR(small[4], 1, 1e-14);
  EXPECT_LT(small[5], 8 * eps);
  EXPECT_NEAR(values(MatrixType::svd_one_large, 6, 6)[1], 0, 1e-14);
  EXPECT_LT(values(MatrixType::rank_half, 9, 6)[3], 1e-14);
}

TEST(MatrixTypes, HaveThePrescribedEigenvalues) {
  const auto real_ones = [](MatrixType type, int n) {
    const Eigen::VectorXcd l = reference_eigenvalues(make_matrix<double>(type, n, n, 3));
    return (l.imag().array().abs() < 1e-6).count();
  };
  EXPECT_EQ(real_ones(MatrixType::schur_arithmetic, 10), 10);
  EXPECT_EQ(real_ones(MatrixType::schur_complex, 10), 2);  // the third pair is real
  EXPECT_EQ(real_ones(MatrixType::similar_complex, 10), 2);
  EXPECT_EQ(real_ones(MatrixType::companion_wilkinson, 6), 6);
  EXPECT_EQ(real_ones(MatrixType::cyclic_permutation, 6), 2);
  EXPECT_EQ(real_ones(MatrixType::skew_symmetric, 7), 1);
  EXPECT_EQ(real_ones(MatrixType::symmetric, 7), 7);
  Vector l = reference_eigenvalues(make_matrix<double>(MatrixType::clement, 5, 5, 0)).real();
  std::sort(l.begin(), l.end());
  EXPECT_NEAR((l - Vector::LinSpaced(5, -4, 4)).norm(), 0, 1e-13);
}

TEST(MatrixTypes, ReachTheEndsOfTheirPrecision) {
  EXPECT_GT(make_matrix<double>(MatrixType::near_overflow, 5, 5, 0).cwiseAbs().maxCoeff(), 1e292);
  EXPECT_LT(make_matrix<double>(MatrixType::near_underflow, 5, 5, 0).cwiseAbs().maxCoeff(), 1e-291);
  EXPECT_GT(make_matrix<float>(MatrixType::near_overflow, 5, 5, 0).cwiseAbs().maxCoeff(), 1e31);
  EXPECT_LT(make_matrix<float>(MatrixType::near_underflow, 5, 5, 0).cwiseAbs().maxCoeff(), 1e-30);
}

// Eigen's own results pass on every type, and a perturbation of 1000 ulp does not.
template <class T>
void expect_svd_ratios() {
  const double ulp = ulp_of<T>();
  for (const MatrixTypeInfo& info : matrix_types_of(false)) {
    const Matrix A = make_matrix<T>(info.type, 9, 7, 11);
    const double scale = A.isZero(0) ? 1 : std::ldexp(1, -std::ilogb(A.cwiseAbs().maxCoeff()));
    const Eigen::JacobiSVD<Matrix> svd(A * scale, Eigen::ComputeFullV | Eigen::ComputeThinU);
    Matrix U = svd.matrixU(), V = svd.matrixV();
    const Vector S = svd.singularValues() / scale;
    EXPECT_LT(svd_ratio(A, U, S, V, ulp), 5) << info.name;
    EXPECT_LT(right_svd_ratio(A, S, V, ulp), 5) << info.name;
    EXPECT_LT(orthogonality_ratio(V, ulp), 5) << info.name;
    EXPECT_LT(smallest_vector_ratio(A, V.col(6), ulp), 5) << info.name;
    EXPECT_TRUE(is_descending(S)) << info.name;
    if (A.norm() == 0) continue;
    EXPECT_GT(svd_ratio(A, U, S * (1 + 1000 * ulp), V, ulp), 20) << info.name;
    EXPECT_GT(values_ratio(S * (1 + 1000 * ulp), S, ulp), 20) << info.name;
    V.col(0) += 1000 * ulp * V.col(1);
    EXPECT_GT(orthogonality_ratio(V, ulp), 20) << info.name;
    V(0, 0) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_GT(svd_ratio(A, U, S, V, ulp), 1e30) << info.name;
    EXPECT_GT(right_svd_ratio(A, S, V, ulp), 1e30) << info.name;
    EXPECT_GT(orthogonality_ratio(V, ulp), 1e30) << info.name;
    EXPECT_GT(smallest_vector_ratio(A, V.col(0), ulp), 1e30) << info.name;
  }
}

TEST(Ratios, SeparateGoodFromBadSingularVectors) {
  expect_svd_ratios<float>();
  expect_svd_ratios<double>();
}

TEST(Ratios, SeparateGoodFromBadEigenpairs) {
  const double ulp = ulp_of<double>();
  for (const MatrixTypeInfo& info : matrix_types()) {
    const Matrix A = make_matrix<double>(info.type, 8, 8, 2);
    for (const std::complex<double> l : reference_eigenvalues(A)) {
      EXPECT_LT(eigenvalue_ratio(A, l, ulp), 5) << info.name;
    }
    if (A.norm() == 0) continue;
    EXPECT_GT(eigenvalue_ratio(A, A.norm() * 1.5, ulp), 1e10) << info.name;
    EXPECT_GT(eigenvalue_ratio(A, std::nan(""), ulp), 1e30) << info.name;
  }
  const Matrix A = make_matrix<double>(MatrixType::symmetric, 8, 8, 2);
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(A);
  Matrix V = solver.eigenvectors();
  EXPECT_LT(eigen_ratio(A, solver.eigenvalues(), V, ulp), 5);
  EXPECT_LT(unit_ratio(V, ulp), 5);
  EXPECT_GT(eigen_ratio(A, solver.eigenvalues() * (1 + 1000 * ulp), V, ulp), 20);
  EXPECT_GT(unit_ratio(V * (1 + 1000 * ulp), ulp), 500);
  V(3, 3) = std::nan("");
  EXPECT_GT(eigen_ratio(A, solver.eigenvalues(), V, ulp), 1e30);
  EXPECT_GT(unit_ratio(V, ulp), 1e30);
}

TEST(Batches, PackAndUnpackEveryLayout) {
  std::vector<Matrix> matrices;
  for (int b = 0; b < 5; ++b) {
    matrices.push_back(make_matrix<float>(MatrixType::random_normal, 4, 3, b));
  }
  for (const Layout& layout : {Layout{MatrixLayout::interleaved, 0},
                               {MatrixLayout::interleaved, 9},
                               {MatrixLayout::strided, 0},
                               {MatrixLayout::strided, 17}}) {
    const std::vector<float> data = pack<float>(matrices, layout, -7.f);
    EXPECT_EQ(data.size(), layout.extent(5, 12));
    for (int b = 0; b < 5; ++b) {
      EXPECT_EQ(unpack(data, 5, b, 4, 3, layout), matrices[static_cast<std::size_t>(b)]);
    }
  }
}

}  // namespace
}  // namespace bifocal::test
