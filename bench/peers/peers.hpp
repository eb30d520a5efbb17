// SPDX-License-Identifier: BSD-3-Clause
// Peers of the batched linear algebra, asked for the same results on the same matrices in the same
// precision. They take one matrix at a time, in their own best layout: column-major, one behind the
// other. Plain pointers, no templates of the standard library: bench/peers/eigen_*.cpp are
// compiled for this machine's instruction set, and nothing of them may be shared with other files.
#pragma once

namespace bifocal::bench {

enum class PeerTask {
  svd_right,        // S, V
  svd_both,         // S, V, U
  smallest_vector,  // the last column of V alone, into V (n numbers)
  symmetric,        // S: eigenvalues, V: eigenvectors
  eigenpairs        // S: eigenvalues (real parts; imaginary parts in U), V: right eigenvectors
};

// Matrix b at A + b m n, its results at S + b min(m, n), V + b n^2, U + b m min(m, n); of
// eigenpairs U is n numbers a matrix.
template <class T>
struct PeerProblem {
  const T* A;
  int m, n;
  T *S, *V, *U;
};

template <class T>
struct Peer {
  const char* key = nullptr;   // of its time in a record: "eigen_jacobi"
  const char* name = nullptr;  // with its version and how it was built
  void (*run)(const PeerProblem<T>&, int begin, int end) = nullptr;
  // Something that people do instead, but whose results are less accurate: shown, never the
  // reference.
  bool less_accurate = false;
};

// Each writes at most `kMostPeers` peers for a task and returns how many; 0 where it was not built
// in or is not on this machine.
inline constexpr int kMostPeers = 4;
template <class T>
int eigen_svd_peers(PeerTask task, int m, int n, Peer<T>* peers);
template <class T>
int eigen_eig_peers(PeerTask task, int m, int n, Peer<T>* peers);
// Through OpenBLAS' Fortran interface, looked for at run time (libopenblas.so.0), one thread.
template <class T>
int lapack_peers(PeerTask task, int m, int n, Peer<T>* peers);

}  // namespace bifocal::bench
