// SPDX-License-Identifier: BSD-3-Clause
// Building blocks of the matrices of matrix_types.hpp: spectra, random factors, products.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>

#include "linalg/matrix_types.hpp"

namespace bifocal::test {

// Builds one matrix.
class MatrixMaker {
 public:
  using Matrix = Eigen::MatrixXd;
  using Vector = Eigen::VectorXd;
  MatrixMaker(int m, int n, std::uint64_t seed, Precision precision)
      : m_(m), n_(n), k_(std::min(m, n)), random_(seed), p_(precision) {}

  Matrix make(MatrixType type);

 private:
  using enum MatrixType;
  enum class Spectrum { arithmetic, geometric, clustered };

  // m x n
  Matrix diagonal(const Vector& d) const {
    Matrix A = Matrix::Zero(m_, n_);
    A.diagonal() = d;
    return A;
  }
  Matrix normal(int m, int n) {
    std::normal_distribution<double> draw;
    return Matrix::NullaryExpr(m, n, [&](Eigen::Index, Eigen::Index) { return draw(random_); });
  }
  Matrix uniform(int m, int n) {
    std::uniform_real_distribution<double> draw(-1, 1);
    return Matrix::NullaryExpr(m, n, [&](Eigen::Index, Eigen::Index) { return draw(random_); });
  }
  Matrix random_orthogonal(int n) {
    return Eigen::HouseholderQR<Matrix>(normal(n, n)).householderQ() * Matrix::Identity(n, n);
  }
  Matrix with_singular_values(const Vector& s) {
    return random_orthogonal(m_) * diagonal(s) * random_orthogonal(n_).transpose();
  }
  // Returns k numbers from 1 down to 1 / cond.
  Vector spectrum(Spectrum kind, int k, double cond) const {
    Vector d = Vector::Ones(k);
    for (int i = 1; i < k; ++i) {
      const double t = static_cast<double>(i) / (k - 1);
      d[i] = kind == Spectrum::arithmetic  ? 1 - t * (1 - 1 / cond)
             : kind == Spectrum::geometric ? std::pow(cond, -t)
                                           : 1 / cond;
    }
    return d;
  }
  Vector spectrum(Spectrum kind) const { return spectrum(kind, k_, 1 / p_.eps); }
  // Returns a spectrum with random signs: LAPACK's spectra of unsymmetric matrices.
  Vector signed_spectrum(Spectrum kind) {
    Vector d = spectrum(kind);
    for (double& v : d) v = random_() % 2 ? v : -v;
    return d;
  }
  Matrix triangle(const Vector& d) {
    Matrix T = uniform(n_, n_).triangularView<Eigen::StrictlyUpper>();
    T.diagonal() = d;
    return T;
  }
  // Block triangular: conjugate pairs a +- b i on the diagonal, a real eigenvalue if n is odd, and
  // about every third pair replaced by two real eigenvalues.
  Matrix complex_triangle() {
    Matrix T = triangle(uniform(n_, 1));
    for (int i = 0; i + 1 < n_; i += 2) {
      if (i % 6 == 4) continue;
      const double b = std::abs(uniform(1, 1)(0)) + 0.01;
      T(i + 1, i + 1) = T(i, i), T(i, i + 1) = b, T(i + 1, i) = -b;
    }
    return T;
  }
  Matrix transformed(const Matrix& T) {
    const Matrix Q = random_orthogonal(n_);
    return Q * T * Q.transpose();
  }
  // Returns X T X^-1 with X = U S V', cond(X) = 1 / sqrt(eps).
  Matrix similar(const Matrix& T) {
    const Matrix U = random_orthogonal(n_), V = random_orthogonal(n_);
    const Vector s = spectrum(Spectrum::geometric, n_, 1 / std::sqrt(p_.eps));
    const Matrix X = U * s.asDiagonal() * V.transpose();
    return X * T * (V * s.cwiseInverse().asDiagonal() * U.transpose());
  }
  static Matrix scaled_to(const Matrix& A, double largest) {
    const double now = A.cwiseAbs().maxCoeff();
    return now > 0 ? Matrix(A * (largest / now)) : A;
  }
  double huge() const { return p_.largest * p_.eps; }
  double tiny() const { return p_.smallest / p_.eps; }

  Matrix any_shape(MatrixType type);
  Matrix graded(MatrixType type);
  Matrix prescribed_values(MatrixType type);
  Matrix classical(MatrixType type);
  Matrix rank_deficient(MatrixType type);
  Matrix kahan_matrix() const;
  Matrix jordan_block_matrix();
  Matrix companion(const Vector& coefficients) const;
  Vector wilkinson_coefficients() const;
  Matrix unbalanced();
  Matrix permuted();

  int m_, n_, k_;
  std::mt19937_64 random_;
  Precision p_;
};

}  // namespace bifocal::test
