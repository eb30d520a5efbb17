// SPDX-License-Identifier: BSD-3-Clause
#include "linalg_accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bifocal::bench {
namespace {

using Wide = long double;

// A small dense matrix, row-major.
struct Dense {
  int rows, cols;
  std::vector<Wide> data;
  Dense(int m, int n) : rows(m), cols(n), data(static_cast<std::size_t>(m) * n) {}
  Wide& operator()(int i, int j) { return data[static_cast<std::size_t>(i) * cols + j]; }
  Wide operator()(int i, int j) const { return data[static_cast<std::size_t>(i) * cols + j]; }
  [[nodiscard]] Wide norm() const {
    Wide sum = 0;
    for (const Wide v : data) sum += v * v;
    return std::sqrt(sum);
  }
};

template <class T>
Dense matrix_of(const Matrices<T>& matrices, int b) {
  const T* const A = matrices[b % matrices.count];
  Dense D(matrices.m, matrices.n);
  for (int i = 0; i < D.rows; ++i) {
    for (int j = 0; j < D.cols; ++j) D(i, j) = A[j * D.rows + i];
  }
  return D;
}
template <class T>
Dense result_of(const std::vector<T>& data, int total, int b, int rows, int cols) {
  Dense D(rows, cols);
  for (int e = 0; e < rows * cols; ++e) {
    D.data[static_cast<std::size_t>(e)] = data[static_cast<std::size_t>(e) * total + b];
  }
  return D;
}

// The first `cols` columns of B.
Dense product(const Dense& A, const Dense& B, int cols) {
  Dense C(A.rows, cols);
  for (int i = 0; i < A.rows; ++i) {
    for (int k = 0; k < A.cols; ++k) {
      for (int j = 0; j < cols; ++j) C(i, j) += A(i, k) * B(k, j);
    }
  }
  return C;
}
// Q'Q
Dense gram(const Dense& Q) {
  Dense G(Q.cols, Q.cols);
  for (int k = 0; k < Q.rows; ++k) {
    for (int i = 0; i < Q.cols; ++i) {
      for (int j = 0; j < Q.cols; ++j) G(i, j) += Q(k, i) * Q(k, j);
    }
  }
  return G;
}
Wide off_identity(const Dense& Q) {
  Dense G = gram(Q);
  for (int i = 0; i < Q.cols; ++i) G(i, i) -= 1;
  return G.norm() / Q.rows;
}

// NaN counts as an infinite error.
void raise(double& worst, Wide value) {
  worst = std::isnan(value) ? std::numeric_limits<double>::infinity()
                            : std::max(worst, static_cast<double>(value));
}

// Number of matrices to check: about a second of long double arithmetic.
template <class T>
int number_to_check(const Matrices<T>& matrices, int total) {
  const double flops = 4.0 * matrices.m * matrices.n * matrices.n;
  return static_cast<int>(std::clamp(4e8 / flops, 8.0, static_cast<double>(std::min(total, 4000))));
}
// Index of the i-th checked matrix, evenly spaced over the batch.
int chosen(int i, int checked, int total) {
  return static_cast<int>(static_cast<long>(i) * total / checked);
}

// Sets the number of matrices to check, and counts failures over the whole batch.
template <class T>
void start(Worst& worst, const Matrices<T>& matrices, const Results<T>& results) {
  worst.checked = std::min(number_to_check(matrices, results.total), results.total);
  for (const int s : results.status) worst.failed += s != 0;
}

template <class T>
constexpr Wide ulp() {
  return std::numeric_limits<T>::epsilon();
}

}  // namespace

template <class T>
Worst svd_errors(const Matrices<T>& matrices, const Results<T>& results) {
  const int m = matrices.m, n = matrices.n, k = std::min(m, n), larger = std::max(m, n);
  Worst worst;
  start(worst, matrices, results);
  for (int c = 0; c < worst.checked; ++c) {
    const int b = chosen(c, worst.checked, results.total);
    const Dense A = matrix_of(matrices, b), V = result_of(results.V, results.total, b, n, n);
    const Dense S = result_of(results.S, results.total, b, n, 1);
    raise(worst.orthogonality, off_identity(V) / ulp<T>());
    if (results.U.empty()) {
      Dense G = gram(product(A, V, n));
      for (int i = 0; i < n; ++i) G(i, i) -= S(i, 0) * S(i, 0);
      raise(worst.ratio, G.norm() / (A.norm() * A.norm() * larger * ulp<T>()));
      continue;
    }
    const Dense U = result_of(results.U, results.total, b, m, k);
    raise(worst.orthogonality, off_identity(U) / ulp<T>());
    Dense B = product(A, V, k);
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < k; ++j) B(i, j) -= U(i, j) * S(j, 0);
    }
    raise(worst.ratio, B.norm() / (A.norm() * larger * ulp<T>()));
  }
  return worst;
}

