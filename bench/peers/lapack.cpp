// SPDX-License-Identifier: BSD-3-Clause
// LAPACK in OpenBLAS, by its Fortran interface: column-major in place, workspaces kept, without the
// NaN checks and transpositions of LAPACKE. Opened at run time, so the program does not need the
// library to start.
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "peers.hpp"

namespace bifocal::bench {
namespace {

// nullptr: OpenBLAS was not found.
void* open_blas() {
  static void* const library = [] {
    void* const found = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (found) {
      // One thread: matrices of this size only lose by more.
      if (void* limit = dlsym(found, "openblas_set_num_threads")) {
        reinterpret_cast<void (*)(int)>(limit)(1);
      }
    }
    return found;
  }();
  return library;
}

// "OpenBLAS 0.3.21"
const std::string& library_name() {
  static const std::string name = [] {
    void* const config = open_blas() ? dlsym(open_blas(), "openblas_get_config") : nullptr;
    if (!config) return std::string("OpenBLAS");
    const std::string text = reinterpret_cast<const char* (*)()>(config)();
    return text.substr(0, text.find(' ', text.find(' ') + 1));
  }();
  return name;
}

// The routine of precision T: 's' or 'd' before its name.
template <class T, class Signature>
Signature* routine(const char* name) {
  const std::string symbol = std::string(sizeof(T) == 4 ? "s" : "d") + name + "_";
  return reinterpret_cast<Signature*>(dlsym(open_blas(), symbol.c_str()));
}

// Fortran passes the lengths of strings after the arguments, by value.
using Int = const int*;
using Char = const char*;
template <class T>
using Gesvd = void(Char, Char, Int, Int, T*, Int, T*, T*, Int, T*, Int, T*, Int, int*, size_t,
                   size_t);
template <class T>
using Gesdd = void(Char, Int, Int, T*, Int, T*, T*, Int, T*, Int, T*, Int, int*, int*, size_t);
template <class T>
using Syevd = void(Char, Char, Int, T*, Int, T*, T*, Int, int*, Int, int*, size_t, size_t);
template <class T>
using Geev = void(Char, Char, Int, T*, Int, T*, T*, T*, Int, T*, Int, T*, Int, int*, size_t,
                  size_t);
template <class T>
using Gebal = void(Char, Int, T*, Int, int*, int*, T*, int*, size_t);
template <class T>
using Gehrd = void(Int, Int, Int, T*, Int, T*, T*, Int, int*);
template <class T>
using Hseqr = void(Char, Char, Int, Int, Int, T*, Int, T*, T*, T*, Int, T*, Int, int*, size_t,
                   size_t);
template <class T>
using Hsein = void(Char, Char, Char, int*, Int, const T*, Int, T*, T*, T*, Int, T*, Int, Int, int*,
                   T*, int*, int*, int*, size_t, size_t, size_t);
template <class T>
using Ormhr = void(Char, Char, Int, Int, Int, Int, const T*, Int, const T*, T*, Int, T*, Int, int*,
                   size_t, size_t);
template <class T>
using Gebak = void(Char, Char, Int, Int, Int, const T*, Int, T*, Int, int*, size_t, size_t);

// More than the optimum of every routine at n <= 128.
constexpr int kWork = 128 * 128 * 8;

template <class T>
struct Workspace {
  std::vector<T> A = std::vector<T>(128 * 128), work = std::vector<T>(kWork);
  std::vector<int> integers = std::vector<int>(kWork);
  int info = 0;

  // LAPACK overwrites its input.
  T* copy(const PeerProblem<T>& p, int b) {
    const auto size = static_cast<std::ptrdiff_t>(p.m) * p.n;
    std::copy_n(p.A + b * size, size, A.begin());
    return A.data();
  }
};
template <class T>
Workspace<T>& workspace() {
  thread_local Workspace<T> mine;
  return mine;
}

template <class T>
void gesvd(const PeerProblem<T>& p, int begin, int end) {
  static auto* const solve = routine<T, Gesvd<T>>("gesvd");
  Workspace<T>& w = workspace<T>();
  const std::ptrdiff_t m = p.m, n = p.n, k = std::min(m, n);
  for (int b = begin; b < end; ++b) {
    T* const U = p.U ? p.U + b * m * k : w.work.data();
    solve(p.U ? "S" : "N", "A", &p.m, &p.n, w.copy(p, b), &p.m, p.S + b * k, U, &p.m,
          p.V + b * n * n, &p.n, w.work.data(), &kWork, &w.info, 1, 1);
  }
}

template <class T>
void gesdd(const PeerProblem<T>& p, int begin, int end) {
  static auto* const solve = routine<T, Gesdd<T>>("gesdd");
  Workspace<T>& w = workspace<T>();
  const std::ptrdiff_t m = p.m, n = p.n, k = std::min(m, n);
  for (int b = begin; b < end; ++b) {
    solve("A", &p.m, &p.n, w.copy(p, b), &p.m, p.S + b * k, p.U + b * m * k, &p.m, p.V + b * n * n,
          &p.n, w.work.data(), &kWork, w.integers.data(), &w.info, 1);
  }
}

template <class T>
void syevd(const PeerProblem<T>& p, int begin, int end) {
  static auto* const solve = routine<T, Syevd<T>>("syevd");
  Workspace<T>& w = workspace<T>();
  const std::ptrdiff_t n = p.n;
  for (int b = begin; b < end; ++b) {
    T* const V = p.V + b * n * n;
    std::copy_n(p.A + b * n * n, n * n, V);
    solve("V", "L", &p.n, V, &p.n, p.S + b * n, w.work.data(), &kWork, w.integers.data(), &kWork,
          &w.info, 1, 1);
  }
}

template <class T>
void geev(const PeerProblem<T>& p, int begin, int end) {
  static auto* const solve = routine<T, Geev<T>>("geev");
  Workspace<T>& w = workspace<T>();
  const std::ptrdiff_t n = p.n;
  const int one = 1;
  for (int b = begin; b < end; ++b) {
    solve("N", "V", &p.n, w.copy(p, b), &p.n, p.S + b * n, p.U + b * n, nullptr, &one,
          p.V + b * n * n, &p.n, w.work.data(), &kWork, &w.info, 1, 1);
  }
}

// Bifocal's outputs only: eigenvalues, and the vectors of real eigenvalues by inverse iteration.
template <class T>
struct RealPairs {
  Gebal<T>* gebal = routine<T, Gebal<T>>("gebal");
  Gehrd<T>* gehrd = routine<T, Gehrd<T>>("gehrd");
  Hseqr<T>* hseqr = routine<T, Hseqr<T>>("hseqr");
  Hsein<T>* hsein = routine<T, Hsein<T>>("hsein");
  Ormhr<T>* ormhr = routine<T, Ormhr<T>>("ormhr");
  Gebak<T>* gebak = routine<T, Gebak<T>>("gebak");

