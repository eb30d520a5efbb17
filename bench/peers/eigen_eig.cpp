// SPDX-License-Identifier: BSD-3-Clause
// Eigenvalues and eigenvectors by Eigen.
#include "eigen.hpp"

namespace bifocal::bench {
#ifdef BIFOCAL_PEER_EIGEN
namespace {

template <class T, int N>
void symmetric_of(const PeerProblem<T>& p, int begin, int end) {
  Eigen::SelfAdjointEigenSolver<Mat<T, N, N>> solver(p.n);
  const long n = p.n;
  for (int b = begin; b < end; ++b) {
    solver.compute(In<T, N, N>(p.A + b * n * n, n, n));
    Out<T, N, 1>(p.S + b * n, n) = solver.eigenvalues();
    Out<T, N, N>(p.V + b * n * n, n, n) = solver.eigenvectors();
  }
}

template <class T, int N>
void eigenpairs_of(const PeerProblem<T>& p, int begin, int end) {
  Eigen::EigenSolver<Mat<T, N, N>> solver(p.n);
  const long n = p.n;
  for (int b = begin; b < end; ++b) {
    solver.compute(In<T, N, N>(p.A + b * n * n, n, n), true);
    Out<T, N, 1>(p.S + b * n, n) = solver.eigenvalues().real();
    Out<T, N, 1>(p.U + b * n, n) = solver.eigenvalues().imag();
    // Columns of real eigenvalues are their eigenvectors; cheaper than complex columns for all.
    Out<T, N, N>(p.V + b * n * n, n, n) = solver.pseudoEigenvectors();
  }
}

template <class T>
Peer<T> eigenpairs_peer(int n) {
  constexpr const char* kKey = "eigen_eigensolver";
  constexpr const char* kFixed = NAMED("EigenSolver", "fixed size");
  if (n == 4) return {kKey, kFixed, eigenpairs_of<T, 4>};
  if constexpr (sizeof(T) == 8) {  // the suite has no such case in float
    if (n == 6) return {kKey, kFixed, eigenpairs_of<T, 6>};
  }
  if (n == 10) return {kKey, kFixed, eigenpairs_of<T, 10>};
  return {kKey, NAMED("EigenSolver", "dynamic size"), eigenpairs_of<T, kDynamic>};
}

}  // namespace

template <class T>
int eigen_eig_peers(PeerTask task, int m, int n, Peer<T>* peers) {
  if (!has_instructions()) return 0;
  if (m != n) return 0;
  if (task == PeerTask::eigenpairs) {
    peers[0] = eigenpairs_peer<T>(n);
    return 1;
  }
  if (task != PeerTask::symmetric || n != 9) return 0;
  peers[0] = {"eigen_self_adjoint", NAMED("SelfAdjointEigenSolver", "fixed size"),
              symmetric_of<T, 9>};
  return 1;
}

#else

template <class T>
int eigen_eig_peers(PeerTask, int, int, Peer<T>*) {
  return 0;
}
#endif

template int eigen_eig_peers<float>(PeerTask, int, int, Peer<float>*);
template int eigen_eig_peers<double>(PeerTask, int, int, Peer<double>*);

}  // namespace bifocal::bench
