// SPDX-License-Identifier: BSD-3-Clause
#include "robust/polish.hpp"

#include <algorithm>
#include <cmath>

#include "robust/noise_scale.hpp"
#include "robust/refine.hpp"

namespace bifocal::robust {
namespace {

constexpr int kRounds = 4;
constexpr double kSameScale = 0.02;  // a smaller relative change ends the rounds
// Zero of the weight, in standard deviations. Points with two residuals are rarer among wrong
// matches near the model, so that wide weights cost nothing there.
constexpr double kReachEpipolar = 4, kReachPoint = 6;

}  // namespace

Columns points_near(const Problem& problem, const std::vector<double>& squared_errors,
                    double window) {
  std::vector<size_t> near;
  for (size_t i = 0; i < static_cast<size_t>(problem.points.count); ++i) {
    if (squared_errors[i] < window * window) near.push_back(i);
  }
  return Columns(
      static_cast<int>(near.size()), problem.columns,
      [&](int i, int c) {
        return problem.points.f64.columns[static_cast<size_t>(c)][near[static_cast<size_t>(i)]];
      },
      problem.points.f64.focal);
}

Polished polish(const Problem& problem, Model& model) {
  const double threshold = 1 / std::sqrt(problem.inverse_squared_threshold);
  const double reach = problem.error_dof == 1 ? kReachEpipolar : kReachPoint;
  double sigma = threshold / 2.5, window = 3 * threshold;
  std::vector<double> errors;
  for (int round = 0; round < kRounds; ++round) {
    problem.errors(model, errors);
    const double previous = sigma;
    sigma = std::clamp(noise_scale(errors, problem.error_dof, window, sigma), 1e-6 * threshold,
                       1.5 * threshold);
    const Columns near = points_near(problem, errors, (reach + 2) * sigma);
    RefineOptions options;
    options.smooth = true;
    options.in_double = true;
    options.max_steps = 50;
    options.tolerance = 1e-9;
    options.inverse_squared_threshold = 1 / (reach * reach * sigma * sigma);
    refine(problem, near.points(), options, model);
    if (round > 0 && std::abs(sigma - previous) < kSameScale * previous) break;
    window = 6 * sigma;
  }
  problem.errors(model, errors);
  const auto inliers = std::count_if(errors.begin(), errors.end(), [&](double e) {
    return e * problem.inverse_squared_threshold < 1;
  });
  return {static_cast<int>(inliers), sigma};
}

}  // namespace bifocal::robust
