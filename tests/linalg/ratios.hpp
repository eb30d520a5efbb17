// SPDX-License-Identifier: BSD-3-Clause
// How wrong a decomposition is, in units of the last place (LAPACK's test ratios): backward stable
// code stays below a small constant, whatever the size, the precision and the matrix. Computed in
// long double, on a matrix scaled to about 1, so the ratio itself neither rounds nor overflows.
#pragma once

#include <complex>
#include <limits>

#include <Eigen/Dense>

namespace bifocal::test {

using Wide = long double;
using WideMatrix = Eigen::Matrix<Wide, Eigen::Dynamic, Eigen::Dynamic>;
using WideVector = Eigen::Matrix<Wide, Eigen::Dynamic, 1>;

// What LAPACK calls ulp.
template <class T>
constexpr double ulp_of() {
  return std::numeric_limits<T>::epsilon();
}

// A power of two near 1 / max|A|; 1 for a zero matrix.
[[nodiscard]] Wide scale_of(const Eigen::MatrixXd& A);

// |I - Q'Q| / (n ulp)
[[nodiscard]] double orthogonality_ratio(const Eigen::MatrixXd& Q, double ulp);

// |A - U S V'| / (n |A| ulp). U: m x k, S: at least k, V: n x at least k; k = min(m, n).
[[nodiscard]] double svd_ratio(const Eigen::MatrixXd& A, const Eigen::MatrixXd& U,
                               const Eigen::VectorXd& S, const Eigen::MatrixXd& V, double ulp);

// Without U: |V'A'A V - S^2| / (n |A|^2 ulp), columns of A V orthogonal and as long as S says. S:
// n.
[[nodiscard]] double right_svd_ratio(const Eigen::MatrixXd& A, const Eigen::VectorXd& S,
                                     const Eigen::MatrixXd& V, double ulp);

// S descending and not negative?
[[nodiscard]] bool is_descending(const Eigen::VectorXd& S, bool positive = true);

// Largest difference of two lists of singular values, / (n S[0] ulp).
[[nodiscard]] double values_ratio(const Eigen::VectorXd& S, const Eigen::VectorXd& truth,
                                  double ulp);

// |A x| - s_min over (n |A| ulp), x of unit length: how far x is from the smallest singular vector.
[[nodiscard]] double smallest_vector_ratio(const Eigen::MatrixXd& A, const Eigen::VectorXd& x,
                                           double ulp);

// |A V - V L| / (n |A| ulp), the largest of its columns. V: n x k unit eigenvectors.
[[nodiscard]] double eigen_ratio(const Eigen::MatrixXd& A, const Eigen::VectorXd& L,
                                 const Eigen::MatrixXd& V, double ulp);

// max | |v| - 1 | / ulp over the columns
[[nodiscard]] double unit_ratio(const Eigen::MatrixXd& V, double ulp);

// Is this number an eigenvalue of a matrix near A? The smallest singular value of A - l I, / (n |A|
// ulp). Right for defective matrices too, whose eigenvalues move by far more than ulp |A|. Not
// finer than double: about 1 for the true eigenvalues of a double matrix.
[[nodiscard]] double eigenvalue_ratio(const Eigen::MatrixXd& A, std::complex<double> l, double ulp);

// Eigenvalues in long double, for recall: which are real beyond doubt, which are not.
[[nodiscard]] Eigen::VectorXcd reference_eigenvalues(const Eigen::MatrixXd& A);

}  // namespace bifocal::test
