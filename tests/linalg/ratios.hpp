// SPDX-License-Identifier: BSD-3-Clause
// Error of a decomposition in units of the last place (LAPACK's test ratios). Backward stable code
// stays below a small constant for every size, precision and matrix. Ratios are computed in long
// double on a matrix scaled to about 1, so the ratio itself neither rounds nor overflows.
#pragma once

#include <complex>
#include <limits>

#include <Eigen/Dense>

namespace bifocal::test {

using Wide = long double;
using WideMatrix = Eigen::Matrix<Wide, Eigen::Dynamic, Eigen::Dynamic>;
using WideVector = Eigen::Matrix<Wide, Eigen::Dynamic, 1>;

// LAPACK's ulp.
template <class T>
constexpr double ulp_of() {
  return std::numeric_limits<T>::epsilon();
}

// Returns a power of two near 1 / max|A|; 1 for a zero matrix.
[[nodiscard]] Wide scale_of(const Eigen::MatrixXd& A);

// I - Q'Q| / (n ulp)
[[nodiscard]] double orthogonality_ratio(const Eigen::MatrixXd& Q, double ulp);

// A - U S V'| / (n |A| ulp). U: m x k, S: at least k, V: n x at least k; k = min(m, n).
[[nodiscard]] double svd_ratio(const Eigen::MatrixXd& A, const Eigen::MatrixXd& U,
                               const Eigen::VectorXd& S, const Eigen::MatrixXd& V, double ulp);

// Ratio without U: |V'A'A V - S^2| / (n |A|^2 ulp), which tests that the columns of A V are
// orthogonal with lengths S. S: n.
[[nodiscard]] double right_svd_ratio(const Eigen::MatrixXd& A, const Eigen::VectorXd& S,
                                     const Eigen::MatrixXd& V, double ulp);

// Returns whether S is descending and, if `positive`, not negative.
[[nodiscard]] bool is_descending(const Eigen::VectorXd& S, bool positive = true);

// Largest difference of two lists of singular values, / (n S[0] ulp).
[[nodiscard]] double values_ratio(const Eigen::VectorXd& S, const Eigen::VectorXd& truth,
                                  double ulp);

// (|A x| - s_min) / (n |A| ulp), x of unit length: the distance of x from the smallest
// singular vector.
[[nodiscard]] double smallest_vector_ratio(const Eigen::MatrixXd& A, const Eigen::VectorXd& x,
                                           double ulp);

// A V - V L| / (n |A| ulp), the largest of its columns. V: n x k unit eigenvectors.
[[nodiscard]] double eigen_ratio(const Eigen::MatrixXd& A, const Eigen::VectorXd& L,
                                 const Eigen::MatrixXd& V, double ulp);

// max | |v| - 1 | / ulp over the columns
[[nodiscard]] double unit_ratio(const Eigen::MatrixXd& V, double ulp);

// Tests whether l is an eigenvalue of a matrix near A: the smallest singular value of A - l I, / (n
// |A| ulp). This holds for defective matrices as well, whose eigenvalues move by far more than ulp
// |A|. It is not finer than double: about 1 for the true eigenvalues of a double matrix.
[[nodiscard]] double eigenvalue_ratio(const Eigen::MatrixXd& A, std::complex<double> l, double ulp);

// Returns eigenvalues in long double for recall, i.e. to count the certainly real eigenvalues.
[[nodiscard]] Eigen::VectorXcd reference_eigenvalues(const Eigen::MatrixXd& A);

}  // namespace bifocal::test
