// SPDX-License-Identifier: BSD-3-Clause
// Priors: costs, derivatives and solutions, compared with plain formulas.
#include <gtest/gtest.h>

#include <bifocal/device.hpp>
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <ostream>
#include <random>
#include <string>

#include "adjust/prior_scenes.hpp"
#include "adjust/priors/priors.hpp"

namespace bifocal {
namespace {

using test::PriorKinds;
using test::Scene;

struct Kind {
  const char* name;
  PriorKinds kinds;

  friend void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }
};
class Priors : public testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, Priors,
                         testing::Values(Kind{"Positions", {.positions = true}},
                                         Kind{"Directions", {.directions = true}},
                                         Kind{"Orientations", {.orientations = true}},
                                         Kind{"Points", {.points = true}},
                                         Kind{"Heights", {.heights = true}},
                                         Kind{"Parameters", {.parameters = true}},
                                         Kind{"All", test::kAllPriors}),
                         [](const auto& test) { return std::string(test.param.name); });

constexpr AdjustLoss kLosses[] = {AdjustLoss::trivial, AdjustLoss::huber, AdjustLoss::soft_l1,
                                  AdjustLoss::cauchy};

void set_losses(AdjustPriors& priors, const PriorLoss& loss) {
  for (PriorLoss* const of :
       {&priors.position_loss, &priors.direction_loss, &priors.orientation_loss, &priors.point_loss,
        &priors.height_loss, &priors.parameter_loss})
    *of = loss;
}

Scene scene_with(const PriorKinds& kinds, double noise = 1, double disturbed = 0.3) {
  Scene scene = test::make_scene(
      {.images = 7, .points = 40, .cameras = 2, .visible = 0.8, .disturbed = disturbed});
  std::mt19937_64 random(5);
  scene.start.priors = test::priors_of(scene.truth, kinds, random, noise);
  return scene;
}

TEST_P(Priors, CostEqualsPlainFormulas) {
  Scene scene = scene_with(GetParam().kinds, 2);
  for (const AdjustLoss loss : kLosses) {
    set_losses(scene.start.priors, {loss, 1.5});
    const AdjustOptions options = {.deviation_px = 0.7};
    const double expected = test::plain_cost(scene.start, options);
    EXPECT_NEAR(adjust_cost(scene.start, options), expected, 1e-9 * expected);
  }
}

// The gradient by poses and cameras, of start values that are far away, for each loss; for least
// squares and kinds that are linear also B - v v'.
TEST_P(Priors, DerivativesEqualNumericDifferences) {
  using namespace adjustment;
  Scene scene = scene_with(GetParam().kinds, 3, 20);
  const PriorKinds& kinds = GetParam().kinds;
  const bool is_linear = !kinds.directions && !kinds.orientations;
  for (const AdjustLoss loss : kLosses) {
    set_losses(scene.start.priors, {loss, 2});
    const Arrangement arrangement = arrange(scene.start, observation_uses(scene.start));
    const Unknowns unknowns(scene.start, arrangement.used_images);
    const adjustment::Priors priors(scene.start, arrangement, unknowns, 0.7);
    const PriorTerms terms = priors.linearise(unknowns.start());
    EXPECT_NEAR(terms.cost, priors.cost(unknowns.start()), 1e-12 * terms.cost);
    double largest = 0;
    for (const double g : terms.gradient) largest = std::max(largest, std::abs(g));
    const auto cost_at = [&](std::vector<double> step) {
      return priors.cost(unknowns.moved(unknowns.start(), step));
    };
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
      std::vector<double> step(unknowns.size(), 0.0), back = step;
      const double size = i < unknowns.camera_start(0) ? 1e-6 : 1e-4;
      step[i] = size, back[i] = -size;
      if (!unknowns.is_active()[i]) continue;
      const double slope = (cost_at(step) - cost_at(back)) / (2 * size);
      EXPECT_NEAR(terms.gradient[i], slope, 1e-6 * largest + 1e-9) << i;
      if (!is_linear || loss != AdjustLoss::trivial) continue;
      for (std::size_t j = 0; j < unknowns.size(); ++j) {
        if (!unknowns.is_active()[j]) continue;
        const std::size_t block = i < unknowns.camera_start(0) ? i / 3 * 3 : i;
        double expected = j >= block && j < block + 3 ? terms.rows[3 * i + j - block] : 0;
        if (!terms.level.empty()) expected -= terms.level[i] * terms.level[j];
        step[j] += 1, back[j] += 1;
        const double found = (cost_at(step) - cost_at(back)) / (2 * size);
        step[j] -= 1, back[j] -= 1;
        EXPECT_NEAR(found - slope, expected, 1e-5 * largest) << i << ", " << j;
      }
    }
  }
}

