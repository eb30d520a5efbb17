// SPDX-License-Identifier: BSD-3-Clause
// What the problems of two views have in common.
#pragma once

#include "robust/two_view.hpp"

namespace bifocal::robust {

// How often a wrong match falls into the strip along its epipolar line.
[[nodiscard]] double epipolar_chance_rate(const TwoViewPoints& points, double threshold);

class TwoViewProblem : public Problem {
 public:
  TwoViewProblem(const TwoViewPoints& pairs, double threshold, ErrorModel error) {
    points = pairs.columns->points();
    kernels = kernels_for(error);
    inverse_squared_threshold = pairs.frame.length * pairs.frame.length / (threshold * threshold);
    error_dof = error == ErrorModel::transfer ? 2 : 1;
    solution_rows = 9;
  }
  void gather(const int* sample, double* column, int stride) const override {
    for (int c = 0; c < 4; ++c) {
      for (int i = 0; i < sample_size; ++i) {
        column[(c * sample_size + i) * stride] =
            points.f64.columns[static_cast<size_t>(c)][sample[i]];
      }
    }
  }
  void extract(const double* column, int stride, int k, Model& model) const override {
    for (int i = 0; i < 9; ++i) model[static_cast<size_t>(i)] = column[(9 * k + i) * stride];
  }

 protected:
  void set_sample(int size, int solutions, solvers::BatchFunction<double> function) {
    sample_size = size;
    sample_rows = 4 * size;
    max_solutions = solutions;
    solve = function;
  }
};

}  // namespace bifocal::robust
