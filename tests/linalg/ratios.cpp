// SPDX-License-Identifier: BSD-3-Clause
// A separate compiled unit, because Eigen's decompositions in long double take a compiler a minute.
#include "linalg/ratios.hpp"

#include <algorithm>
#include <cmath>

namespace bifocal::test {
namespace {
// A ratio of NaN must count as too large, because NaN compares false.
double finite(Wide v) {
  return std::isfinite(v) ? static_cast<double>(v) : std::numeric_limits<double>::infinity();
}
Wide divided(Wide error, Wide norm, Eigen::Index n, double ulp) {
  if (error == 0) return 0;
  return error /
         (std::max(norm, Wide(ulp)) * static_cast<Wide>(std::max<Eigen::Index>(n, 1)) * ulp);
}
}  // namespace

Wide scale_of(const Eigen::MatrixXd& A) {
  const double top = A.size() ? A.cwiseAbs().maxCoeff() : 0;
  return top > 0 ? std::ldexp(Wide(1), -std::ilogb(top)) : Wide(1);
}

double orthogonality_ratio(const Eigen::MatrixXd& Q, double ulp) {
  const WideMatrix W = Q.cast<Wide>();
  const WideMatrix I = WideMatrix::Identity(Q.cols(), Q.cols());
  return finite(divided((I - W.transpose() * W).norm(), 1, Q.rows(), ulp));
}

double svd_ratio(const Eigen::MatrixXd& A, const Eigen::MatrixXd& U, const Eigen::VectorXd& S,
                 const Eigen::MatrixXd& V, double ulp) {
  const Wide scale = scale_of(A);
  const WideMatrix W = A.cast<Wide>() * scale;
  const Eigen::Index k = std::min(A.rows(), A.cols());
  const WideVector s = S.head(k).cast<Wide>() * scale;
  const WideMatrix product =
      U.leftCols(k).cast<Wide>() * s.asDiagonal() * V.leftCols(k).cast<Wide>().transpose();
  return finite(divided((W - product).norm(), W.norm(), std::max(A.rows(), A.cols()), ulp));
}

double right_svd_ratio(const Eigen::MatrixXd& A, const Eigen::VectorXd& S, const Eigen::MatrixXd& V,
                       double ulp) {
  const Wide scale = scale_of(A);
  const WideMatrix W = A.cast<Wide>() * scale;
  const WideMatrix B = W * V.cast<Wide>();
  const WideVector s = S.cast<Wide>() * scale;
  WideMatrix G = B.transpose() * B;
  G.diagonal() -= s.cwiseAbs2();
  return finite(divided(G.norm(), W.squaredNorm(), std::max(A.rows(), A.cols()), ulp));
}

bool is_descending(const Eigen::VectorXd& S, bool positive) {
  for (Eigen::Index i = 0; i < S.size(); ++i) {
    if (!(i == 0 ? S[i] == S[i] : S[i] <= S[i - 1])) return false;
    if (positive && !(S[i] >= 0)) return false;
  }
  return true;
}

double values_ratio(const Eigen::VectorXd& S, const Eigen::VectorXd& truth, double ulp) {
  if (S.size() == 0) return 0;
  const Wide scale = scale_of(truth);
  const WideVector s = S.cast<Wide>() * scale, t = truth.cast<Wide>() * scale;
  return finite(divided((s - t).cwiseAbs().maxCoeff(), t.cwiseAbs().maxCoeff(), S.size(), ulp));
}

double smallest_vector_ratio(const Eigen::MatrixXd& A, const Eigen::VectorXd& x, double ulp) {
  const Wide scale = scale_of(A);
  const WideMatrix W = A.cast<Wide>() * scale;
  Wide smallest = 0;
  if (A.rows() >= A.cols()) {
    smallest = Eigen::JacobiSVD<WideMatrix>(W).singularValues()[A.cols() - 1];
  }
  const Wide excess = (W * x.cast<Wide>()).norm() - smallest;
  const Wide length = std::abs(x.cast<Wide>().norm() - 1);
  if (std::isnan(excess)) return finite(excess);
  return finite(std::max(divided(std::max(excess, Wide(0)), W.norm(), A.cols(), ulp),
                         divided(length, 1, 1, ulp)));
}

double eigen_ratio(const Eigen::MatrixXd& A, const Eigen::VectorXd& L, const Eigen::MatrixXd& V,
                   double ulp) {
  const Wide scale = scale_of(A);
  const WideMatrix W = A.cast<Wide>() * scale, X = V.cast<Wide>();
  const WideVector l = L.cast<Wide>() * scale;
  Wide worst = 0;
  for (Eigen::Index k = 0; k < V.cols(); ++k) {
    const Wide r = (W * X.col(k) - X.col(k) * l[k]).norm();
    if (std::isnan(r)) return finite(r);
    worst = std::max(worst, r);
  }
  return finite(divided(worst, W.norm(), A.rows(), ulp));
}

double unit_ratio(const Eigen::MatrixXd& V, double ulp) {
  Wide worst = 0;
  for (Eigen::Index k = 0; k < V.cols(); ++k) {
    const Wide off = std::abs(V.col(k).cast<Wide>().norm() - 1);
    if (std::isnan(off)) return finite(off);
    worst = std::max(worst, off);
  }
  return finite(worst / ulp);
}

double eigenvalue_ratio(const Eigen::MatrixXd& A, std::complex<double> l, double ulp) {
  const Wide scale = scale_of(A);
  const Eigen::Index n = A.rows();
  const Eigen::MatrixXd W = (A.cast<Wide>() * scale).cast<double>();
  const double re = static_cast<double>(l.real() * scale),
               im = static_cast<double>(l.imag() * scale);
  if (!std::isfinite(re) || !std::isfinite(im)) return std::numeric_limits<double>::infinity();
  const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(n, n);
  Eigen::MatrixXd B = W - re * I;
  if (im != 0) {
    // The matrix [A - re, im; -im, A - re] has the singular values of A - l I, each twice.
    B.resize(2 * n, 2 * n);
    B << W - re * I, im * I, -im * I, W - re * I;
  }
  const double smallest = Eigen::JacobiSVD<Eigen::MatrixXd, Eigen::NoQRPreconditioner>(B)
                              .singularValues()[B.rows() - 1];
  return finite(divided(smallest, W.norm(), n, ulp));
}

Eigen::VectorXcd reference_eigenvalues(const Eigen::MatrixXd& A) {
  const Wide scale = scale_of(A);
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
