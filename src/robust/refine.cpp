// SPDX-License-Identifier: BSD-3-Clause
#include "robust/refine.hpp"

#include <algorithm>

#include "robust/scalar_lanes.hpp"

namespace bifocal::robust {
namespace {

constexpr double kFirstDamping = 1e-4, kLeastDamping = 1e-8, kMostDamping = 1e4;

void evaluate(const Problem& problem, const Points& points, const RefineOptions& options,
              const Model& model, NormalEquations& out) {
  const double t = options.inverse_squared_threshold;
  if (options.in_double) {
    problem.kernels.equations_f64(points.f64, model.data(), t, options.smooth, out);
  } else {
    problem.kernels.equations_f32(points.f32, model.data(), t, options.smooth, out);
  }
}

}  // namespace

Refined refine(const Problem& problem, const Points& points, const RefineOptions& options,
               Model& model) {
  ChartState state{};
  Model current{};
  NormalEquations equations, next;
  Tangent D;
  problem.open(model, state);
  problem.close(state, current);
  evaluate(problem, points, options, current, equations);

  double damping = kFirstDamping;
  int step = 0;
  for (; step < options.max_steps && damping <= kMostDamping; ++step) {
    std::array<double, 8> delta{};
    problem.tangent(state, D);
    const double pivot =
        Lanes::damped_step(equations.matrix.data(), equations.gradient.data(), D.data(),
                           problem.kernels.size, problem.dof(), damping, delta.data());
    if (!(pivot > 1e-14)) {  // the points do not determine the model
      damping *= 100;
      continue;
    }
    ChartState moved = state;
    Model trial{};
    problem.move(moved, D, delta.data());
    problem.close(moved, trial);
    evaluate(problem, points, options, trial, next);
    if (!(next.gain > equations.gain)) {
      damping *= 10;
      continue;
    }
    const double improvement = next.gain - equations.gain;
    state = moved;
    current = trial;
    std::swap(equations, next);
    damping = std::max(damping * 0.1, kLeastDamping);
    if (improvement < options.tolerance * equations.gain) {
      ++step;
      break;
    }
  }
  model = current;
  return {equations.gain, equations.inliers, equations.squared_errors, step};
}

}  // namespace bifocal::robust
