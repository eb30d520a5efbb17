// SPDX-License-Identifier: BSD-3-Clause
// Singular values and vectors by Eigen.
#include "eigen.hpp"

namespace bifocal::bench {
#ifdef BIFOCAL_PEER_EIGEN
namespace {

// BDCSVD equals JacobiSVD below n = 16 and is slower than LAPACK's gesdd above.
template <class T, int M, int N>
void svd_of(const PeerProblem<T>& p, int begin, int end) {
  const int k = p.m < p.n ? p.m : p.n;
  const unsigned options = Eigen::ComputeFullV | (p.U ? Eigen::ComputeFullU : 0);
  Eigen::JacobiSVD<Mat<T, M, N>> svd(p.m, p.n, options);
  for (int b = begin; b < end; ++b) {
    svd.compute(In<T, M, N>(p.A + static_cast<long>(b) * p.m * p.n, p.m, p.n), options);
    Out<T, kDynamic, 1>(p.S + static_cast<long>(b) * k, k) = svd.singularValues();
    Out<T, N, N>(p.V + static_cast<long>(b) * p.n * p.n, p.n, p.n) = svd.matrixV();
    if (p.U) {
      Out<T, kDynamic, kDynamic>(p.U + static_cast<long>(b) * p.m * k, p.m, k) =
          svd.matrixU().leftCols(k);
    }
  }
}

// V's last column by a full SVD.
template <class T, int M, int N>
void smallest_by_svd(const PeerProblem<T>& p, int begin, int end) {
  for (int b = begin; b < end; ++b) {
    const Eigen::JacobiSVD<Mat<T, M, N>> svd(In<T, M, N>(p.A + static_cast<long>(b) * M * N),
                                             Eigen::ComputeFullV);
    Out<T, N, 1>(p.V + static_cast<long>(b) * N) = svd.matrixV().col(N - 1);
  }
}

// The null vector of an N - 1 x N matrix: the last column of Q in A' = Q R.
template <class T, int N>
void null_by_qr(const PeerProblem<T>& p, int begin, int end) {
  for (int b = begin; b < end; ++b) {
    const Eigen::HouseholderQR<Mat<T, N, N - 1>> qr(
        In<T, N - 1, N>(p.A + static_cast<long>(b) * N * (N - 1)).transpose());
    Out<T, N, 1>(p.V + static_cast<long>(b) * N) = qr.householderQ() * Mat<T, N, 1>::Unit(N - 1);
  }
}

// Eigenvector of A'A: squares the condition number.
template <class T, int M, int N>
void smallest_by_normal_equations(const PeerProblem<T>& p, int begin, int end) {
  for (int b = begin; b < end; ++b) {
    const In<T, M, N> A(p.A + static_cast<long>(b) * M * N);
    const Eigen::SelfAdjointEigenSolver<Mat<T, N, N>> solver(A.transpose() * A);
    Out<T, N, 1>(p.V + static_cast<long>(b) * N) = solver.eigenvectors().col(0);
  }
}

template <class T, int M, int N>
Peer<T> fixed_jacobi() {
  return {"eigen_jacobi", NAMED("JacobiSVD", "fixed size"), svd_of<T, M, N>};
}

template <class T>
int svd_peers(int m, int n, Peer<T>* peers) {
  if (m == n && n == 3) peers[0] = fixed_jacobi<T, 3, 3>();
  if (m == n && n == 4) peers[0] = fixed_jacobi<T, 4, 4>();
  if (m == n && n == 6) peers[0] = fixed_jacobi<T, 6, 6>();
  if (m == n && n == 9) peers[0] = fixed_jacobi<T, 9, 9>();
  if (m == 8 && n == 9) peers[0] = fixed_jacobi<T, 8, 9>();
  if (peers[0].run) return 1;
  peers[0] = {"eigen_jacobi", NAMED("JacobiSVD", "dynamic size"), svd_of<T, kDynamic, kDynamic>};
  return 1;
}

template <class T>
int smallest_peers(int m, int n, Peer<T>* peers) {
  if (m == 8 && n == 9) {
    peers[0] = {"eigen_qr", NAMED("HouseholderQR of A'", "fixed size"), null_by_qr<T, 9>};
    peers[1] = {"eigen_jacobi", NAMED("JacobiSVD", "fixed size"), smallest_by_svd<T, 8, 9>};
    return 2;
  }
  if (m != 9 || n != 9) return 0;
  peers[0] = {"eigen_jacobi", NAMED("JacobiSVD", "fixed size"), smallest_by_svd<T, 9, 9>};
  peers[1] = {"eigen_normal_equations", NAMED("SelfAdjointEigenSolver of A'A", "fixed size"),
              smallest_by_normal_equations<T, 9, 9>, true};
  return 2;
}

}  // namespace

template <class T>
int eigen_svd_peers(PeerTask task, int m, int n, Peer<T>* peers) {
  if (!has_instructions()) return 0;
  if (task == PeerTask::svd_right || task == PeerTask::svd_both) return svd_peers<T>(m, n, peers);
  return task == PeerTask::smallest_vector ? smallest_peers<T>(m, n, peers) : 0;
}

#else

template <class T>
int eigen_svd_peers(PeerTask, int, int, Peer<T>*) {
  return 0;
}
#endif

template int eigen_svd_peers<float>(PeerTask, int, int, Peer<float>*);
template int eigen_svd_peers<double>(PeerTask, int, int, Peer<double>*);

}  // namespace bifocal::bench