TEST_P(Priors, EverySolverReachesTheMinimumOfPlainFormulas) {
  for (const AdjustLoss loss : {AdjustLoss::trivial, AdjustLoss::cauchy}) {
    Scene scene = scene_with(GetParam().kinds);
    set_losses(scene.start.priors, {loss, 2});
    double expected = 0;
    for (const AdjustSolver solver :
         {AdjustSolver::dense, AdjustSolver::sparse, AdjustSolver::iterative}) {
      for (const auto preconditioner :
           {AdjustPreconditioner::schur_jacobi, AdjustPreconditioner::power_series}) {
        if (solver != AdjustSolver::iterative &&
            preconditioner == AdjustPreconditioner::power_series)
          continue;
        AdjustOptions options = {.function_tolerance = 1e-15,
                                 .solver = solver,
                                 .preconditioner = preconditioner,
                                 .cg_tolerance = 1e-6,
                                 .deviation_px = 0.5};
        options.max_iterations = 300;
        AdjustProblem problem = scene.start;
        const AdjustResult result = adjust(problem, options);
        EXPECT_TRUE(result.is_converged());
        if (expected == 0) expected = result.final_cost;
        EXPECT_NEAR(result.final_cost, expected, 1e-9 * expected);
        EXPECT_NEAR(test::plain_cost(problem, options), result.final_cost, 1e-8 * expected);
        EXPECT_GT(result.prior_cost, 0);
        EXPECT_LT(test::plain_gradient(problem, options), 2e-3)
            << fmt::format("solver {}", static_cast<int>(solver));
      }
    }
  }
}

TEST(PriorResults, ResidualsAreInStandardDeviations) {
  Scene scene = scene_with(test::kAllPriors);
  AdjustPriors& priors = scene.start.priors;
  for (AdjustImage& image : scene.start.images) image.is_constant = true;
  for (AdjustCamera& camera : scene.start.cameras) camera.is_constant = true;
  scene.start.constant_points.assign(scene.start.points.size(), true);
  scene.start.constant_points[1] = false;
  const Vec3 c = test::centre_of(scene.start.images[2]);
  priors.positions[2] = {2, {c[0], c[1] + 0.2, c[2]}, {1, 0, 0, 0, 0.01, 0, 0, 0, 1}};
  const double focal = scene.start.cameras[1].params[0];
  priors.parameters[1] = {1, 0, focal + 4, 2};
  for (HeightPrior& h : priors.heights) {
    h.height = -test::centre_of(scene.start.images[static_cast<std::size_t>(h.image)])[1] - 7;
    h.deviation = 0.1;
  }
  priors.heights[0].height -= 1.8;
  const AdjustResult result = adjust(scene.start);
  const PriorResiduals& residuals = result.prior_residuals;
  EXPECT_NEAR(residuals.positions[2], 2, 1e-9);
  EXPECT_NEAR(residuals.parameters[1], -2, 1e-9);
  EXPECT_NEAR(residuals.level, 7 + 1.8 / 7, 1e-9);
  EXPECT_NEAR(residuals.heights[0], 18 * 6.0 / 7, 1e-9);
  EXPECT_NEAR(residuals.heights[1], -18 / 7.0, 1e-9);
  EXPECT_EQ(residuals.points.size(), priors.points.size());
  EXPECT_GT(residuals.points[0], 0);
}

