// SPDX-License-Identifier: BSD-3-Clause
// The adjuster reaches the minimum of a plain one.
#include <gtest/gtest.h>

#include "adjust/reference.hpp"
#include "adjust/scenes.hpp"

namespace bifocal {
namespace {

AdjustOptions exact(AdjustSolver solver) {
  return {.function_tolerance = 1e-14, .solver = solver, .cg_tolerance = 1e-4};
}

class ReferenceAdjust : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Adjust, ReferenceAdjust,
                         testing::Values("PINHOLE", "RADIAL", "OPENCV", "FOV", "OPENCV_FISHEYE",
                                         "SIMPLE_DIVISION", "EUCM"));

TEST_P(ReferenceAdjust, HasTheSameMinimum) {
  const test::Scene scene = test::make_scene({.images = 5,
                                              .points = 25,
                                              .model = GetParam(),
                                              .cameras = 2,
                                              .visible = 0.9,
                                              .disturbed = 0.3});
  AdjustProblem reference = scene.start;
  const double cost = test::reference_adjust(reference);
  for (const AdjustSolver solver : {AdjustSolver::dense, AdjustSolver::iterative}) {
    AdjustProblem problem = scene.start;
    const AdjustResult result = adjust(problem, exact(solver));
    ASSERT_EQ(result.counts[0], static_cast<std::int64_t>(problem.observations.size()));
    EXPECT_NEAR(result.final_cost, cost, 1e-8 * cost);
    EXPECT_NEAR(adjust_cost(problem), cost, 1e-8 * cost);
  }
}

TEST(AdjustReference, HasTheSameMinimumWithARobustLoss) {
  const test::Scene scene = test::make_scene(
      {.images = 5, .points = 30, .outliers = 0.05, .visible = 0.9, .disturbed = 0.3});
  for (const AdjustLoss loss : {AdjustLoss::huber, AdjustLoss::soft_l1, AdjustLoss::cauchy}) {
    AdjustProblem reference = scene.start, problem = scene.start;
    const double cost = test::reference_adjust(reference, loss, 2);
    AdjustOptions options = exact(AdjustSolver::dense);
    options.loss = loss, options.loss_scale = 2;
    EXPECT_NEAR(adjust(problem, options).final_cost, cost, 1e-7 * cost);
  }
}

TEST(AdjustReference, HasTheSameMinimumWithConstantPosesAndPoints) {
  test::Scene scene =
      test::make_scene({.images = 6, .points = 30, .visible = 0.9, .disturbed = 0.3});
  scene.start.images[2].is_constant = true;
  scene.start.constant_points.assign(30, false);
  for (std::size_t p = 0; p < 10; ++p) {
    scene.start.constant_points[p] = true;
    scene.start.points[p] = scene.truth.points[p];
  }
  scene.start.cameras[0].constant_params = {false, false, true, true};
  AdjustProblem reference = scene.start;
  const double cost = test::reference_adjust(reference);
  for (const AdjustSolver solver : {AdjustSolver::dense, AdjustSolver::iterative}) {
    AdjustProblem problem = scene.start;
    EXPECT_NEAR(adjust(problem, exact(solver)).final_cost, cost, 1e-8 * cost);
    EXPECT_EQ(problem.images[2].cam_from_world.R, scene.start.images[2].cam_from_world.R);
    EXPECT_EQ(problem.images[2].cam_from_world.t, scene.start.images[2].cam_from_world.t);
    for (std::size_t p = 0; p < 10; ++p) EXPECT_EQ(problem.points[p], scene.start.points[p]);
    EXPECT_EQ(problem.cameras[0].params[3], scene.start.cameras[0].params[3]);
    EXPECT_NE(problem.cameras[0].params[1], scene.start.cameras[0].params[1]);
  }
}

}  // namespace
}  // namespace bifocal
