// SPDX-License-Identifier: BSD-3-Clause
// Peers of the batched linear algebra, which compute the same results of the same matrices in the
// same precision. They take one matrix at a time, in their own best layout: column-major,
// consecutive. The interface has plain pointers and no templates of the standard library, because
// bench/peers/eigen_*.cpp are compiled for this machine's instruction set and must not share code
// with other files.
#pragma once

namespace bifocal::bench {

enum class PeerTask {
  svd_right,        // S, V
  svd_both,         // S, V, U
  smallest_vector,  // only the last column of V, into V (n numbers)
  symmetric,        // S: eigenvalues, V: eigenvectors
  eigenpairs        // S: eigenvalues (real parts; imaginary parts in U), V: right eigenvectors
};

// Matrix b is at A + b m n, its results are at S + b min(m, n), V + b n^2, U + b m min(m, n); for
// eigenpairs U has n numbers per matrix.
template <class T>
struct PeerProblem {
  const T* A;
  int m, n;
  T *S, *V, *U;
};

template <class T>
struct Peer {
  const char* key = nullptr;   // name of its time in a record: "eigen_jacobi"
  const char* name = nullptr;  // with its version and build flags
  void (*run)(const PeerProblem<T>&, int begin, int end) = nullptr;
  // A common alternative with less accurate results: shown, but never the reference.
  bool less_accurate = false;
};

// Each function writes at most `kMostPeers` peers for a task and returns their number; 0 if the
// library was not built in or is not on this machine.
inline constexpr int kMostPeers = 4;
template <class T>
int eigen_svd_peers(PeerTask task, int m, int n, Peer<T>* peers);
template <class T>
int eigen_eig_peers(PeerTask task, int m, int n, Peer<T>* peers);
// Through OpenBLAS' Fortran interface, opened at run time (libopenblas.so.0), one thread.
template <class T>
int lapack_peers(PeerTask task, int m, int n, Peer<T>* peers);

}  // namespace bifocal::bench
