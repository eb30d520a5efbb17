// SPDX-License-Identifier: BSD-3-Clause
// Batches of random samples with their true solution, and how many of them a solver gets right.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bifocal/solvers.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "solvers/scenes.hpp"

namespace bifocal::test {

inline bool is_homography(MinimalSolver solver) {
  return solver == MinimalSolver::homography_4pt || solver == MinimalSolver::homography_svd;
}

// A batch in double; samples and solutions laid out as in bifocal/solvers.hpp.
struct SampleBatch {
  MinimalSolver solver;
  int n;
  std::vector<double> samples, truth;  // truth: solution_rows numbers for each sample
};

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

// How far the best solution of each sample is from the truth; infinity for none. distance(solution,
// truth) of rows of numbers.
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

inline double matrix_distance(const double* a, const double* b) {
  return projective_distance(Eigen::Map<const Matrix3>(a), Eigen::Map<const Matrix3>(b));
}

// Share of the errors above `limit`; prints it with the histogram of decades.
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

// Batch of two-view samples. truth(scene, n): the true matrix; point(scene): the next scene point
// of the sample.
template <class Sample>
SampleBatch two_view_batch(MinimalSolver solver, int n, std::uint64_t seed, Sample sample) {
  SampleBatch batch{solver, n, {}, {}};
  const SolverShape shape = solver_shape(solver);
  const int m = shape.sample_rows / 4;
  batch.samples.resize(static_cast<std::size_t>(n) * shape.sample_rows);
  batch.truth.resize(static_cast<std::size_t>(n) * 9);
  std::mt19937_64 random(seed);
  for (int i = 0; i < n; ++i) {
    TwoViewScene scene(random);
    std::vector<Eigen::Vector3d> points(m);
    const Matrix3 truth = sample(scene, points);
    Eigen::Map<Matrix3>(&batch.truth[static_cast<std::size_t>(i) * 9]) = truth;
    for (int p = 0; p < m; ++p) {
      const Eigen::Vector3d X1 = points[p], X2 = scene.R * X1 + scene.t;
      const double row[4] = {X1.x() / X1.z(), X1.y() / X1.z(), X2.x() / X2.z(), X2.y() / X2.z()};
      for (int k = 0; k < 4; ++k)
        batch.samples[static_cast<std::size_t>(k * m + p) * n + i] = row[k];
    }
  }
  return batch;
}

inline SampleBatch general_batch(MinimalSolver solver, int n, std::uint64_t seed = 1) {
  return two_view_batch(solver, n, seed,
                        [](TwoViewScene& scene, std::vector<Eigen::Vector3d>& points) {
                          for (Eigen::Vector3d& X : points) X = scene.scene_point();
                          return scene.essential();
                        });
}

// Bearings in camera 2 of points in the frame of camera 1.
inline SampleBatch resection_batch(int n, std::uint64_t seed = 1) {
  SampleBatch batch{
      MinimalSolver::p3p, n, std::vector<double>(18 * static_cast<std::size_t>(n)), {}};
  std::mt19937_64 random(seed);
  for (int i = 0; i < n; ++i) {
    TwoViewScene scene(random);
    for (int p = 0; p < 3; ++p) {
      const Eigen::Vector3d X = scene.scene_point(), x = (scene.R * X + scene.t).normalized();
      for (int k = 0; k < 3; ++k) {
        batch.samples[static_cast<std::size_t>(3 * p + k) * n + i] = x[k];
        batch.samples[static_cast<std::size_t>(9 + 3 * p + k) * n + i] = X[k];
      }
    }
    batch.truth.insert(batch.truth.end(), scene.R.data(), scene.R.data() + 9);
    batch.truth.insert(batch.truth.end(), scene.t.data(), scene.t.data() + 3);
  }
  return batch;
}

// Largest difference of an element of the rotation or the translation (the baseline is about 1).
inline double pose_distance(const double* a, const double* b) {
  double worst = 0;
  for (int k = 0; k < 12; ++k) worst = std::max(worst, std::abs(a[k] - b[k]));
  return worst;
}

inline SampleBatch planar_batch(MinimalSolver solver, int n, std::uint64_t seed = 1) {
  return two_view_batch(solver, n, seed,
                        [](TwoViewScene& scene, std::vector<Eigen::Vector3d>& points) {
                          // A homography exists only where both cameras see the same side of the
                          // plane (camera 2's centre is -R't).
                          Eigen::Vector3d plane = scene.plane();
                          while (plane.dot(-scene.R.transpose() * scene.t) > 0.9)
                            plane = scene.plane();
                          for (Eigen::Vector3d& X : points) X = scene.plane_point(plane);
                          return scene.homography(plane);
                        });
}

}  // namespace bifocal::test
