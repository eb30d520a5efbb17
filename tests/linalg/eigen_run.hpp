// SPDX-License-Identifier: BSD-3-Clause
// Runs real_eigenpairs on Eigen's matrices.
#pragma once

#include <bifocal/linalg.hpp>

#include <complex>
#include <limits>
#include <vector>

#include <Eigen/Dense>

#include "linalg/batches.hpp"
#include "linalg/ratios.hpp"

namespace bifocal::test {

// Results for one matrix.
struct Eigenpairs {
  int count = -1, status = -1;
  double residual = 0;
  Eigen::VectorXd values;   // `count` eigenvalues
  Eigen::MatrixXd vectors;  // in its columns
  Eigen::VectorXcd all;
  bool rest_is_nan = true;  // output after the pairs; the whole output if the status is not 0
};

// The raw outputs; the same input gives the same bits.
template <class T>
struct EigenArrays {
  std::vector<T> values, vectors, residuals, re, im;
  std::vector<int> counts, status;
};

// Solves batches of square matrices of one size, rounded to T, with all outputs.
template <class T>
EigenArrays<T> run_raw(const std::vector<Eigen::MatrixXd>& matrices, const Layout& layout = {},
                       const EigenOptions& options = {}) {
  const int count = static_cast<int>(matrices.size());
  const int n = count == 0 ? 1 : static_cast<int>(matrices[0].rows());
  const std::vector<T> in = pack<T>(matrices, layout, T(77));
  const Layout o = layout.of_outputs();
  EigenArrays<T> a;
  a.values.assign(o.extent(count, n), T(77));
  a.vectors.assign(o.extent(count, n * n), T(77));
  a.re = a.im = a.values;
  a.residuals.assign(static_cast<std::size_t>(count), T(77));
  a.counts.assign(static_cast<std::size_t>(count), 77);
  a.status = a.counts;
  Queue queue;
  EigenOutput<T> out;
  out.values = a.values.data();
  out.vectors = a.vectors.data();
  out.counts = a.counts.data();
  out.status = a.status.data();
  out.residuals = a.residuals.data();
  out.real_parts = a.re.data();
  out.imaginary_parts = a.im.data();
  real_eigenpairs<T>(queue, {in.data(), n, n, count, layout.kind, layout.stride}, out, options);
  queue.wait();
  return a;
}

template <class T>
std::vector<Eigenpairs> unpack_pairs(const EigenArrays<T>& a, int count, int n,
                                     const Layout& layout = {}) {
  const Layout o = layout.of_outputs();
  std::vector<Eigenpairs> results(static_cast<std::size_t>(count));
  for (int b = 0; b < count; ++b) {
    Eigenpairs& r = results[static_cast<std::size_t>(b)];
    r.count = a.counts[static_cast<std::size_t>(b)];
    r.status = a.status[static_cast<std::size_t>(b)];
    r.residual = static_cast<double>(a.residuals[static_cast<std::size_t>(b)]);
    const Eigen::VectorXd values = unpack(a.values, count, b, n, 1, o);
    const Eigen::MatrixXd vectors = unpack(a.vectors, count, b, n, n, o);
    r.values = values.head(r.count);
    r.vectors = vectors.leftCols(r.count);
    r.rest_is_nan = values.tail(n - r.count).array().isNaN().all() &&
                    vectors.rightCols(n - r.count).array().isNaN().all();
    r.all.resize(n);
    r.all.real() = unpack(a.re, count, b, n, 1, o);
    r.all.imag() = unpack(a.im, count, b, n, 1, o);
  }
  return results;
}

template <class T>
std::vector<Eigenpairs> run_eigen(const std::vector<Eigen::MatrixXd>& matrices,
                                  const Layout& layout = {}, const EigenOptions& options = {}) {
  const int count = static_cast<int>(matrices.size());
  return unpack_pairs(run_raw<T>(matrices, layout, options), count,
                      count == 0 ? 1 : static_cast<int>(matrices[0].rows()), layout);
}

// Rounds to T, so that the tested code and the reference see the same matrix.
template <class T>
Eigen::MatrixXd rounded(const Eigen::MatrixXd& A) {
  return A.template cast<T>().template cast<double>();
}

// Returns the largest distance in a greedy matching of two lists of eigenvalues. Each distance
// is relative to the bound by the condition of its eigenvalue, |A| ulp times `conditions` (those
// for b).
inline double match_ratio(const Eigen::VectorXcd& a, const Eigen::VectorXcd& b,
                          const Eigen::VectorXd& conditions, double unit) {
  std::vector<bool> taken(static_cast<std::size_t>(b.size()), false);
  double worst = 0;
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    double best = std::numeric_limits<double>::infinity();
    Eigen::Index at = 0;
    for (Eigen::Index j = 0; j < b.size(); ++j) {
      const double d = std::abs(a[i] - b[j]);
      if (!taken[static_cast<std::size_t>(j)] && d < best) best = d, at = j;
    }
    taken[static_cast<std::size_t>(at)] = true;
    worst = std::max(worst, best / (unit * conditions[at]));
  }
  return worst;
}

}  // namespace bifocal::test
