// SPDX-License-Identifier: BSD-3-Clause
// Robust losses with wrong observations.
#include <gtest/gtest.h>

#include <algorithm>

#include "adjust/scenes.hpp"

namespace bifocal {
namespace {

// Error of the focal length, relative.
double focal_error(const AdjustProblem& problem, const AdjustProblem& truth) {
  return std::abs(problem.cameras[0].params[0] / truth.cameras[0].params[0] - 1);
}

TEST(AdjustRobust, WrongObservationsHardlyMoveTheModel) {
  const test::Scene scene =
      test::make_scene({.images = 15, .points = 400, .outliers = 0.02, .visible = 0.4});
  AdjustProblem plain = scene.start;
  (void)adjust(plain);
  for (const AdjustLoss loss : {AdjustLoss::huber, AdjustLoss::soft_l1, AdjustLoss::cauchy}) {
    AdjustProblem robust = scene.start;
    const AdjustResult result = adjust(robust, {.loss = loss, .function_tolerance = 1e-9});
    EXPECT_TRUE(result.is_converged());
    EXPECT_LT(focal_error(robust, scene.truth), 2e-3);
    EXPECT_LT(focal_error(robust, scene.truth), focal_error(plain, scene.truth));
    EXPECT_LE(result.final_cost, adjust_cost(scene.truth, {.loss = loss}));
  }
}

TEST(AdjustRobust, ALargeScaleIsLeastSquares) {
  const test::Scene scene = test::make_scene({.images = 8, .points = 100});
  AdjustProblem plain = scene.start;
  const double cost = adjust(plain, {.function_tolerance = 1e-12}).final_cost;
  for (const AdjustLoss loss : {AdjustLoss::huber, AdjustLoss::soft_l1, AdjustLoss::cauchy}) {
    AdjustProblem robust = scene.start;
    EXPECT_NEAR(
        adjust(robust, {.loss = loss, .loss_scale = 1e6, .function_tolerance = 1e-12}).final_cost,
        cost, 1e-8 * cost);
  }
}

TEST(AdjustRobust, SolversReachTheSameCost) {
  const test::Scene scene = test::make_scene(
      {.images = 30, .points = 500, .cameras = 2, .outliers = 0.02, .visible = 0.3});
  for (const AdjustLoss loss : {AdjustLoss::huber, AdjustLoss::soft_l1, AdjustLoss::cauchy}) {
    AdjustOptions options = {
        .loss = loss, .function_tolerance = 1e-13, .solver = AdjustSolver::dense};
    AdjustProblem a = scene.start, b = scene.start;
    const double cost = adjust(a, options).final_cost;
    options.solver = AdjustSolver::iterative;
    EXPECT_NEAR(adjust(b, options).final_cost, cost, 1e-9 * cost);
  }
}

}  // namespace
}  // namespace bifocal
