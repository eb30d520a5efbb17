// SPDX-License-Identifier: BSD-3-Clause
// How wrong a decomposition is, in units of the last place (LAPACK's test ratios): backward stable
// code stays below a small constant, whatever the size, the precision and the matrix. Computed in
// long double, on a matrix scaled to about 1, so the ratio itself neither rounds nor overflows.
#pragma once

#include <algorithm>
#include <cmath>
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

namespace ratio_detail {
// NaN compares false: a ratio of NaN has to be seen as too large.
inline double finite(Wide v) {
  return std::isfinite(v) ? static_cast<double>(v) : std::numeric_limits<double>::infinity();
}
// A power of two near 1 / max|A|; 1 for a zero matrix.
inline Wide scale_of(const Eigen::MatrixXd& A) {
  const double top = A.size() ? A.cwiseAbs().maxCoeff() : 0;
  return top > 0 ? std::ldexp(Wide(1), -std::ilogb(top)) : Wide(1);
}
inline Wide divided(Wide error, Wide norm, Eigen::Index n, double ulp) {
  if (error == 0) return 0;
  return error /
         (std::max(norm, Wide(ulp)) * static_cast<Wide>(std::max<Eigen::Index>(n, 1)) * ulp);
}
}  // namespace ratio_detail

// |I - Q'Q| / (n ulp)
inline double orthogonality_ratio(const Eigen::MatrixXd& Q, double ulp) {
  const WideMatrix W = Q.cast<Wide>();
  const WideMatrix I = WideMatrix::Identity(Q.cols(), Q.cols());
  return ratio_detail::finite(
      ratio_detail::divided((I - W.transpose() * W).norm(), 1, Q.rows(), ulp));
}

// |A - U S V'| / (n |A| ulp). U: m x k, S: at least k, V: n x at least k; k = min(m, n).
inline double svd_ratio(const Eigen::MatrixXd& A, const Eigen::MatrixXd& U,
                        const Eigen::VectorXd& S, const Eigen::MatrixXd& V, double ulp) {
  const Wide scale = ratio_detail::scale_of(A);
  const WideMatrix W = A.cast<Wide>() * scale;
  const Eigen::Index k = std::min(A.rows(), A.cols());
  const WideVector s = S.head(k).cast<Wide>() * scale;
  const WideMatrix product =
      U.leftCols(k).cast<Wide>() * s.asDiagonal() * V.leftCols(k).cast<Wide>().transpose();
  return ratio_detail::finite(
      ratio_detail::divided((W - product).norm(), W.norm(), std::max(A.rows(), A.cols()), ulp));
}

// Without U: |V'A'A V - S^2| / (n |A|^2 ulp), columns of A V orthogonal and as long as S says. S:
// n.
inline double right_svd_ratio(const Eigen::MatrixXd& A, const Eigen::VectorXd& S,
                              const Eigen::MatrixXd& V, double ulp) {
  const Wide scale = ratio_detail::scale_of(A);
  const WideMatrix W = A.cast<Wide>() * scale;
  const WideMatrix B = W * V.cast<Wide>();
  const WideVector s = S.cast<Wide>() * scale;
  WideMatrix G = B.transpose() * B;
  G.diagonal() -= s.cwiseAbs2();
  return ratio_detail::finite(
      ratio_detail::divided(G.norm(), W.squaredNorm(), std::max(A.rows(), A.cols()), ulp));
}

// S descending and not negative?
inline bool is_descending(const Eigen::VectorXd& S, bool positive = true) {
  for (Eigen::Index i = 0; i < S.size(); ++i) {
    if (!(i == 0 ? S[i] == S[i] : S[i] <= S[i - 1])) return false;
    if (positive && !(S[i] >= 0)) return false;
  }
  return true;
}

// Largest difference of two lists of singular values, / (n S[0] ulp).
inline double values_ratio(const Eigen::VectorXd& S, const Eigen::VectorXd& truth, double ulp) {
  if (S.size() == 0) return 0;
  const Wide scale = ratio_detail::scale_of(truth);
  const WideVector s = S.cast<Wide>() * scale, t = truth.cast<Wide>() * scale;
  return ratio_detail::finite(
      ratio_detail::divided((s - t).cwiseAbs().maxCoeff(), t.cwiseAbs().maxCoeff(), S.size(), ulp));
}

