// SPDX-License-Identifier: BSD-3-Clause
// Batches of random samples with their true solution, and the fraction that a solver solves.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bifocal/solvers.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/scenes.hpp"
#include "synthetic/solution_distance.hpp"

namespace bifocal::test {

using synthetic::make_samples;
using synthetic::matrix_distance;
using synthetic::SampleBatch;

template <class T>
struct SolvedBatch {
  SolverShape shape;
  int n;
  std::vector<T> solutions;
  std::vector<int> counts;

  [[nodiscard]] double at(int i, int slot, int k) const {
    return solutions[static_cast<std::size_t>(slot * shape.solution_rows + k) * n + i];
  }
  [[nodiscard]] Matrix3 matrix(int i, int slot, int first = 0) const {
    Matrix3 M;
    for (int k = 0; k < 9; ++k) M(k / 3, k % 3) = at(i, slot, first + k);
    return M;
  }
};

template <class T>
SolvedBatch<T> solve(const SampleBatch& batch, LaneKind lanes = LaneKind::simd) {
  SolvedBatch<T> out{solver_shape(batch.solver), batch.n, {}, std::vector<int>(batch.n)};
  out.solutions.resize(static_cast<std::size_t>(batch.n) * out.shape.max_solutions *
                       out.shape.solution_rows);
  const std::vector<T> samples(batch.samples.begin(), batch.samples.end());
  solve_minimal(batch.solver, std::span<const T>(samples), std::span<T>(out.solutions),
                std::span<int>(out.counts), lanes);
  return out;
}

// Solves on a device, from and to host memory.
template <class T>
SolvedBatch<T> solve(Queue& queue, const SampleBatch& batch) {
  SolvedBatch<T> out{solver_shape(batch.solver), batch.n, {}, std::vector<int>(batch.n)};
  out.solutions.resize(static_cast<std::size_t>(batch.n) * out.shape.max_solutions *
                       out.shape.solution_rows);
  const std::vector<T> samples(batch.samples.begin(), batch.samples.end());
  solve_minimal(queue, batch.solver, batch.n, samples.data(), out.solutions.data(),
                out.counts.data());
  return out;
}

// Returns the distance of the best solution of each sample from the truth; infinity without a
// solution. distance(solution, truth) compares rows of numbers.
template <class T, class Distance>
std::vector<double> errors_to_truth(const SampleBatch& batch, const SolvedBatch<T>& solved,
                                    Distance distance) {
  std::vector<double> errors(batch.n, std::numeric_limits<double>::infinity());
  const int rows = solved.shape.solution_rows;
  std::vector<double> solution(rows);
  for (int i = 0; i < batch.n; ++i) {
    for (int s = 0; s < solved.counts[i]; ++s) {
      for (int k = 0; k < rows; ++k) solution[k] = solved.at(i, s, k);
      errors[i] = std::min(
          errors[i], distance(solution.data(), &batch.truth[static_cast<std::size_t>(i) * rows]));
    }
  }
  return errors;
}

// Returns the fraction of errors above `limit`, and prints it with the histogram of decades.
inline double failure_rate(const std::string& what, const std::vector<double>& errors,
                           double limit) {
  int failures = 0;
  std::array<int, 18> decades{};  // < 1e-16, < 1e-15, ... < 1, more
  for (double e : errors) {
    failures += !(e <= limit);
    const double decade = e > 0 ? std::log10(e) : -17;
    ++decades[std::isfinite(e) ? static_cast<int>(std::clamp(std::floor(decade) + 17, 0.0, 17.0))
                               : 17];
  }
  std::string histogram;
  for (std::size_t d = 0; d < decades.size(); ++d) {
    if (decades[d])
      histogram += fmt::format(
          " {}:{}", d == 17 ? ">=1" : fmt::format("1e{}", static_cast<int>(d) - 17), decades[d]);
  }
  const double rate = static_cast<double>(failures) / static_cast<double>(errors.size());
  fmt::print("{}: {:.4f} % of {} fail (error > {}); errors from{}\n", what, 100 * rate,
             errors.size(), limit, histogram);
  return rate;
}

// Returns whether `a` and `b` have equally many solutions for sample i and every solution in `a`
// has a partner in `b`, up to sign.
template <class T>
bool same_solutions(const SolvedBatch<T>& a, const SolvedBatch<T>& b, int i, double tolerance) {
  if (a.counts[i] != b.counts[i]) return false;
  for (int s = 0; s < a.counts[i]; ++s) {
    double nearest = 1e30;
    for (int r = 0; r < b.counts[i]; ++r) {
      double plus = 0, minus = 0;
      for (int k = 0; k < a.shape.solution_rows; ++k) {
        plus = std::max(plus, std::abs(a.at(i, s, k) - b.at(i, r, k)));
        minus = std::max(minus, std::abs(a.at(i, s, k) + b.at(i, r, k)));
      }
      nearest = std::min(nearest, std::min(plus, minus));
    }
    if (!(nearest < tolerance)) return false;
  }
  return true;
}

template <class T>
double share_of_same(const SolvedBatch<T>& a, const SolvedBatch<T>& b, double tolerance) {
  int same = 0;
  for (int i = 0; i < a.n; ++i) same += same_solutions(a, b, i, tolerance);
  return static_cast<double>(same) / a.n;
}

// The properties of a solver that the tests need, and its name.
struct SolverRow {
  const char* name;
  MinimalSolver solver;
  bool is_two_view, is_homography;
  double (*distance)(const double* solution, const double* truth);

  friend void PrintTo(const SolverRow& row, std::ostream* out) { *out << row.name; }
};
inline const std::vector<SolverRow>& solver_rows() {
  using std::string_view;
  static const std::vector<SolverRow> rows = {
#define SOLVER(name, data, points, model, most_solutions)        \
  {#name, MinimalSolver::name, string_view(#data) == "two_view", \
   string_view(#model) == "homography", synthetic::solution_distance(MinimalSolver::name)},
#include <bifocal/solvers.def>
  };
  return rows;
}

// Returns the required fraction of samples whose solutions agree in two programs. Double roots
// may become real or complex by rounding, and ill-conditioned solutions differ in float; both
// are more frequent for solvers with more solutions. In the worst case each program misses
// different solutions.
inline double least_share(MinimalSolver solver, bool is_float) {
  const synthetic::SolverScene& scene = synthetic::solver_scene(solver);
  const double unstable = (is_float ? 0.025 : 0.002) * solver_shape(solver).max_solutions;
  return 1 - std::max(unstable, 2 * (is_float ? scene.missed_f32 : scene.missed_f64) / 100);
}
inline std::string row_name(const testing::TestParamInfo<SolverRow>& info) {
  return info.param.name;
}

}  // namespace bifocal::test

// Skips a test of a generated solver in a build without generated solvers.
#define SKIP_UNLESS_BUILT(solver) \
  if (!is_built_for_cpus(solver)) \
  GTEST_SKIP() << "a build without generated solvers (-DBIFOCAL_GENERATED_SOLVERS=OFF)"
