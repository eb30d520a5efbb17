// SPDX-License-Identifier: BSD-3-Clause
// Runs batches through the SVD family of bifocal/linalg.hpp, with guard memory that no call
// may change.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bifocal/linalg.hpp>
#include <random>
#include <string>
#include <vector>

#include "linalg/batches.hpp"
#include "linalg/matrix_types.hpp"
#include "linalg/ratios.hpp"
#include "support/targets.hpp"

namespace bifocal::test {

using Matrices = std::vector<Eigen::MatrixXd>;

template <class T>
constexpr const char* precision_name() {
  return sizeof(T) == 4 ? "float" : "double";
}

// Rounds to numbers representable in T.
template <class T>
Eigen::MatrixXd rounded(const Eigen::MatrixXd& A) {
  return A.cast<T>().template cast<double>();
}

// Makes one matrix of every type of a shape.
template <class T>
Matrices all_types(int m, int n, std::uint64_t seed) {
  Matrices all;
  for (const MatrixTypeInfo& info : matrix_types_of(m == n))
    all.push_back(make_matrix<T>(info.type, m, n, seed));
  return all;
}

template <class T>
Matrices random_matrices(int count, int m, int n, std::uint64_t seed) {
  Matrices all;
  for (int b = 0; b < count; ++b)
    all.push_back(
        make_matrix<T>(MatrixType::random_normal, m, n, seed + static_cast<std::uint64_t>(b)));
  return all;
}

// Results of a batch of matrices that all are rows x cols.
template <class T>
struct SvdResults {
  int count = 0, m = 0, n = 0;
  Layout layout;  // layout of results
  std::vector<T> s, v, u;
  std::vector<int> status;

  [[nodiscard]] Eigen::VectorXd S(int b) const { return unpack(s, count, b, n, 1, layout); }
  [[nodiscard]] Eigen::MatrixXd V(int b) const { return unpack(v, count, b, n, n, layout); }
  [[nodiscard]] Eigen::MatrixXd U(int b) const {
    return unpack(u, count, b, m, std::min(m, n), layout);
  }
};

template <class T>
SvdResults<T> run_svd(const Matrices& matrices, bool with_u, const Layout& layout = {},
                      const SvdOptions& options = {}) {
  SvdResults<T> out;
  out.count = static_cast<int>(matrices.size());
  out.m = static_cast<int>(matrices[0].rows());
  out.n = static_cast<int>(matrices[0].cols());
  out.layout = layout.of_outputs();
  const std::vector<T> data = pack<T>(matrices, layout, T(7));
  const int k = std::min(out.m, out.n);
  out.s.assign(out.layout.extent(out.count, out.n), T(-77));
  out.v.assign(out.layout.extent(out.count, out.n * out.n), T(-77));
  if (with_u) out.u.assign(out.layout.extent(out.count, out.m * k), T(-77));
  out.status.assign(matrices.size(), -77);
  Queue queue;
  svd<T>(queue, {data.data(), out.m, out.n, out.count, layout.kind, layout.stride},
         {out.s.data(), out.v.data(), with_u ? Memory<T>(out.u.data()) : Memory<T>(),
          out.status.data()},
         options);
  queue.wait();
  return out;
}

// The maximum of each ratio over the matrices.
struct Worst {
  double backward = 0, right = 0, v = 0, u = 0, values = 0;
  int matrices = 0, failed = 0;

  void add(const Worst& o) {
    backward = std::max(backward, o.backward);
    right = std::max(right, o.right);
    v = std::max(v, o.v);
    u = std::max(u, o.u);
    values = std::max(values, o.values);
    matrices += o.matrices;
    failed += o.failed;
  }
  void print(const std::string& name) const {
    fmt::print(
        "{:<34} |A-USV'| {:.2f}  |V'A'AV-S^2| {:.2f}  |I-V'V| {:.2f}  |I-U'U| {:.2f}  S {:.2f}  "
        "failed {} of {}\n",
        name, backward, right, v, u, values, failed, matrices);
  }
};

}  // namespace bifocal::test
