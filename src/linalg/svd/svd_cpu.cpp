// SPDX-License-Identifier: BSD-3-Clause
// The SVD family on a CPU: one matrix per lane of a SIMD register.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linalg/svd/svd_cpu.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <utility>

#include "linalg/lanes_io-inl.h"
#include "linalg/svd/svd.hpp"

HWY_BEFORE_NAMESPACE();
namespace bifocal {
namespace HWY_NAMESPACE {
namespace {

template <class Real>
struct svd_lanes {
#include "lane/cpp_begin.h"
#include "linalg/linalg.lanes"
#include "lane/cpp_end.h"
};

// The matrices of one register: [first, first + used); lanes beyond them repeat the last one.
template <class T>
struct Register {
  using Real = simd<T>;
  using C = svd_lanes<Real>;
  using Ops = lane::ops<Real>;
  static constexpr int width = Real::width;
  const linalg::SvdWork<T>& work;
  int first, used;

  Real load(int e) const { return load_element<Real>(work.A, e, first, used); }
  void store(const linalg::View<T>& to, int e, Real v) const {
    store_element(to, e, first, used, v);
  }

  // Writes statuses; returns the mask of lanes with results.
  typename Real::mask finish(typename Real::mask finite, typename Real::mask unfinished) const {
    if (work.status) {
      T status[width];
      Ops::store(C::select(finite, C::select(unfinished, C::lane(1), C::lane(0)), C::lane(2)),
                 status);
      for (int l = 0; l < used; ++l) work.status[first + l] = static_cast<int>(status[l]);
    }
    return finite;
  }
};

// The factors that scale the matrices of a register to the range of the Jacobi methods.
template <class T>
struct Scaling {
  using R = Register<T>;
  using Real = typename R::Real;
  typename Real::mask finite;
  Real scale;

  // lower_only: only elements (i, j) with j <= i are read.
  Scaling(const R& r, bool lower_only) {
    using C = typename R::C;
    Real largest = C::lane(0), not_finite = C::lane(0);
    for (int i = 0; i < r.work.rows; ++i) {
      const int cols = lower_only ? i + 1 : r.work.cols;
      for (int j = 0; j < cols; ++j) {
        const Real a = r.load(i * r.work.cols + j);
        largest = C::fmax(largest, C::fabs(a));
        not_finite += a - a;  // NaN if a is NaN or infinite
      }
    }
    finite = not_finite == C::lane(0);
    scale = C::jacobi_scale(C::select(finite, largest, C::lane(1)));
  }
  Real load(const R& r, int e) const {
    using C = typename R::C;
    return C::select(finite, C::jacobi_scaled(r.load(e), scale), C::lane(0));
  }
};

// Allocates parts of the workspace of a thread.
template <class T>
class Workspace {
 public:
  explicit Workspace(int size) : next_(lane_workspace<simd<T>>(static_cast<std::size_t>(size))) {}
  simd<T>* take(int size) { return std::exchange(next_, next_ + size); }

 private:
  simd<T>* next_;
};

template <class T, class Body>
void for_registers(const linalg::SvdWork<T>& work, int begin, int end, Body body) {
  for (int b = begin; b < end; b += Register<T>::width)
    body(Register<T>{work, b, std::min(Register<T>::width, end - b)});
}

constexpr int kRows = 32;  // of a tall matrix, reduced together

// Computes R [n][n] of the rows x n matrices, rows > n, in B; chunk: scratch memory of kRows
// * n numbers.
template <class T>
void reduce_tall(const Register<T>& r, const Scaling<T>& scaling, simd<T>* chunk, simd<T>* B) {
  using C = typename Register<T>::C;
  const int n = r.work.cols;
  std::fill_n(B, n * n, C::lane(0));
  for (int top = 0; top < r.work.rows; top += kRows) {
    const int m = std::min(kRows, r.work.rows - top);
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) chunk[j * m + i] = scaling.load(r, (top + i) * n + j);
    }
    C::qr_append(B, chunk, m, n);
  }
}

// Loads the matrices of a register to A, column by column, or row by row if `by_rows`.
template <class T>
void load_all(const Register<T>& r, const Scaling<T>& scaling, bool by_rows, simd<T>* A) {
  const int m = r.work.rows, n = r.work.cols;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) A[by_rows ? i * n + j : j * m + i] = scaling.load(r, i * n + j);
  }
}

template <class T>
void store_columns(const Register<T>& r, typename simd<T>::mask good, const simd<T>* X, int rows,
                   int cols, const linalg::View<T>& to) {
  using C = typename Register<T>::C;
  if (!to.data) return;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j)
      r.store(to, i * cols + j, C::select(good, X[j * rows + i], C::lane_nan()));
  }
}

template <class T>
void store_values(const Register<T>& r, const Scaling<T>& scaling, typename simd<T>::mask good,
                  const simd<T>* S, int n) {
  using C = typename Register<T>::C;
  for (int i = 0; i < n; ++i)
    r.store(r.work.S, i, C::select(good, C::jacobi_unscaled(S[i], scaling.scale), C::lane_nan()));
}

