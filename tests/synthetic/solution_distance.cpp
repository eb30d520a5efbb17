// SPDX-License-Identifier: BSD-3-Clause
#include "synthetic/solution_distance.hpp"

#include <algorithm>
#include <cmath>

namespace bifocal::synthetic {
namespace {

double norm(const double* v, int n) {
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += v[k] * v[k];
  return std::sqrt(sum);
}

// One function for each word `model` of bifocal/solvers.def.
double of_fundamental(const double* a, const double* b) { return matrix_distance(a, b); }
constexpr SolutionDistance of_homography = of_fundamental, of_essential = of_fundamental;

double of_focal(const double* a, const double* b) {
  return std::max(matrix_distance(a, b), std::abs(a[9] / b[9] - 1));
}

double of_radial_fundamental(const double* a, const double* b) {
  return std::max(matrix_distance(a, b), std::abs(a[9] - b[9]));
}

double of_pose(const double* a, const double* b) {
  double worst = 0;
  for (int k = 0; k < 12; ++k) worst = std::max(worst, std::abs(a[k] - b[k]));
  return worst;
}

double of_pose_focal(const double* a, const double* b) {
  return std::max(of_pose(a, b), std::abs(a[12] / b[12] - 1));
}

double of_pose_focal_depth(const double* a, const double* b) {
  return std::max({of_pose_focal(a, b), std::abs(a[13] - b[13]), std::abs(a[14] - b[14])});
}

constexpr SolutionDistance kDistances[] = {
#define SOLVER(name, data, points, model, ...) of_##model,
#include <bifocal/solvers.def>
};

}  // namespace

double matrix_distance(const double* a, const double* b) {
  const double f = 1 / norm(a, 9), g = 1 / norm(b, 9);
  double difference[9], sum[9];
  for (int k = 0; k < 9; ++k) {
    difference[k] = f * a[k] - g * b[k];
    sum[k] = f * a[k] + g * b[k];
  }
  return std::min(norm(difference, 9), norm(sum, 9));
}

SolutionDistance solution_distance(MinimalSolver solver) {
  return kDistances[static_cast<std::size_t>(solver)];
}

}  // namespace bifocal::synthetic