  // A is overwritten; columns of V: the real eigenvectors, unit length.
  void operator()(int n, T* A, T* re, T* im, T* V, Workspace<T>& w) const {
    T scale[128], tau[128];
    T* const H = w.work.data();  // the remaining part is workspace
    T* const work = H + 128 * 128;
    const int rest = kWork - 128 * 128;
    int low = 1, high = n;
    gebal("B", &n, A, &n, &low, &high, scale, &w.info, 1);
    gehrd(&n, &low, &high, A, &n, tau, work, &rest, &w.info);
    std::copy_n(A, n * n, H);
    hseqr("E", "N", &n, &low, &high, H, &n, re, im, nullptr, &n, work, &rest, &w.info, 1, 1);
    int* const selected = w.integers.data();
    for (int i = 0; i < n; ++i) selected[i] = im[i] == 0;
    int found = 0;
    hsein("R", "Q", "N", selected, &n, A, &n, re, im, nullptr, &n, V, &n, &n, &found, work,
          selected + n, selected + 2 * n, &w.info, 1, 1, 1);
    ormhr("L", "N", &n, &found, &low, &high, A, &n, tau, V, &n, work, &rest, &w.info, 1, 1);
    gebak("B", "R", &n, &low, &high, scale, &found, V, &n, &w.info, 1, 1);
    for (int k = 0; k < found; ++k) {
      T* const v = V + static_cast<std::ptrdiff_t>(k) * n;
      T sum = 0;
      for (int i = 0; i < n; ++i) sum += v[i] * v[i];
      for (int i = 0; i < n; ++i) v[i] /= std::sqrt(sum);
    }
  }
};

template <class T>
void hsein(const PeerProblem<T>& p, int begin, int end) {
  static const RealPairs<T> solve;
  Workspace<T>& w = workspace<T>();
  const std::ptrdiff_t n = p.n;
  for (int b = begin; b < end; ++b) {
    solve(p.n, w.copy(p, b), p.S + b * n, p.U + b * n, p.V + b * n * n, w);
  }
}

}  // namespace

template <class T>
int lapack_peers(PeerTask task, int, int, Peer<T>* peers) {
  if (!open_blas()) return 0;
  constexpr bool kFloat = sizeof(T) == 4;
  static const std::string in = " in " + library_name() + ", 1 thread";
  static const std::string svd = (kFloat ? "sgesvd" : "dgesvd") + in,
                           sdd = (kFloat ? "sgesdd" : "dgesdd") + in,
                           evd = (kFloat ? "ssyevd" : "dsyevd") + in,
                           eev = (kFloat ? "sgeev" : "dgeev") + in,
                           ein = (kFloat ? "shseqr + shsein" : "dhseqr + dhsein") + in;
  switch (task) {
    case PeerTask::svd_right:
      peers[0] = {"lapack_gesvd", svd.c_str(), gesvd<T>};
      return 1;
    case PeerTask::svd_both:
      peers[0] = {"lapack_gesdd", sdd.c_str(), gesdd<T>};
      peers[1] = {"lapack_gesvd", svd.c_str(), gesvd<T>};
      return 2;
    case PeerTask::symmetric:
      peers[0] = {"lapack_syevd", evd.c_str(), syevd<T>};
      return 1;
    case PeerTask::eigenpairs:
      peers[0] = {"lapack_geev", eev.c_str(), geev<T>};
      peers[1] = {"lapack_hsein", ein.c_str(), hsein<T>};
      return 2;
    case PeerTask::smallest_vector:
      return 0;
  }
  return 0;
}

template int lapack_peers<float>(PeerTask, int, int, Peer<float>*);
template int lapack_peers<double>(PeerTask, int, int, Peer<double>*);

}  // namespace bifocal::bench
