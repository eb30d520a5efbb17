// SPDX-License-Identifier: BSD-3-Clause
// Real eigenpairs on the CPU: one matrix per lane of a register.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linalg/eigen/eigen_cpu.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "lane/pair-inl.h"
#include "linalg/eigen/eigen.hpp"
#include "linalg/lanes_io-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bifocal {
namespace HWY_NAMESPACE {
namespace {

template <class Real>
struct eigen_lanes {
#include "lane/cpp_begin.h"

#include "linalg/linalg.lanes"

#include "lane/cpp_end.h"
};

template <class T>
struct EigenBatch {
  linalg::View<const T> A;
  linalg::View<T> values, vectors, residuals, real_parts, imaginary_parts;
  linalg::View<int> counts, status;
  int n, balance, max_sweeps;
};

template <class T>
T argument(const void* const* arguments, int i) {
  return *static_cast<const T*>(arguments[i]);
}

template <class T>
EigenBatch<T> batch_of(const void* const* arguments) {
  using namespace linalg;
  const int n = argument<int>(arguments, eigen_n), count = argument<int>(arguments, eigen_count);
  const auto layout = argument<int>(arguments, eigen_interleaved) != 0 ? MatrixLayout::interleaved
                                                                       : MatrixLayout::strided;
  const std::ptrdiff_t stride = argument<std::int64_t>(arguments, eigen_stride);
  const auto output = [&](int i, int size) {
    return view_of_output(argument<T*>(arguments, i), layout, stride, count, size);
  };
  const auto numbers = [&](int i) { return View<int>{argument<int*>(arguments, i), 0, 1}; };
  return {view_of_input(argument<const T*>(arguments, eigen_data), layout, stride, count, n * n),
          output(eigen_values, n),
          output(eigen_vectors, n * n),
          {argument<T*>(arguments, eigen_residuals), 0, 1},
          output(eigen_real_parts, n),
          output(eigen_imaginary_parts, n),
          numbers(eigen_counts),
          numbers(eigen_status),
          n,
          argument<int>(arguments, eigen_balance),
          argument<int>(arguments, eigen_max_sweeps)};
}

// The matrices of one register. N: n as a constant, or 0.
template <class Real, int N>
struct EigenRegister {
  using T = typename lane::traits<Real>::element;
  using L = eigen_lanes<Real>;
  using Mask = typename lane::traits<Real>::mask;
  using Int = typename lane::traits<Real>::integer;
  static constexpr int width = lane::traits<Real>::width;

  const EigenBatch<T>& batch;
  const int first, used;
  Int count{}, status{};

  [[nodiscard]] int n() const { return N != 0 ? N : batch.n; }

  void load(Real* A) const {
    for (int i = 0, e = 0; i < n(); ++i) {
      for (int j = 0; j < n(); ++j, ++e)
        A[i * L::lane_pitch(n()) + j] = load_element<Real>(batch.A, e, first, used);
    }
  }

  void store_int(const linalg::View<int>& view, Int v) const {
    if (!view.data) return;
    T numbers[width];
    lane::ops<Real>::store(static_cast<Real>(v), numbers);
    for (int l = 0; l < used; ++l) *view.at(0, first + l) = static_cast<int>(numbers[l]);
  }

  // Stores all eigenvalues; NaN in lanes without a result.
  void store_parts(Real* K, Mask good) const {
    const Real nan = L::lane_nan();
    for (int i = 0; i < n(); ++i) {
      store_element(batch.real_parts, i, first, used,
                    L::select(good, L::eigenvalue_part(K, n(), i, 0), nan));
      store_element(batch.imaginary_parts, i, first, used,
                    L::select(good, L::eigenvalue_part(K, n(), i, 1), nan));
    }
  }

  void store_pairs(Real* A, Real* K, Mask good) const {
    const Real nan = L::lane_nan();
    const int most = L::lanes_max(count);
    Real x[N != 0 ? N : linalg::kLargestEigen];
    Real worst = L::select(good, L::lane(0), nan);
    for (int e = 0; e < n(); ++e) {
      const Mask has = L::lane_int_of(e) < count;
      const Real value = e < most ? L::select(has, L::real_eigenvalue(K, n(), e), nan) : nan;
      store_element(batch.values, e, first, used, value);
      if (e < most && (batch.vectors.data || batch.residuals.data)) {
        L::real_eigenvector(A, K, n(), batch.balance, e, x);
        if (batch.residuals.data) {
          load(A);
          const Real r = L::eigenpair_residual(A, K, n(), e, x);
          worst = L::select(has & !(r <= worst), r, worst);
        }
      }
      if (batch.vectors.data) {
        for (int i = 0; i < n(); ++i)
          store_element(batch.vectors, i * n() + e, first, used,
                        e < most ? L::select(has, x[i], nan) : nan);
      }
    }
    store_element(batch.residuals, 0, first, used, worst);
  }

  void solve() {
    const auto size = static_cast<std::size_t>(n() * L::lane_pitch(n()));
    Real* A = lane_workspace<Real>(size + static_cast<std::size_t>(L::real_eigenpairs_kept(n())));
    Real* K = A + size;
    load(A);
    count = L::real_eigenvalues(A, K, n(), batch.balance, batch.max_sweeps, &status);
    store_int(batch.counts, count);
    store_int(batch.status, status);
    const Mask good = status == L::lane_int_of(0);
    if (batch.real_parts.data || batch.imaginary_parts.data) store_parts(K, good);
    store_pairs(A, K, good);
  }
};

// Frequent sizes: everything is inlined into one function, so that all addresses are constants.
template <class Real, int N, class T>
HWY_FLATTEN void solve_constant(const EigenBatch<T>& batch, int first, int used) {
  EigenRegister<Real, N>{batch, first, used}.solve();
}

template <class Real, class T>
void solve_register(const EigenBatch<T>& batch, int first, int used) {
  if (batch.n == 4) {
    solve_constant<Real, 4>(batch, first, used);
  } else if (batch.n == 10) {
    solve_constant<Real, 10>(batch, first, used);
  } else {
    EigenRegister<Real, 0>{batch, first, used}.solve();
  }
}

// Small matrices are processed two registers at a time (lane/pair-inl.h), as long as they fit into
// the first-level cache.
template <class T>
void eigen_on_target(const void* const* arguments, int begin, int end) {
  const EigenBatch<T> batch = batch_of<T>(arguments);
  const bool pairs = batch.n <= 20;
  const int width = (pairs ? 2 : 1) * simd<T>::width;
  for (int i = begin; i < end; i += width) {
    const int used = std::min(width, end - i);
    if (pairs) {
      solve_register<simd_pair<T>>(batch, i, used);
    } else {
      EigenRegister<simd<T>, 0>{batch, i, used}.solve();
    }
  }
}

}  // namespace

void eigen_f64(const void* const* arguments, int begin, int end) {
  eigen_on_target<double>(arguments, begin, end);
}
void eigen_f32(const void* const* arguments, int begin, int end) {
  eigen_on_target<float>(arguments, begin, end);
}

}  // namespace HWY_NAMESPACE
}  // namespace bifocal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal {
HWY_EXPORT(eigen_f64);
HWY_EXPORT(eigen_f32);
namespace linalg {
template <>
runtime::CpuFunction eigen_cpu_function<double>() {
  return &HWY_DYNAMIC_DISPATCH(eigen_f64);
}
template <>
runtime::CpuFunction eigen_cpu_function<float>() {
  return &HWY_DYNAMIC_DISPATCH(eigen_f32);
}
}  // namespace linalg
}  // namespace bifocal
#endif