// |A x| - s_min over (n |A| ulp), x of unit length: how far x is from the smallest singular vector.
inline double smallest_vector_ratio(const Eigen::MatrixXd& A, const Eigen::VectorXd& x,
                                    double ulp) {
  const Wide scale = ratio_detail::scale_of(A);
  const WideMatrix W = A.cast<Wide>() * scale;
  Wide smallest = 0;
  if (A.rows() >= A.cols()) {
    smallest = Eigen::JacobiSVD<WideMatrix>(W).singularValues()[A.cols() - 1];
  }
  const Wide excess = (W * x.cast<Wide>()).norm() - smallest;
  const Wide length = std::abs(x.cast<Wide>().norm() - 1);
  if (std::isnan(excess)) return ratio_detail::finite(excess);
  return ratio_detail::finite(
      std::max(ratio_detail::divided(std::max(excess, Wide(0)), W.norm(), A.cols(), ulp),
               ratio_detail::divided(length, 1, 1, ulp)));
}

// |A V - V L| / (n |A| ulp), the largest of its columns. V: n x k unit eigenvectors.
inline double eigen_ratio(const Eigen::MatrixXd& A, const Eigen::VectorXd& L,
                          const Eigen::MatrixXd& V, double ulp) {
  const Wide scale = ratio_detail::scale_of(A);
  const WideMatrix W = A.cast<Wide>() * scale, X = V.cast<Wide>();
  const WideVector l = L.cast<Wide>() * scale;
  Wide worst = 0;
  for (Eigen::Index k = 0; k < V.cols(); ++k) {
    const Wide r = (W * X.col(k) - X.col(k) * l[k]).norm();
    if (std::isnan(r)) return ratio_detail::finite(r);
    worst = std::max(worst, r);
  }
  return ratio_detail::finite(ratio_detail::divided(worst, W.norm(), A.rows(), ulp));
}

// max | |v| - 1 | / ulp over the columns
inline double unit_ratio(const Eigen::MatrixXd& V, double ulp) {
  Wide worst = 0;
  for (Eigen::Index k = 0; k < V.cols(); ++k) {
    const Wide off = std::abs(V.col(k).cast<Wide>().norm() - 1);
    if (std::isnan(off)) return ratio_detail::finite(off);
    worst = std::max(worst, off);
  }
  return ratio_detail::finite(worst / ulp);
}

// Is this number an eigenvalue of a matrix near A? The smallest singular value of A - l I, / (n |A|
// ulp). Right for defective matrices too, whose eigenvalues move by far more than ulp |A|. Not
// finer than double: about 1 for the true eigenvalues of a double matrix.
inline double eigenvalue_ratio(const Eigen::MatrixXd& A, std::complex<double> l, double ulp) {
  const Wide scale = ratio_detail::scale_of(A);
  const Eigen::Index n = A.rows();
  const Eigen::MatrixXd W = (A.cast<Wide>() * scale).cast<double>();
  const double re = static_cast<double>(l.real() * scale),
               im = static_cast<double>(l.imag() * scale);
  if (!std::isfinite(re) || !std::isfinite(im)) return std::numeric_limits<double>::infinity();
  // [A - re, im; -im, A - re]: its singular values are those of A - l I, each twice.
  Eigen::MatrixXd B(2 * n, 2 * n);
  const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(n, n);
  B << W - re * I, im * I, -im * I, W - re * I;
  const double smallest = Eigen::BDCSVD<Eigen::MatrixXd>(B).singularValues()[2 * n - 1];
  return ratio_detail::finite(ratio_detail::divided(smallest, W.norm(), n, ulp));
}

// Eigenvalues in long double, for recall: which are real beyond doubt, which are not.
inline Eigen::VectorXcd reference_eigenvalues(const Eigen::MatrixXd& A) {
  const Wide scale = ratio_detail::scale_of(A);
  const WideMatrix W = A.cast<Wide>() * scale;
  const Eigen::EigenSolver<WideMatrix> solver(W, false);
  Eigen::VectorXcd values(A.rows());
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    values[i] = {static_cast<double>(solver.eigenvalues()[i].real() / scale),
                 static_cast<double>(solver.eigenvalues()[i].imag() / scale)};
  }
  return values;
}

}  // namespace bifocal::test
