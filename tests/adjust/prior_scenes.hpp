// SPDX-License-Identifier: BSD-3-Clause
// Scenes with priors, and their cost by plain formulas.
#pragma once

#include <bifocal/adjust.hpp>

#include <random>

#include "adjust/scenes.hpp"

namespace bifocal::test {

[[nodiscard]] Vec3 centre_of(const AdjustImage& image);
// Moves the image to a centre.
void move_to(AdjustImage& image, const Vec3& centre);

// Which priors a scene gets.
struct PriorKinds {
  bool positions = false, directions = false, orientations = false, points = false, heights = false,
       parameters = false;
};
inline constexpr PriorKinds kAllPriors = {true, true, true, true, true, true};

// Deviations: positions 0.05, 0.05 and 0.1 with correlations, directions 0.01, orientations 0.01,
// 0.02 and 0.03, heights 0.04, points (every tenth) 0.02, the focal length 3 px.
//
// Returns priors of the truth, with noise of these deviations times `noise`.
[[nodiscard]] AdjustPriors priors_of(const AdjustProblem& truth, const PriorKinds& kinds,
                                     std::mt19937_64& random, double noise = 1);

// Costs of all observations and priors, px^2. The level of heights is found by bisection.
[[nodiscard]] double plain_cost(const AdjustProblem& problem, const AdjustOptions& options);

// The largest derivative of plain_cost() by one number, over the root of its second derivative by
// the same number: px. Steps are those of poses, points and adjusted intrinsics.
[[nodiscard]] double plain_gradient(const AdjustProblem& problem, const AdjustOptions& options);

}  // namespace bifocal::test
