// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <bifocal/device.hpp>

#include <cstring>

#include "adjust/scenes.hpp"
#include "support/long_tests.hpp"

namespace bifocal {
namespace {

using test::Scene;

Vec3 centre_of(const Pose& pose) {
  const Vec3 c = times(transposed(pose.R), pose.t);
  return {-c[0], -c[1], -c[2]};
}
double distance(const Vec3& a, const Vec3& b) {
  return norm({a[0] - b[0], a[1] - b[1], a[2] - b[2]});
}

// Equal bytes of all values.
void expect_same_bytes(const AdjustProblem& a, const AdjustProblem& b) {
  for (std::size_t i = 0; i < a.images.size(); ++i)
    EXPECT_EQ(0,
              std::memcmp(&a.images[i].cam_from_world, &b.images[i].cam_from_world, sizeof(Pose)))
        << "image " << i;
  for (std::size_t c = 0; c < a.cameras.size(); ++c)
    EXPECT_EQ(a.cameras[c].params, b.cameras[c].params);
  EXPECT_EQ(0, std::memcmp(a.points.data(), b.points.data(), a.points.size() * sizeof(Vec3)));
}

class AdjustSizes : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Images, AdjustSizes, testing::Values(5, 12, 30, 100));

TEST_P(AdjustSizes, RecoversTheTruthWithoutNoise) {
  const Scene scene = test::make_scene(
      {.images = GetParam(), .points = 20 * GetParam(), .noise = 0, .visible = 0.4});
  for (const AdjustSolver solver : {AdjustSolver::dense, AdjustSolver::iterative}) {
    AdjustProblem problem = scene.start;
    const AdjustResult result = adjust(
        problem, {.function_tolerance = 1e-15, .solver = solver, .gauge = AdjustGauge::free});
    EXPECT_TRUE(result.is_converged());
    EXPECT_LT(result.final_cost, 1e-10 * static_cast<double>(problem.observations.size()));
    EXPECT_NEAR(problem.cameras[0].params[0], scene.truth.cameras[0].params[0], 1e-3);
    // Ratios of distances do not depend on the gauge.
    const double scale = distance(problem.points[0], problem.points[1]) /
                         distance(scene.truth.points[0], scene.truth.points[1]);
    for (std::size_t p = 2; p < 50; ++p)
      EXPECT_NEAR(distance(problem.points[0], problem.points[p]) / scale,
                  distance(scene.truth.points[0], scene.truth.points[p]), 1e-5);
  }
}

TEST_P(AdjustSizes, SolversReachTheSameCost) {
  for (const int cameras : test::short_or_long<std::vector<int>>({3}, {1, 3, GetParam()})) {
    const Scene scene = test::make_scene({.images = GetParam(),
                                          .points = 15 * GetParam(),
                                          .model = "RADIAL",
                                          .cameras = cameras,
                                          .visible = 0.3});
    AdjustProblem a = scene.start, b = scene.start, c = scene.start;
    const AdjustOptions dense = {.function_tolerance = 1e-13, .solver = AdjustSolver::dense};
    AdjustOptions iterative = dense;
    iterative.solver = AdjustSolver::iterative;
    AdjustOptions series = iterative;
    series.preconditioner = AdjustPreconditioner::power_series;
    AdjustProblem d = scene.start;
    AdjustOptions sparse = dense;
    sparse.solver = AdjustSolver::sparse;
    const AdjustResult expected = adjust(a, dense), found = adjust(b, iterative);
    EXPECT_NEAR(adjust(d, sparse).final_cost, expected.final_cost, 1e-9 * expected.final_cost);
    EXPECT_TRUE(expected.is_dense);
    EXPECT_FALSE(found.is_dense);
    EXPECT_NEAR(found.final_cost, expected.final_cost, 1e-9 * expected.final_cost);
    EXPECT_NEAR(adjust(c, series).final_cost, expected.final_cost, 1e-9 * expected.final_cost);
  }
}

TEST(Adjust, ChainsOfImagesAreSolvedDirectly) {
  const int images = 120, points = 2400;
  Scene scene = test::make_scene({.images = images, .points = points, .cameras = 2, .visible = 1});
  // Image i sees every second point of images i - 6 to i + 6.
  std::erase_if(scene.start.observations, [&](const AdjustObservation& o) {
    return std::abs(o.image - o.point * images / points) > 6 || (o.image + o.point) % 2 == 0;
  });
  AdjustProblem a = scene.start, b = scene.start, c = scene.start;
  const AdjustResult found = adjust(a, {.function_tolerance = 1e-13}),
                     expected =
                         adjust(b, {.function_tolerance = 1e-13, .solver = AdjustSolver::dense});
  EXPECT_TRUE(found.is_sparse);
  EXPECT_NEAR(found.final_cost, expected.final_cost, 1e-9 * expected.final_cost);
  const ThreadLimit limit(1);
  (void)adjust(c, {.function_tolerance = 1e-13});
  expect_same_bytes(a, c);
}

TEST(Adjust, FloatBlocksReachTheSameCost) {
  const Scene scene = test::make_scene({.images = 30, .points = 500, .cameras = 2, .visible = 0.3});
  AdjustProblem a = scene.start, b = scene.start;
  AdjustOptions options = {.function_tolerance = 1e-12, .solver = AdjustSolver::iterative};
  const double expected = adjust(a, options).final_cost;
  options.float_blocks = true;
  EXPECT_NEAR(adjust(b, options).final_cost, expected, 1e-8 * expected);
}

TEST(Adjust, GivesTheSameBytesForAnyNumberOfThreadsAndInEveryRun) {
  const Scene scene =
      test::make_scene({.images = 40, .points = 1000, .cameras = 3, .visible = 0.2});
  for (const AdjustSolver solver :
       {AdjustSolver::dense, AdjustSolver::sparse, AdjustSolver::iterative}) {
    AdjustProblem first = scene.start;
    {
      const ThreadLimit limit(1);
      (void)adjust(first, {.solver = solver});
    }
    for (const int threads : {1, 2, 8}) {
      const ThreadLimit limit(threads);
      AdjustProblem problem = scene.start;
      (void)adjust(problem, {.solver = solver});
      expect_same_bytes(first, problem);
    }
  }
}

TEST(Adjust, TheOrderOfObservationsHardlyMatters) {
  const Scene scene = test::make_scene({.images = 10, .points = 100});
  AdjustProblem a = scene.start, b = scene.start;
  std::reverse(b.observations.begin(), b.observations.end());
  const double cost = adjust(a, {.function_tolerance = 1e-12}).final_cost;
  EXPECT_NEAR(adjust(b, {.function_tolerance = 1e-12}).final_cost, cost, 1e-9 * cost);
}

TEST(Adjust, KeepsTheGaugeOfTheStart) {
  const Scene scene = test::make_scene({.images = 12, .points = 200, .disturbed = 2});
  AdjustProblem problem = scene.start;
  const AdjustResult result = adjust(problem);
  EXPECT_NEAR(adjust_cost(problem), result.final_cost, 1e-9 * result.final_cost);
  const Pose &a = problem.images[0].cam_from_world, &b = scene.start.images[0].cam_from_world;
  for (std::size_t k = 0; k < 9; ++k) EXPECT_NEAR(a.R[k], b.R[k], 1e-12);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a.t[k], b.t[k], 1e-10);
  double farthest = 0;
  for (const AdjustImage& image : scene.start.images)
    farthest = std::max(farthest, distance(centre_of(image.cam_from_world), centre_of(b)));
  double is_kept = 1e9;
  for (const AdjustImage& image : problem.images)
    is_kept = std::min(
        is_kept, std::abs(distance(centre_of(image.cam_from_world), centre_of(a)) - farthest));
  EXPECT_LT(is_kept, 1e-9);
}