TEST(PriorResults, PriorsOfImagesWithoutObservationsHaveNoEffect) {
  Scene scene = scene_with(test::kAllPriors);
  AdjustProblem with = scene.start;
  with.images.push_back(with.images[0]);
  with.cameras.push_back(with.cameras[0]);
  with.points.push_back({1, 2, 3});
  with.priors.positions.push_back({7, {9, 9, 9}, {1, 0, 0, 0, 1, 0, 0, 0, 1}});
  with.priors.heights.push_back({7, 50, 1});
  with.priors.parameters.push_back({2, 0, 5, 1});
  with.priors.points.push_back({40, {9, 9, 9}, {1, 0, 0, 0, 1, 0, 0, 0, 1}});
  AdjustProblem without = scene.start;
  const AdjustResult a = adjust(with), b = adjust(without);
  EXPECT_EQ(a.final_cost, b.final_cost);
  EXPECT_TRUE(std::isnan(a.prior_residuals.positions[7]));
  EXPECT_TRUE(std::isnan(a.prior_residuals.heights[7]));
  EXPECT_TRUE(std::isnan(a.prior_residuals.parameters[2]));
  EXPECT_TRUE(std::isnan(a.prior_residuals.points[4]));
  EXPECT_EQ(with.images[7].cam_from_world.t, scene.start.images[0].cam_from_world.t);
}

// Two measurements of one image, point or parameter count as one of half the variance.
TEST(PriorResults, SeveralPriorsOfOneThingAreIndependent) {
  Scene scene = scene_with(test::kAllPriors);
  AdjustProblem twice = scene.start, sharp = scene.start;
  const auto repeat = [](auto& list) { list.insert(list.end(), list.begin(), list.end()); };
  repeat(twice.priors.positions), repeat(twice.priors.points), repeat(twice.priors.parameters);
  repeat(twice.priors.directions), repeat(twice.priors.orientations), repeat(twice.priors.heights);
  const double root = std::sqrt(0.5);
  for (PositionPrior& p : sharp.priors.positions)
    for (double& v : p.covariance) v *= 0.5;
  for (PointPrior& p : sharp.priors.points)
    for (double& v : p.covariance) v *= 0.5;
  for (DirectionPrior& p : sharp.priors.directions) p.deviation *= root;
  for (OrientationPrior& p : sharp.priors.orientations)
    for (double& v : p.deviations) v *= root;
  for (HeightPrior& p : sharp.priors.heights) p.deviation *= root;
  for (ParameterPrior& p : sharp.priors.parameters) p.deviation *= root;
  const AdjustOptions options = {.function_tolerance = 1e-14};
  const AdjustResult a = adjust(twice, options), b = adjust(sharp, options);
  EXPECT_NEAR(a.final_cost, b.final_cost, 1e-9 * a.final_cost);
  EXPECT_NEAR(a.prior_cost, b.prior_cost, 1e-6 * a.prior_cost);
  for (std::size_t p = 0; p < twice.points.size(); ++p)
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(twice.points[p][k], sharp.points[p][k], 1e-6);
}

// A point that one image sees is at its measured position, except along its ray.
TEST(PriorResults, APointWithAPriorIsUsedIfOneImageSeesIt) {
  Scene scene = scene_with({.points = true});
  AdjustProblem problem = scene.start;
  std::erase_if(problem.observations,
                [](const AdjustObservation& o) { return o.point == 10 && o.image != 3; });
  const AdjustResult result = adjust(problem);
  const auto single = static_cast<std::size_t>(ObservationUse::single_view);
  EXPECT_EQ(result.counts.at(single), 0);
  EXPECT_LT(result.prior_residuals.points[1], 4);
}

