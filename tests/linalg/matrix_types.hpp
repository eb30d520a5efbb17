// SPDX-License-Identifier: BSD-3-Clause
// Matrices that break careless SVD and eigenvalue code: LAPACK's test types (TESTING/EIG/ddrvev.f,
// ddrvbd.f) and classical ones. The same seed gives the same matrix.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <Eigen/Dense>

namespace bifocal::test {

// Spectra: arithmetic 1 .. 1/cond evenly, geometric 1 .. 1/cond, clustered 1 and then 1/cond;
// cond = 1/eps of the tested precision unless said.
enum class MatrixType {
  // of any shape m x n
  zero,
  identity,
  diagonal_arithmetic,
  diagonal_geometric,
  diagonal_clustered,
  jordan,          // one block of eigenvalue 0.5
  svd_arithmetic,  // U S V' with random orthogonal U, V
  svd_geometric,
  svd_one_large,  // 1, then 1/cond
  svd_one_small,  // 1, the last 1/cond
  svd_clustered,  // 1 + k eps
  rank_one,
  rank_half,
  duplicate_columns,
  graded_rows,  // random, scaled by 1 .. 1/cond
  graded_columns,
  graded_both,   // random, D1 A D2 with cond(D) = sqrt(cond)
  zero_borders,  // random with zero first and last rows and columns
  hilbert,
  kahan,
  random_normal,
  random_uniform,
  near_overflow,   // random, the largest entry max eps
  near_underflow,  // random, the largest entry min / eps
  // square
  triangular_arithmetic,  // upper triangular, the spectrum on its diagonal, random above
  triangular_geometric,
  triangular_clustered,
  schur_arithmetic,  // Q T Q' of such a triangle
  schur_geometric,
  schur_clustered,
  schur_complex,       // T with 2 x 2 blocks of conjugate pairs
  similar_arithmetic,  // X T X^-1 with cond(X) = 1 / sqrt(eps)
  similar_geometric,
  similar_clustered,
  similar_complex,
  similar_near_overflow,  // similar_complex, scaled
  similar_near_underflow,
  jordan_blocks,        // Q J Q', blocks of 1, 2, 3, .. of different eigenvalues
  companion_random,     // of a monic polynomial with random coefficients
  companion_wilkinson,  // of the polynomial with roots 1/n, 2/n .. 1
  orthogonal,
  skew_symmetric,
  symmetric,
  cyclic_permutation,   // Francis' shifts stand still on it
  badly_balanced,       // D A D^-1, D powers of ten
  permuted_triangular,  // eigenvalues that only balancing's permutations isolate
  grcar,
  frank,
  clement,
};

struct MatrixTypeInfo {
  MatrixType type;
  const char* name;
  bool square;      // made for m = n only
  bool derogatory;  // has (nearly) equal eigenvalues: their vectors are not well defined
};

inline const std::vector<MatrixTypeInfo>& matrix_types() {
  using enum MatrixType;
  static const std::vector<MatrixTypeInfo> all = {
      {zero, "zero", false, true},
      {identity, "identity", false, true},
      {diagonal_arithmetic, "diagonal_arithmetic", false, false},
      {diagonal_geometric, "diagonal_geometric", false, false},
      {diagonal_clustered, "diagonal_clustered", false, true},
      {jordan, "jordan", false, true},
      {svd_arithmetic, "svd_arithmetic", false, false},
      {svd_geometric, "svd_geometric", false, false},
      {svd_one_large, "svd_one_large", false, true},
      {svd_one_small, "svd_one_small", false, false},
      {svd_clustered, "svd_clustered", false, false},
      {rank_one, "rank_one", false, true},
      {rank_half, "rank_half", false, true},
      {duplicate_columns, "duplicate_columns", false, true},
      {graded_rows, "graded_rows", false, false},
      {graded_columns, "graded_columns", false, false},
      {graded_both, "graded_both", false, false},
      {zero_borders, "zero_borders", false, true},
      {hilbert, "hilbert", false, false},
      {kahan, "kahan", false, false},
      {random_normal, "random_normal", false, false},
      {random_uniform, "random_uniform", false, false},
      {near_overflow, "near_overflow", false, false},
      {near_underflow, "near_underflow", false, false},
      {triangular_arithmetic, "triangular_arithmetic", true, false},
      {triangular_geometric, "triangular_geometric", true, false},
      {triangular_clustered, "triangular_clustered", true, true},
      {schur_arithmetic, "schur_arithmetic", true, false},
      {schur_geometric, "schur_geometric", true, false},
      {schur_clustered, "schur_clustered", true, true},
      {schur_complex, "schur_complex", true, false},
      {similar_arithmetic, "similar_arithmetic", true, false},
      {similar_geometric, "similar_geometric", true, false},
      {similar_clustered, "similar_clustered", true, true},
      {similar_complex, "similar_complex", true, false},
      {similar_near_overflow, "similar_near_overflow", true, false},
      {similar_near_underflow, "similar_near_underflow", true, false},
      {jordan_blocks, "jordan_blocks", true, true},
      {companion_random, "companion_random", true, false},
      {companion_wilkinson, "companion_wilkinson", true, false},
      {orthogonal, "orthogonal", true, false},
      {skew_symmetric, "skew_symmetric", true, false},
      {symmetric, "symmetric", true, false},
      {cyclic_permutation, "cyclic_permutation", true, false},
      {badly_balanced, "badly_balanced", true, false},
      {permuted_triangular, "permuted_triangular", true, false},
      {grcar, "grcar", true, false},
      {frank, "frank", true, false},
      {clement, "clement", true, false},
  };
  return all;
}

inline std::vector<MatrixTypeInfo> matrix_types_of(bool square) {
  std::vector<MatrixTypeInfo> some;
  for (const MatrixTypeInfo& info : matrix_types()) {
    if (square || !info.square) some.push_back(info);
  }
  return some;
}
inline const char* name_of(MatrixType type) {
  return matrix_types()[static_cast<std::size_t>(type)].name;
}

// The precision that a matrix is to be hard for.
struct Precision {
  double eps, smallest, largest;  // ulp of 1, smallest normal number, largest number
};
template <class T>
Precision precision_of() {
  using Limits = std::numeric_limits<T>;
  return {Limits::epsilon(), Limits::min(), Limits::max()};
}

// One matrix under construction.
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
  // k numbers from 1 down to 1 / cond
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
  // The same with random signs: LAPACK's spectra of unsymmetric matrices.
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
  // Block triangular: conjugate pairs a +- b i on the diagonal, and a real one where n is odd, and
  // about every third pair made of two real ones.
  Matrix complex_triangle() {
    Matrix T = triangle(uniform(n_, 1));
    for (int i = 0; i + 1 < n_; i += 2) {
      if (i % 6 == 4) continue;
      const double b = std::abs(uniform(1, 1)(0)) + 0.01;
      T(i + 1, i + 1) = T(i, i), T(i, i + 1) = b, T(i + 1, i) = -b;
    }
    return T;
  }
  Matrix turned(const Matrix& T) {
    const Matrix Q = random_orthogonal(n_);
    return Q * T * Q.transpose();
  }
  // X T X^-1 with X = U S V', cond(X) = 1 / sqrt(eps).
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

inline MatrixMaker::Matrix MatrixMaker::make(MatrixType type) {
  if (type < triangular_arithmetic) return any_shape(type);
  if (type < companion_random) return prescribed_values(type);
  return classical(type);
}

inline MatrixMaker::Matrix MatrixMaker::any_shape(MatrixType type) {
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

inline MatrixMaker::Matrix MatrixMaker::rank_deficient(MatrixType type) {
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

inline MatrixMaker::Matrix MatrixMaker::graded(MatrixType type) {
  const double cond = 1 / p_.eps;
  const Matrix A = normal(m_, n_);
  const Vector rows = spectrum(Spectrum::geometric, m_, cond);
  const Vector cols = spectrum(Spectrum::geometric, n_, cond);
  if (type == graded_rows) return rows.asDiagonal() * A;
  if (type == graded_columns) return A * cols.asDiagonal();
  return rows.cwiseSqrt().asDiagonal() * A * cols.cwiseSqrt().asDiagonal();
}

// W. Kahan, Numerical linear algebra, 1966: column pivoting does not see its small singular value.
inline MatrixMaker::Matrix MatrixMaker::kahan_matrix() const {
  const double s = std::sin(1.2), c = std::cos(1.2);
  Matrix A = Matrix::Zero(m_, n_);
  for (int i = 0; i < k_; ++i) {
    A(i, i) = std::pow(s, i);
    for (int j = i + 1; j < n_; ++j) A(i, j) = -c * std::pow(s, i);
  }
  return A;
}

inline MatrixMaker::Matrix MatrixMaker::prescribed_values(MatrixType type) {
  switch (type) {
    case triangular_arithmetic:
      return triangle(signed_spectrum(Spectrum::arithmetic));
    case triangular_geometric:
      return triangle(signed_spectrum(Spectrum::geometric));
    case triangular_clustered:
      return triangle(signed_spectrum(Spectrum::clustered));
    case schur_arithmetic:
      return turned(triangle(signed_spectrum(Spectrum::arithmetic)));
    case schur_geometric:
      return turned(triangle(signed_spectrum(Spectrum::geometric)));
    case schur_clustered:
      return turned(triangle(signed_spectrum(Spectrum::clustered)));
    case schur_complex:
      return turned(complex_triangle());
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
      return turned(jordan_block_matrix());
    default:
      return similar(complex_triangle());
  }
}

// Blocks of 1, 2, 3, .. with eigenvalues 1, -2, 3, ..
inline MatrixMaker::Matrix MatrixMaker::jordan_block_matrix() {
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

// Of x^n + c[n-1] x^(n-1) + .. + c[0]; its first row.
inline MatrixMaker::Matrix MatrixMaker::companion(const Vector& c) const {
  Matrix A = Matrix::Zero(n_, n_);
  A.diagonal(-1).setOnes();
  A.row(0) = -c.reverse().transpose();
  return A;
}
inline MatrixMaker::Vector MatrixMaker::wilkinson_coefficients() const {
  Vector c = Vector::Zero(n_ + 1);  // c[i] of x^i, grown root by root
  c[0] = 1;
  for (int root = 1; root <= n_; ++root) {
    for (int i = root; i >= 0; --i) {
      c[i] = (i > 0 ? c[i - 1] : 0) - c[i] * static_cast<double>(root) / n_;
    }
  }
  return c.head(n_);
}

// Powers of ten up to the root of 1/eps: rows and columns that only balancing makes comparable.
inline MatrixMaker::Matrix MatrixMaker::unbalanced() {
  const int top = static_cast<int>(-std::log10(p_.eps) / 2);
  Matrix A = normal(n_, n_);
  Vector d(n_);
  for (double& v : d) v = std::pow(10.0, static_cast<int>(random_() % (2u * top + 1)) - top);
  return d.asDiagonal() * A * d.cwiseInverse().asDiagonal();
}

inline MatrixMaker::Matrix MatrixMaker::permuted() {
  const Matrix T = triangle(uniform(n_, 1));
  std::vector<int> order(static_cast<std::size_t>(n_));
  for (int i = 0; i < n_; ++i) order[static_cast<std::size_t>(i)] = i;
  for (int i = n_ - 1; i > 0; --i) {  // std::shuffle differs between libraries
    std::swap(order[static_cast<std::size_t>(i)],
              order[random_() % static_cast<std::uint64_t>(i + 1)]);
  }
  return T(order, order);
}

inline MatrixMaker::Matrix MatrixMaker::classical(MatrixType type) {
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

// A matrix of this type that is hard in precision T, with entries that T represents exactly.
template <class T>
Eigen::MatrixXd make_matrix(MatrixType type, int m, int n, std::uint64_t seed) {
  // Seeds of neighbouring shapes and types are not to share their random numbers.
  const std::uint64_t mixed =
      ((seed * 131 + static_cast<std::uint64_t>(type)) * 1031 + static_cast<std::uint64_t>(m)) *
          1031 +
      static_cast<std::uint64_t>(n);
  return MatrixMaker(m, n, mixed, precision_of<T>())
      .make(type)
      .template cast<T>()
      .template cast<double>();
}

}  // namespace bifocal::test
