// SPDX-License-Identifier: BSD-3-Clause
#include "adjust/cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "runtime/cancel.hpp"
#include "runtime/integers.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::adjustment {
namespace {

constexpr int kBlock = 48;

// Factorises the diagonal block of rows [from, to). Returns the row that fails, or `to`.
std::size_t factorise_block(double* A, std::size_t n, std::size_t from, std::size_t to,
                            std::span<const double> least_pivots) {
  for (std::size_t i = from; i < to; ++i)
    for (std::size_t j = from; j <= i; ++j) {
      double sum = A[i * n + j];
      for (std::size_t k = from; k < j; ++k) sum -= A[i * n + k] * A[j * n + k];
      const double least = least_pivots.empty() ? 0 : least_pivots[i];
      if (i == j && !(sum > least && std::isfinite(sum))) return i;
      A[i * n + j] = i == j ? std::sqrt(sum) : sum / A[j * n + j];
    }
  return to;
}

}  // namespace

int factorised_rows(std::vector<double>& matrix, int size, std::span<const double> least_pivots) {
  const std::size_t n = at(size);
  double* const A = matrix.data();
  std::vector<double> panel(at(kBlock) * n);  // columns of the block, transposed
  for (std::size_t from = 0; from < n; from += kBlock) {
    check_cancelled();
    const std::size_t to = std::min(n, from + kBlock);
    const std::size_t done = factorise_block(A, n, from, to, least_pivots);
    if (done < to) return static_cast<int>(done);
    runtime::parallel_each(
        n - to,
        [&](std::size_t below) {
          double* const row = A + (to + below) * n;
          for (std::size_t j = from; j < to; ++j) {
            double sum = row[j];
            for (std::size_t k = from; k < j; ++k) sum -= row[k] * A[j * n + k];
            row[j] = sum / A[j * n + j];
            panel[(j - from) * n + to + below] = row[j];
          }
        },
        16);
    runtime::parallel_each(
        n - to,
        [&](std::size_t below) {
          double* const row = A + (to + below) * n;
          for (std::size_t k = from; k < to; ++k) {
            const double factor = row[k];
            const double* const column = &panel[(k - from) * n];
            for (std::size_t j = to; j <= to + below; ++j) row[j] -= factor * column[j];
          }
        },
        8);
  }
  return size;
}

void solve_factorised(std::span<const double> factor, int size, std::span<double> b) {
  const std::size_t n = at(size);
  for (std::size_t i = 0; i < n; ++i) {
    double sum = b[i];
    for (std::size_t k = 0; k < i; ++k) sum -= factor[i * n + k] * b[k];
    b[i] = sum / factor[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    b[i] /= factor[i * n + i];
    for (std::size_t k = 0; k < i; ++k) b[k] -= factor[i * n + k] * b[i];
  }
}

std::vector<double> inverse_of_factorised(std::span<const double> factor, int size) {
  const std::size_t n = at(size);
  std::vector<double> inverse(n * n, 0.0);
  runtime::parallel_each(n, [&](std::size_t i) {
    inverse[i * n + i] = 1;
    solve_factorised(factor, size, std::span(inverse).subspan(i * n, n));
  });
  return inverse;
}

}  // namespace bifocal::adjustment
