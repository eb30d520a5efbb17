// SPDX-License-Identifier: BSD-3-Clause
// What the search needs to know of a problem: how to solve samples, score models and move them a
// little.
#pragma once

#include <array>
#include <vector>

#include "robust/kernels.hpp"
#include "solvers/batch.hpp"

namespace bifocal::robust {

// A model in the coordinates it is scored in: F or H [9], or a pose (R [9], t [3]).
using Model = std::array<double, 12>;

// A point of a manifold with few parameters (homography_chart, epipolar_chart, pose_chart).
using ChartState = std::array<double, 20>;
// Derivatives of the model's elements with respect to the parameters, [size][dof].
using Tangent = std::array<double, 72>;

class Problem {
 public:
  virtual ~Problem() = default;

  Points points;
  int columns = 4;  // of a point
  Kernels kernels;
  double inverse_squared_threshold = 1;  // in the coordinates of scoring
  int error_dof = 1;  // independent residuals of a point: 1 epipolar, 2 transfer or reprojection
  double chance_rate = 0;  // probability that a wrong match agrees with a wrong model

  int sample_size = 0, sample_rows = 0, max_solutions = 0, solution_rows = 0;
  solvers::BatchFunction<double> solve = nullptr;

  // Puts a sample into its column of the solver's input [sample_rows][stride].
  virtual void gather(const int* sample, double* column, int stride) const = 0;
  // Solution `k` of a column of the solver's output [max_solutions * solution_rows][stride].
  virtual void extract(const double* column, int stride, int k, Model& model) const = 0;

  // Squared errors of all points, padding included; NaN for a point that cannot be a match whatever
  // its error.
  virtual void errors(const Model& model, std::vector<double>& squared) const {
    squared.resize(static_cast<size_t>(points.f64.padded));
    kernels.errors(points.f64, model.data(), squared.data());
  }

  virtual int dof() const = 0;
  virtual void open(const Model& model, ChartState& state) const = 0;
  virtual void tangent(const ChartState& state, Tangent& D) const = 0;
  virtual void move(ChartState& state, const Tangent& D, const double* delta) const = 0;
  virtual void close(const ChartState& state, Model& model) const = 0;
};

}  // namespace bifocal::robust