TEST(Adjust, PartsKeepTheirOwnGauges) {
  const Scene one = test::make_scene({.images = 6, .points = 60, .seed = 1});
  const Scene two = test::make_scene({.images = 7, .points = 70, .seed = 2});
  AdjustProblem both = one.start;
  both.images.insert(both.images.end(), two.start.images.begin(), two.start.images.end());
  both.points.insert(both.points.end(), two.start.points.begin(), two.start.points.end());
  for (AdjustObservation o : two.start.observations) {
    o.image += 6, o.point += 60;
    both.observations.push_back(o);
  }
  for (AdjustCamera& camera : both.cameras) camera.is_constant = true;
  const AdjustResult result = adjust(both);
  EXPECT_EQ(result.parts, 2);
  const Pose &a = both.images[6].cam_from_world, &b = two.start.images[0].cam_from_world;
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a.t[k], b.t[k], 1e-9);
}

TEST(Adjust, ReportsEveryIterationAndStopsWhenAsked) {
  const Scene scene = test::make_scene({.images = 8, .points = 100});
  AdjustProblem problem = scene.start;
  std::vector<AdjustIteration> seen;
  const AdjustResult result = adjust(problem, {.progress = [&](const AdjustIteration& iteration) {
                                       seen.push_back(iteration);
                                       return seen.size() < 3;
                                     }});
  EXPECT_EQ(result.reason, AdjustReason::stopped);
  ASSERT_EQ(result.history.size(), 3u);
  EXPECT_EQ(result.iterations, 2);
  EXPECT_EQ(seen[2].cost, result.final_cost);
  EXPECT_LT(result.final_cost, result.initial_cost);
  EXPECT_NEAR(adjust_cost(problem), result.final_cost, 1e-9 * result.final_cost);
  AdjustProblem limited = scene.start;
  EXPECT_EQ(adjust(limited, {.max_iterations = 1}).reason, AdjustReason::max_iterations);
}

TEST(Adjust, ACancelledCallLeavesTheProblem) {
  const Scene scene = test::make_scene({.images = 8, .points = 100});
  AdjustProblem problem = scene.start;
  int calls = 0;
  EXPECT_THROW((void)adjust(problem, {.progress =
                                          [&](const AdjustIteration&) {
                                            if (++calls == 2) throw Cancelled();
                                            return true;
                                          }}),
               Cancelled);
  expect_same_bytes(problem, scene.start);
}

TEST(Adjust, EveryDeviceReachesTheSameCost) {
  const Scene scene = test::make_scene(
      {.images = 40, .points = 800, .model = "OPENCV", .cameras = 2, .visible = 0.2});
  const AdjustOptions options = {.function_tolerance = 1e-13, .solver = AdjustSolver::iterative};
  AdjustProblem expected = scene.start;
  const double cost = adjust(expected, options).final_cost;
  for (const DeviceInfo& device : list_devices()) {
    if (!device.has_double) continue;
    for (const bool float_blocks : {false, true}) {
      AdjustOptions with = options;
      with.float_blocks = float_blocks;
      AdjustProblem first = scene.start, second = scene.start;
      Queue queue{Device(device.id)};
      const AdjustResult result = adjust(queue, first, with);
      EXPECT_NEAR(result.final_cost, cost, (float_blocks ? 1e-8 : 1e-9) * cost) << device.id;
      (void)adjust(queue, second, with);
      expect_same_bytes(first, second);
    }
  }
}

}  // namespace
}  // namespace bifocal