void expect_same_bytes(const AdjustProblem& a, const AdjustProblem& b) {
  for (std::size_t i = 0; i < a.images.size(); ++i)
    EXPECT_EQ(0,
              std::memcmp(&a.images[i].cam_from_world, &b.images[i].cam_from_world, sizeof(Pose)));
  for (std::size_t c = 0; c < a.cameras.size(); ++c)
    EXPECT_EQ(a.cameras[c].params, b.cameras[c].params);
  EXPECT_EQ(0, std::memcmp(a.points.data(), b.points.data(), a.points.size() * sizeof(Vec3)));
}

Scene large_scene() {
  Scene scene = test::make_scene(
      {.images = 40, .points = 600, .cameras = 3, .visible = 0.2, .disturbed = 0.3});
  std::mt19937_64 random(6);
  scene.start.priors = test::priors_of(scene.truth, test::kAllPriors, random);
  scene.start.priors.position_loss = {AdjustLoss::cauchy, 3};
  scene.start.priors.height_loss = {AdjustLoss::soft_l1, 1};
  return scene;
}

TEST(PriorResults, HaveTheSameBytesForAnyNumberOfThreadsAndInEveryRun) {
  const Scene scene = large_scene();
  for (const AdjustSolver solver :
       {AdjustSolver::dense, AdjustSolver::sparse, AdjustSolver::iterative}) {
    AdjustProblem first = scene.start;
    (void)adjust(first, {.solver = solver});
    for (const int threads : {1, 2, 2}) {
      const ThreadLimit limit(threads);
      AdjustProblem problem = scene.start;
      (void)adjust(problem, {.solver = solver});
      expect_same_bytes(first, problem);
    }
  }
}

// A chain of images, which the sparse solver takes, with the row of the level.
TEST(PriorResults, TheSparseSolverTakesHeights) {
  constexpr int kImages = 120, kPoints = 1500;
  Scene scene =
      test::make_scene({.images = kImages, .points = kPoints, .visible = 1, .disturbed = 0.3});
  std::erase_if(scene.start.observations, [](const AdjustObservation& o) {
    return std::abs(o.image - o.point * kImages / kPoints) > 6 || (o.image + o.point) % 2 == 0;
  });
  std::mt19937_64 random(4);
  scene.start.priors = test::priors_of(scene.truth, {.positions = true, .heights = true}, random);
  AdjustProblem sparse = scene.start, dense = scene.start;
  AdjustOptions options = {.function_tolerance = 1e-13};
  const AdjustResult found = adjust(sparse, options);
  options.solver = AdjustSolver::dense;
  const AdjustResult expected = adjust(dense, options);
  EXPECT_TRUE(found.is_sparse);
  EXPECT_NEAR(found.final_cost, expected.final_cost, 1e-9 * expected.final_cost);
  EXPECT_NEAR(found.prior_residuals.level, expected.prior_residuals.level, 1e-4);
}

TEST(PriorResults, EveryDeviceReachesTheSameCost) {
  const Scene scene = large_scene();
  AdjustOptions options = {.function_tolerance = 1e-13, .solver = AdjustSolver::iterative};
  AdjustProblem expected = scene.start;
  const AdjustResult cpu = adjust(expected, options);
  for (const DeviceInfo& device : list_devices()) {
    if (!device.has_double) continue;
    for (const bool float_blocks : {false, true}) {
      options.float_blocks = float_blocks;
      AdjustProblem first = scene.start, second = scene.start;
      Queue queue{Device(device.id)};
      const AdjustResult result = adjust(queue, first, options);
      EXPECT_NEAR(result.final_cost, cpu.final_cost, 1e-8 * cpu.final_cost) << device.id;
      EXPECT_NEAR(result.prior_cost, cpu.prior_cost, 1e-4 * cpu.prior_cost) << device.id;
      (void)adjust(queue, second, options);
      expect_same_bytes(first, second);
    }
  }
}

}  // namespace
}  // namespace bifocal
