// SPDX-License-Identifier: BSD-3-Clause
#include "adjust/tracks/deviations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "adjust/arrangement.hpp"
#include "adjust/block_diagonal.hpp"
#include "adjust/dense_system.hpp"
#include "adjust/gauge.hpp"
#include "adjust/layout.hpp"
#include "adjust/priors/priors.hpp"
#include "adjust/reduced_solver.hpp"
#include "adjust/terms.hpp"
#include "runtime/integers.hpp"

namespace bifocal::adjustment {
namespace {

constexpr double kUndetermined = 1e-12;  // pivot, relative to the diagonal (covariance.cpp)
// Of a factorisation that takes a small part of the time of an adjustment.
constexpr double kMostOperations = 1e9, kMostPairs = 1e8;
// Damping of all unknowns, for scales between parts that only one image joins.
constexpr double kLeastDamping = 1e-11;
constexpr double kGaugeFreedom = 7;
constexpr double kHeld = 1e8;  // damping of a held unknown, relative to the diagonal
constexpr double kInfinite = std::numeric_limits<double>::infinity();

std::vector<double> least_damping(const std::vector<double>& diagonal) {
  std::vector<double> damping;
  for (const double d : diagonal) damping.push_back(kLeastDamping * d);
  return damping;
}

// Damping of the unknowns that hold position, rotation and scale: of the first image, and of a
// coordinate of the farthest one.
std::vector<double> gauge_damping(const AdjustProblem& problem,
                                  const std::vector<char>& used_images, const Unknowns& unknowns,
                                  const std::vector<double>& diagonal) {
  const auto first =
      static_cast<std::size_t>(std::ranges::find(used_images, char{1}) - used_images.begin());
  const auto centre = [&](std::size_t image) {
    return unknowns.frame().local_centre(problem.images[image].cam_from_world);
  };
  const Vec3 origin = centre(first);
  std::size_t farthest = 6 * first + 3;
  double distance = 0;
  for (std::size_t i = 0; i < used_images.size(); ++i) {
    if (used_images[i] == 0) continue;
    const Vec3 to = centre(i);
    for (std::size_t k = 0; k < 3; ++k)
      if (const double d = std::abs(to[k] - origin[k]); d > distance)
        distance = d, farthest = 6 * i + 3 + k;
  }
  std::vector<double> damping = least_damping(diagonal);
  for (std::size_t k = 0; k < 6; ++k) damping[6 * first + k] = kHeld * diagonal[6 * first + k];
  damping[farthest] = kHeld * diagonal[farthest];
  return damping;
}

// Variances of the chosen unknowns for observations with a deviation of 1 px, infinite if an
// unknown is not determined, and their part of a Gauss-Newton step.
struct Solved {
  std::vector<double> variances, steps;
};

Solved exact_variances(const DenseSystem& system, Terms& terms, const Linearisation& linearisation,
                       const std::vector<double>& damping, const std::vector<std::size_t>& chosen) {
  std::vector<double> matrix = system.assemble(terms, damping);
  std::vector<double> least = system.reduced(linearisation.diagonal);
  for (double& d : least) d *= kUndetermined;
  if (factorised_rows(matrix, system.envelope(), least) < at(system.size()))
    return {std::vector<double>(chosen.size(), kInfinite), std::vector<double>(chosen.size())};
  Solved solved;
  std::vector<double> step = system.reduced(reduced_right_side(terms, linearisation));
  solve_factorised(matrix, system.envelope(), step);
  for (const std::size_t unknown : chosen) {
    const std::size_t row = at(system.place(unknown));
    std::vector<double> column(at(system.size()), 0.0);
    column[row] = 1;
    solve_factorised(matrix, system.envelope(), column);
    solved.variances.push_back(column[row]);
    solved.steps.push_back(step[row]);
  }
  return solved;
}

Solved least_variances(Terms& terms, const Unknowns& unknowns, const std::vector<double>& damping,
                       const std::vector<std::size_t>& chosen) {
  const BlockDiagonal::Inverse inverse =
      BlockDiagonal(unknowns, terms.diagonal_blocks(), damping).inverse();
  Solved solved;
  solved.steps.resize(chosen.size());
  const std::size_t columns = at(unknowns.view_size());
  for (const std::size_t unknown : chosen)
    for (std::size_t k = 0; k < columns; ++k)
      if (at(inverse.members[unknown * columns + k]) == unknown) {
        solved.variances.push_back(inverse.rows[unknown * columns + k]);
        break;
      }
  return solved;
}

}  // namespace

IntrinsicDeviations intrinsic_deviations(const AdjustProblem& problem,
                                         const AdjustOptions& options) {
  IntrinsicDeviations out;
  for (const AdjustCamera& camera : problem.cameras)
    out.deviations.emplace_back(camera.params.size());
  out.steps = out.deviations;
  const Arrangement arrangement = arrange(problem, observation_uses(problem));
  if (arrangement.observations == 0) return out;
  const Unknowns unknowns(problem, arrangement.used_images);
  std::vector<std::size_t> chosen;
  std::vector<std::pair<int, int>> places;  // of the chosen unknowns: camera, parameter
  for (int c = 0; c < unknowns.cameras(); ++c) {
    const std::vector<int>& adjusted = unknowns.adjusted_params(c);
    for (std::size_t k = 0; k < adjusted.size(); ++k) {
      chosen.push_back(unknowns.camera_start(c) + k);
      places.emplace_back(c, adjusted[k]);
    }
  }
  if (chosen.empty()) return out;
  Queue cpu;
  DeviceObservations observations(cpu, arrangement, problem.points, unknowns.frame());
  const Priors priors(problem, arrangement, unknowns, options.deviation_px);
  Terms terms(cpu, observations, unknowns, options, priors);
  const Linearisation linearisation = terms.linearise(unknowns.start());
  terms.damp(0);
  const bool has_few_pairs = observation_pairs(arrangement) <= kMostPairs;
  const DenseSystem system(arrangement, unknowns, true);
  out.is_exact = has_few_pairs && system.envelope().operations() <= kMostOperations;
  const bool is_held =
      problem.priors.empty() || gauge_of(problem, arrangement, unknowns).freedom().total() > 0;
  const std::vector<double> damping =
      is_held ? gauge_damping(problem, arrangement.used_images, unknowns, linearisation.diagonal)
              : least_damping(linearisation.diagonal);
  const Solved solved = out.is_exact
                            ? exact_variances(system, terms, linearisation, damping, chosen)
                            : least_variances(terms, unknowns, damping, chosen);
  const double redundancy = 2 * static_cast<double>(arrangement.observations) +
                            static_cast<double>(priors.rows()) + (is_held ? kGaugeFreedom : 0) -
                            static_cast<double>(unknowns.active_count()) -
                            3 * static_cast<double>(std::ranges::count(arrangement.is_free, 1.0));
  const double unit = 2 * linearisation.cost / std::max(redundancy, 1.0);
  for (std::size_t k = 0; k < places.size(); ++k) {
    const auto [camera, param] = places[k];
    out.deviations[at(camera)][at(param)] = std::sqrt(unit * solved.variances[k]);
    out.steps[at(camera)][at(param)] = solved.steps[k];
  }
  return out;
}

}  // namespace bifocal::adjustment