template <class T>
Worst symmetric_errors(const Matrices<T>& matrices, const Results<T>& results) {
  const int n = matrices.n;
  Worst worst;
  start(worst, matrices, results);
  for (int c = 0; c < worst.checked; ++c) {
    const int b = chosen(c, worst.checked, results.total);
    const Dense A = matrix_of(matrices, b), V = result_of(results.V, results.total, b, n, n);
    const Dense L = result_of(results.S, results.total, b, n, 1);
    raise(worst.orthogonality, off_identity(V) / ulp<T>());
    Dense B = product(A, V, n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) B(i, j) -= V(i, j) * L(j, 0);
    }
    raise(worst.ratio, B.norm() / (A.norm() * n * ulp<T>()));
  }
  return worst;
}

template <class T>
Worst smallest_errors(const Matrices<T>& matrices, const Results<T>& results,
                      const std::vector<double>& truth) {
  const int n = matrices.n;
  Worst worst;
  start(worst, matrices, results);
  for (int c = 0; c < worst.checked; ++c) {
    const int b = chosen(c, worst.checked, results.total);
    const Dense A = matrix_of(matrices, b), x = result_of(results.V, results.total, b, n, 1);
    const Wide s = truth[static_cast<std::size_t>(b % matrices.count)];
    raise(worst.orthogonality, std::abs(x.norm() - 1) / ulp<T>());
    raise(worst.ratio, (product(A, x, 1).norm() - s) / (A.norm() * n * ulp<T>()));
  }
  return worst;
}

template <class T>
WorstPairs eigen_errors(const Matrices<T>& matrices, const Results<T>& results,
                        const std::vector<int>& real_counts) {
  const int n = matrices.n;
  WorstPairs worst;
  start(worst, matrices, results);
  for (const int count : results.counts) worst.mean_real_pairs += count;
  worst.mean_real_pairs /= results.total;
  for (int c = 0; c < worst.checked; ++c) {
    const int b = chosen(c, worst.checked, results.total);
    const int pairs = std::clamp(results.counts[static_cast<std::size_t>(b)], 0, n);
    if (!real_counts.empty()) {
      worst.wrong_counts += pairs != real_counts[static_cast<std::size_t>(b % matrices.count)];
    }
    const Dense A = matrix_of(matrices, b), V = result_of(results.V, results.total, b, n, n);
    const Dense B = product(A, V, pairs);
    const Wide norm = A.norm();
    for (int k = 0; k < pairs; ++k) {
      const Wide l = results.S[static_cast<std::size_t>(k) * results.total + b];
      Wide residual = 0, length = 0;
      for (int i = 0; i < n; ++i) {
        const Wide r = B(i, k) - l * V(i, k);
        residual += r * r, length += V(i, k) * V(i, k);
      }
      raise(worst.ratio, std::sqrt(residual) / (norm * n * ulp<T>()));
      raise(worst.orthogonality, std::abs(std::sqrt(length) - 1) / ulp<T>());
    }
  }
  return worst;
}

template Worst svd_errors(const Matrices<float>&, const Results<float>&);
template Worst svd_errors(const Matrices<double>&, const Results<double>&);
template Worst symmetric_errors(const Matrices<float>&, const Results<float>&);
template Worst symmetric_errors(const Matrices<double>&, const Results<double>&);
template Worst smallest_errors(const Matrices<float>&, const Results<float>&,
                               const std::vector<double>&);
template Worst smallest_errors(const Matrices<double>&, const Results<double>&,
                               const std::vector<double>&);
template WorstPairs eigen_errors(const Matrices<float>&, const Results<float>&,
                                 const std::vector<int>&);
template WorstPairs eigen_errors(const Matrices<double>&, const Results<double>&,
                                 const std::vector<int>&);

}  // namespace bifocal::bench
