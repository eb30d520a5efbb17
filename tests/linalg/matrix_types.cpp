// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/matrix_types.hpp"

#include "linalg/matrix_maker.hpp"

namespace bifocal::test {

MatrixMaker::Matrix MatrixMaker::make(MatrixType type) {
  if (type < triangular_arithmetic) return any_shape(type);
  if (type < companion_random) return prescribed_values(type);
  return classical(type);
}

MatrixMaker::Matrix MatrixMaker::any_shape(MatrixType type) {
  switch (type) {
    case zero:
      return Matrix::Zero(m_, n_);
    case identity:
      return Matrix::Identity(m_, n_);
    case diagonal_arithmetic:
      return diagonal(signed_spectrum(Spectrum::arithmetic));
    case diagonal_geometric:
      return diagonal(signed_spectrum(Spectrum::geometric));
    case diagonal_clustered:
      return diagonal(signed_spectrum(Spectrum::clustered));
    case jordan: {
      Matrix J = 0.5 * Matrix::Identity(m_, n_);
      J.diagonal(1).setOnes();
      return J;
    }
    case svd_arithmetic:
      return with_singular_values(spectrum(Spectrum::arithmetic));
    case svd_geometric:
      return with_singular_values(spectrum(Spectrum::geometric));
    case svd_one_large:
      return with_singular_values(spectrum(Spectrum::clustered));
    case svd_one_small: {
      Vector s = Vector::Ones(k_);
      if (k_ > 1) s[k_ - 1] = p_.eps;
      return with_singular_values(s);
    }
    case svd_clustered:
      return with_singular_values(Vector::LinSpaced(k_, 0, k_ - 1) * p_.eps + Vector::Ones(k_));
    case rank_one:
    case rank_half:
    case duplicate_columns:
    case zero_borders:
      return rank_deficient(type);
    case graded_rows:
    case graded_columns:
    case graded_both:
      return graded(type);
    case hilbert:
      return Matrix::NullaryExpr(m_, n_, [](Eigen::Index i, Eigen::Index j) {
        return 1.0 / static_cast<double>(i + j + 1);
      });
    case kahan:
      return kahan_matrix();
    case random_uniform:
      return uniform(m_, n_);
    case near_overflow:
      return scaled_to(normal(m_, n_), huge());
    case near_underflow:
      return scaled_to(normal(m_, n_), tiny());
    default:
      return normal(m_, n_);
  }
}

MatrixMaker::Matrix MatrixMaker::rank_deficient(MatrixType type) {
  if (type == rank_one) return normal(m_, 1) * normal(1, n_);
  if (type == rank_half) {
    const int rank = (k_ + 1) / 2;
    return normal(m_, rank) * normal(rank, n_);
  }
  Matrix A = normal(m_, n_);
  if (type == duplicate_columns) {
    for (int j = 1; j < n_; j += 2) A.col(j) = A.col(j - 1);
  } else {
    A.row(0).setZero(), A.row(m_ - 1).setZero();
    A.col(0).setZero(), A.col(n_ - 1).setZero();
  }
  return A;
}

MatrixMaker::Matrix MatrixMaker::graded(MatrixType type) {
  const double cond = 1 / p_.eps;
  const Matrix A = normal(m_, n_);
  const Vector rows = spectrum(Spectrum::geometric, m_, cond);
  const Vector cols = spectrum(Spectrum::geometric, n_, cond);
  if (type == graded_rows) return rows.asDiagonal() * A;
  if (type == graded_columns) return A * cols.asDiagonal();
  return rows.cwiseSqrt().asDiagonal() * A * cols.cwiseSqrt().asDiagonal();
}

// W. Kahan, Numerical linear algebra, 1966: column pivoting does not reveal its small
// singular value.
MatrixMaker::Matrix MatrixMaker::kahan_matrix() const {
  const double s = std::sin(1.2), c = std::cos(1.2);
  Matrix A = Matrix::Zero(m_, n_);
  for (int i = 0; i < k_; ++i) {
    A(i, i) = std::pow(s, i);
    for (int j = i + 1; j < n_; ++j) A(i, j) = -c * std::pow(s, i);
  }
  return A;
}

MatrixMaker::Matrix MatrixMaker::prescribed_values(MatrixType type) {
  switch (type) {
    case triangular_arithmetic:
      return triangle(signed_spectrum(Spectrum::arithmetic));
    case triangular_geometric:
      return triangle(signed_spectrum(Spectrum::geometric));
    case triangular_clustered:
      return triangle(signed_spectrum(Spectrum::clustered));
    case schur_arithmetic:
      return transformed(triangle(signed_spectrum(Spectrum::arithmetic)));
    case schur_geometric:
      return transformed(triangle(signed_spectrum(Spectrum::geometric)));
    case schur_clustered:
      return transformed(triangle(signed_spectrum(Spectrum::clustered)));
    case schur_complex:
      return transformed(complex_triangle());
    case similar_arithmetic:
      return similar(triangle(signed_spectrum(Spectrum::arithmetic)));
    case similar_geometric:
      return similar(triangle(signed_spectrum(Spectrum::geometric)));
    case similar_clustered:
      return similar(triangle(signed_spectrum(Spectrum::clustered)));
    case similar_near_overflow:
      return scaled_to(similar(complex_triangle()), huge());
    case similar_near_underflow:
      return scaled_to(similar(complex_triangle()), tiny());
    case jordan_blocks:
      return transformed(jordan_block_matrix());
    default:
      return similar(complex_triangle());
  }
}

// Jordan blocks of sizes 1, 2, 3, .. with eigenvalues 1, -2, 3, ..
MatrixMaker::Matrix MatrixMaker::jordan_block_matrix() {
  Matrix J = Matrix::Zero(n_, n_);
  for (int start = 0, size = 1; start < n_; start += size, ++size) {
    const double value = size % 2 ? size : -size;
    for (int i = start; i < std::min(start + size, n_); ++i) {
      J(i, i) = value;
      if (i > start) J(i - 1, i) = 1;
    }
  }
  return J;
}

// Companion matrix of x^n + c[n-1] x^(n-1) + .. + c[0], with the coefficients in the first row.
MatrixMaker::Matrix MatrixMaker::companion(const Vector& c) const {
  Matrix A = Matrix::Zero(n_, n_);
  A.diagonal(-1).setOnes();
  A.row(0) = -c.reverse().transpose();
  return A;
}
MatrixMaker::Vector MatrixMaker::wilkinson_coefficients() const {
  Vector c = Vector::Zero(n_ + 1);  // c[i] of x^i, grown root by root
  c[0] = 1;
  for (int root = 1; root <= n_; ++root) {
    for (int i = root; i >= 0; --i) {
      c[i] = (i > 0 ? c[i - 1] : 0) - c[i] * static_cast<double>(root) / n_;
    }
  }
  return c.head(n_);
}

// Powers of ten up to the root of 1/eps: only balancing makes rows and columns comparable.
MatrixMaker::Matrix MatrixMaker::unbalanced() {
  const int top = static_cast<int>(-std::log10(p_.eps) / 2);
  Matrix A = normal(n_, n_);
  Vector d(n_);
  for (double& v : d) v = std::pow(10.0, static_cast<int>(random_() % (2u * top + 1)) - top);
  return d.asDiagonal() * A * d.cwiseInverse().asDiagonal();
}

MatrixMaker::Matrix MatrixMaker::permuted() {
  const Matrix T = triangle(uniform(n_, 1));
  std::vector<int> order(static_cast<std::size_t>(n_));
  for (int i = 0; i < n_; ++i) order[static_cast<std::size_t>(i)] = i;
  for (int i = n_ - 1; i > 0; --i) {  // std::shuffle differs between libraries
    std::swap(order[static_cast<std::size_t>(i)],
              order[random_() % static_cast<std::uint64_t>(i + 1)]);
  }
  return T(order, order);
}

MatrixMaker::Matrix MatrixMaker::classical(MatrixType type) {
  Matrix A = Matrix::Zero(n_, n_);
  switch (type) {
    case companion_random:
      return companion(normal(n_, 1));
    case companion_wilkinson:
      return companion(wilkinson_coefficients());
    case orthogonal:
      return random_orthogonal(n_);
    case skew_symmetric:
      A = normal(n_, n_);
      return A - A.transpose().eval();
    case symmetric:
      A = normal(n_, n_);
      return A + A.transpose().eval();
    case cyclic_permutation:
      for (int i = 0; i < n_; ++i) A((i + 1) % n_, i) = 1;
      return A;
    case badly_balanced:
      return unbalanced();
    case permuted_triangular:
      return permuted();
    case grcar:  // J. Grcar, Operator coefficient methods for linear equations, 1989
      for (int d = -1; d <= std::min(3, n_ - 1); ++d) {
        if (n_ > 1 || d == 0) A.diagonal(d).setConstant(d < 0 ? -1 : 1);
      }
      return A;
    case frank:  // W. Frank, 1958: ill-conditioned small eigenvalues
      for (int i = 0; i < n_; ++i) {
        for (int j = std::max(0, i - 1); j < n_; ++j) A(i, j) = n_ - std::max(i, j);
      }
      return A;
    default:  // P. Clement, 1959: eigenvalues n - 1, n - 3, .., 1 - n
      for (int i = 0; i + 1 < n_; ++i) A(i, i + 1) = i + 1, A(i + 1, i) = n_ - 1 - i;
      return A;
  }
}

const std::vector<MatrixTypeInfo>& matrix_types() {
  static const std::vector<MatrixTypeInfo> all = {
#define MATRIX_TYPE(name, derogatory) \
  {MatrixType::name, #name, derogatory, MatrixType::name >= MatrixType::triangular_arithmetic},
#include "linalg/matrix_types.def"
  };
  return all;
}

std::vector<MatrixTypeInfo> matrix_types_of(bool square) {
  std::vector<MatrixTypeInfo> some;
  for (const MatrixTypeInfo& info : matrix_types()) {
    if (square || !info.square) some.push_back(info);
  }
  return some;
}

const char* name_of(MatrixType type) { return matrix_types()[static_cast<std::size_t>(type)].name; }

Eigen::MatrixXd make_matrix(MatrixType type, int m, int n, std::uint64_t seed,
                            const Precision& precision) {
  // Seeds of neighbouring shapes and types must not share their random numbers.
  const std::uint64_t mixed =
      ((seed * 131 + static_cast<std::uint64_t>(type)) * 1031 + static_cast<std::uint64_t>(m)) *
          1031 +
      static_cast<std::uint64_t>(n);
  return MatrixMaker(m, n, mixed, precision).make(type);
}

}  // namespace bifocal::test