template <class T>
void svd_on_target(const linalg::SvdWork<T>& work, int begin, int end) {
  using C = typename Register<T>::C;
  const int m = work.rows, n = work.cols, k = std::min(m, n), sweeps = work.max_sweeps;
  const int with_u = work.U.data ? 1 : 0;
  const bool streamed = m > n && !with_u;
  const int held = streamed ? kRows * n : m * n, u = with_u ? m * k : 0;
  Workspace<T> space(held + u + 3 * k * k + n * n + n);
  simd<T>*A = space.take(held), *U = space.take(u), *B = space.take(k * k), *W = space.take(k * k),
  *X = space.take(k * k), *V = space.take(n * n), *S = space.take(n);
  const typename C::svd_workspace own = {B, W, X};
  const typename C::svd_factors out = {S, V, U};
  for_registers(work, begin, end, [&](const Register<T>& r) {
    const Scaling<T> scaling(r, false);
    typename simd<T>::mask unfinished;
    if (streamed) {
      reduce_tall(r, scaling, A, B);
      unfinished = C::svd_square(B, n, W, S, V, nullptr, 0, sweeps);
    } else {
      load_all(r, scaling, m < n, A);
      unfinished = m < n    ? C::svd_wide(A, m, n, &own, &out, with_u, sweeps)
                   : m == n ? C::svd_square(A, n, W, S, V, U, with_u, sweeps)
                            : C::svd_tall(A, m, n, &own, &out, sweeps);
    }
    const auto good = r.finish(scaling.finite, unfinished);
    store_values(r, scaling, good, S, n);
    store_columns(r, good, V, n, n, work.V);
    store_columns(r, good, U, m, k, work.U);
  });
}

template <class T>
void smallest_vector_on_target(const linalg::SvdWork<T>& work, int begin, int end) {
  using C = typename Register<T>::C;
  constexpr int kSteps = 10;
  const int m = work.rows, n = work.cols;
  const int held = m < n ? m * n : m == n ? n * n : kRows * n;
  Workspace<T> space(held + 3 * n * n + 2 * n);
  simd<T>*A = space.take(held), *B = space.take(n * n), *W = space.take(n * n),
  *V = space.take(n * n), *S = space.take(n), *x = space.take(n);
  for_registers(work, begin, end, [&](const Register<T>& r) {
    const Scaling<T> scaling(r, false);
    auto unfinished = C::lane(1) < C::lane(0);
    if (m < n) {
      load_all(r, scaling, true, A);
      C::null_vector(A, m, n, x);
    } else {
      reduce_tall(r, scaling, A, B);
      const auto found = C::smallest_vector(B, n, x, kSteps);
      if (C::any(!found)) {
        const auto bad = C::svd_square(B, n, W, S, V, nullptr, 0, work.max_sweeps);
        for (int i = 0; i < n; ++i) x[i] = C::select(found, x[i], V[(n - 1) * n + i]);
        unfinished = bad & !found;
      }
    }
    store_columns(r, r.finish(scaling.finite, unfinished), x, n, 1, work.V);
  });
}

template <class T>
void symmetric_on_target(const linalg::SvdWork<T>& work, int begin, int end) {
  using C = typename Register<T>::C;
  const int n = work.cols, with_v = work.V.data ? 1 : 0;
  Workspace<T> space(2 * n * n + n);
  simd<T>*A = space.take(n * n), *V = space.take(n * n), *L = space.take(n);
  for_registers(work, begin, end, [&](const Register<T>& r) {
    const Scaling<T> scaling(r, true);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) A[i * n + j] = A[j * n + i] = scaling.load(r, i * n + j);
    }
    const auto unfinished = C::symmetric_jacobi(A, n, L, V, with_v, work.max_sweeps);
    const auto good = r.finish(scaling.finite, unfinished);
    store_values(r, scaling, good, L, n);
    store_columns(r, good, V, n, n, work.V);
  });
}

}  // namespace

#define BIFOCAL_SVD_ON_TARGET(name)                                          \
  void name##_f32(const linalg::SvdWork<float>& work, int begin, int end) {  \
    name##_on_target<float>(work, begin, end);                               \
  }                                                                          \
  void name##_f64(const linalg::SvdWork<double>& work, int begin, int end) { \
    name##_on_target<double>(work, begin, end);                              \
  }
BIFOCAL_SVD_ON_TARGET(svd)
BIFOCAL_SVD_ON_TARGET(smallest_vector)
BIFOCAL_SVD_ON_TARGET(symmetric)
#undef BIFOCAL_SVD_ON_TARGET

}  // namespace HWY_NAMESPACE
}  // namespace bifocal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal {
HWY_EXPORT(svd_f32);
HWY_EXPORT(svd_f64);
HWY_EXPORT(smallest_vector_f32);
HWY_EXPORT(smallest_vector_f64);
HWY_EXPORT(symmetric_f32);
HWY_EXPORT(symmetric_f64);

template <>
linalg::SvdFunctions<float> linalg::svd_functions() {
  return {&HWY_DYNAMIC_DISPATCH(svd_f32), &HWY_DYNAMIC_DISPATCH(smallest_vector_f32),
          &HWY_DYNAMIC_DISPATCH(symmetric_f32)};
}
template <>
linalg::SvdFunctions<double> linalg::svd_functions() {
  return {&HWY_DYNAMIC_DISPATCH(svd_f64), &HWY_DYNAMIC_DISPATCH(smallest_vector_f64),
          &HWY_DYNAMIC_DISPATCH(symmetric_f64)};
}
}  // namespace bifocal
#endif
