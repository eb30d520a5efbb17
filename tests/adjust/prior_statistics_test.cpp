// SPDX-License-Identifier: BSD-3-Clause
// Priors: deviations, gauges, outliers and large coordinates.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <ostream>
#include <random>
#include <string>

#include "adjust/prior_scenes.hpp"
#include "adjust/tracks/deviations.hpp"

namespace bifocal {
namespace {

using test::centre_of;
using test::PriorKinds;
using test::Scene;

double distance(const Vec3& a, const Vec3& b) {
  return norm({a[0] - b[0], a[1] - b[1], a[2] - b[2]});
}

// Numbers of errors, and of those within two standard deviations.
struct Rate {
  int all = 0, within = 0;

  void add(double error, double variance) {
    ++all;
    within += error * error <= 4 * variance ? 1 : 0;
  }
  [[nodiscard]] double share() const { return static_cast<double>(within) / all; }
};

struct Kind {
  const char* name;
  PriorKinds kinds;
  AdjustFreedom freedom;

  friend void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }
};
class PriorDeviations : public testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(
    Kinds, PriorDeviations,
    testing::Values(Kind{"Positions", {.positions = true}, {0, 0, 0}},
                    Kind{"PositionsAndHeights", {.positions = true, .heights = true}, {0, 0, 0}},
                    Kind{"Points", {.points = true}, {0, 0, 0}},
                    Kind{"Directions", {.directions = true}, {3, 1, 1}},
                    Kind{"Orientations", {.orientations = true}, {3, 0, 1}},
                    Kind{"Heights", {.heights = true}, {3, 1, 0}},
                    Kind{"Parameters", {.parameters = true}, {3, 3, 1}},
                    Kind{"All", test::kAllPriors, {0, 0, 0}}),
    [](const auto& test) { return std::string(test.param.name); });

// Of 150 adjustments with noise of 0.5 px: errors within two reported deviations, and the mean of
// 2 final_cost / redundancy.
TEST_P(PriorDeviations, AgreeWithManyAdjustments) {
  const AdjustProblem exact =
      test::make_scene({.images = 6, .points = 40, .noise = 0, .visible = 0.9}).truth;
  const bool is_absolute = GetParam().freedom.total() == 0;
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0, 0.5);
  constexpr int kRuns = 150;
  Rate centres, rotations, points, focals;
  double unit = 0;
  for (int run = 0; run < kRuns; ++run) {
    AdjustProblem noisy = exact;
    for (AdjustObservation& o : noisy.observations) o.x += normal(random), o.y += normal(random);
    noisy.priors = test::priors_of(exact, GetParam().kinds, random);
    const AdjustResult result =
        adjust(noisy, {.function_tolerance = 1e-9, .covariance = true, .deviation_px = 0.5});
    ASSERT_EQ(result.pose_covariances.size(), 6u);
    EXPECT_EQ(result.freedom.position, GetParam().freedom.position);
    EXPECT_EQ(result.freedom.rotation, GetParam().freedom.rotation);
    EXPECT_EQ(result.freedom.scale, GetParam().freedom.scale);
    EXPECT_NEAR(adjust_cost(noisy, {.deviation_px = 0.5}), result.final_cost,
                1e-6 * result.final_cost);
    unit += 2 * result.final_cost / 0.25 / static_cast<double>(result.redundancy) / kRuns;
    focals.add(noisy.cameras[0].params[0] - exact.cameras[0].params[0],
               result.camera_covariances[0][0]);
    for (std::size_t i = 0; i < 6 && is_absolute; ++i) {
      const Vec3 a = centre_of(noisy.images[i]), b = centre_of(exact.images[i]);
      const Mat3 D =
          times(noisy.images[i].cam_from_world.R, transposed(exact.images[i].cam_from_world.R));
      const Vec3 e = {(D[7] - D[5]) / 2, (D[2] - D[6]) / 2, (D[3] - D[1]) / 2};
      for (std::size_t k = 0; k < 3; ++k) {
        centres.add(a[k] - b[k], result.pose_covariances[i][7 * (3 + k)]);
        rotations.add(e[k], result.pose_covariances[i][7 * k]);
      }
    }
    for (std::size_t p = 0; p < exact.points.size() && is_absolute; ++p)
      for (std::size_t k = 0; k < 3; ++k)
        points.add(noisy.points[p][k] - exact.points[p][k], result.point_covariances[p][4 * k]);
  }
  fmt::print("{}: focal length {:.3f}, unit variance {:.4f}\n", GetParam().name, focals.share(),
             unit);
  // 150 runs: a standard deviation of 0.017 of the share, and of 0.005 of the unit variance.
  EXPECT_NEAR(focals.share(), 0.954, 0.06);
  EXPECT_NEAR(unit, 1, 0.02);
  if (!is_absolute) return;
  fmt::print("{}: centres {:.3f}, rotations {:.3f}, points {:.3f}\n", GetParam().name,
             centres.share(), rotations.share(), points.share());
  // Errors of one run hang together.
  EXPECT_NEAR(centres.share(), 0.954, 0.035);
  EXPECT_NEAR(rotations.share(), 0.954, 0.035);
  EXPECT_NEAR(points.share(), 0.954, 0.035);
}

TEST(PriorDeviation, OfIntrinsicsEqualsTheCovariances) {
  Scene scene = test::make_scene({.images = 9, .disturbed = 0.3});
  std::mt19937_64 random(1);
  scene.start.priors = test::priors_of(scene.truth, test::kAllPriors, random);
  const AdjustOptions options = {.covariance = true, .deviation_px = 0.5};
  const AdjustResult result = adjust(scene.start, options);
  const double unit = 2 * result.final_cost / 0.25 / static_cast<double>(result.redundancy);
  const auto deviations = adjustment::intrinsic_deviations(scene.start, options).deviations;
  for (const std::size_t k : {0U, 3U}) {
    const double expected = std::sqrt(unit * result.camera_covariances[0][5 * k]);
    EXPECT_NEAR(deviations[0][k], expected, 0.001 * expected);
  }
}

struct GaugeKind {
  const char* name;
  AdjustFreedom freedom;
  void (*change)(AdjustPriors& priors);

  friend void PrintTo(const GaugeKind& kind, std::ostream* out) { *out << kind.name; }
};
template <class List>
void keep_first(List& list, std::size_t count) {
  list.resize(count);
}
class PriorGauge : public testing::TestWithParam<GaugeKind> {};
INSTANTIATE_TEST_SUITE_P(
    Kinds, PriorGauge,
    testing::Values(
        GaugeKind{"OnePosition",
                  {0, 3, 1},
                  [](AdjustPriors& p) {
                    keep_first(p.positions, 1), p.directions.clear(), p.heights.clear();
                  }},
        GaugeKind{"TwoPositions",
                  {0, 1, 0},
                  [](AdjustPriors& p) {
                    keep_first(p.positions, 2), p.directions.clear(), p.heights.clear();
                  }},
        GaugeKind{"ThreePositions",
                  {0, 0, 0},
                  [](AdjustPriors& p) {
                    keep_first(p.positions, 3), p.directions.clear(), p.heights.clear();
                  }},
        GaugeKind{"PositionAndDirections",
                  {0, 1, 1},
                  [](AdjustPriors& p) { keep_first(p.positions, 1), p.heights.clear(); }},
        GaugeKind{"TwoPositionsAndADirection",
                  {0, 0, 0},
                  [](AdjustPriors& p) {
                    keep_first(p.positions, 2), keep_first(p.directions, 1), p.heights.clear();
                  }},
        GaugeKind{"ADirection",
                  {3, 1, 1},
                  [](AdjustPriors& p) {
                    p.positions.clear(), keep_first(p.directions, 1), p.heights.clear();
                  }},
        GaugeKind{"TwoDirections",
                  {3, 0, 1},
                  [](AdjustPriors& p) {
                    p.positions.clear(), keep_first(p.directions, 2), p.heights.clear();
                    p.directions[1].world = {1, 1, 0};
                  }},
        GaugeKind{"DirectionsAndHeights", {3, 1, 0}, [](AdjustPriors& p) { p.positions.clear(); }},
        GaugeKind{"PositionAndHeights",
                  {0, 1, 0},
                  [](AdjustPriors& p) { keep_first(p.positions, 1), p.directions.clear(); }}),
    [](const auto& test) { return std::string(test.param.name); });

// The degrees of freedom that priors leave, of which the cost does not depend.
TEST_P(PriorGauge, TheStartFixesTheRest) {
  Scene scene = test::make_scene({.images = 6, .points = 40, .visible = 0.9, .disturbed = 0.3});
  std::mt19937_64 random(2);
  AdjustProblem problem = scene.start;
  problem.priors = test::priors_of(
      scene.truth, {.positions = true, .directions = true, .heights = true}, random);
  GetParam().change(problem.priors);
  for (const AdjustSolver solver : {AdjustSolver::dense, AdjustSolver::iterative}) {
    const AdjustResult result =
        adjust(problem, {.function_tolerance = 1e-14, .solver = solver, .covariance = true});
    EXPECT_EQ(result.freedom.position, GetParam().freedom.position);
    EXPECT_EQ(result.freedom.rotation, GetParam().freedom.rotation);
    EXPECT_EQ(result.freedom.scale, GetParam().freedom.scale);
    EXPECT_NEAR(adjust_cost(problem), result.final_cost, 1e-7 * result.final_cost);
    EXPECT_EQ(result.pose_covariances.size(), 6u);
  }
}

// A start that is too large, shifted and rotated.
TEST(PriorScenes, PositionsFixTheScale) {
  Scene scene = test::make_scene({.images = 12, .points = 200, .visible = 0.4});
  AdjustProblem problem = scene.start;
  std::mt19937_64 random(3);
  problem.priors = test::priors_of(scene.truth, {.positions = true}, random);
  const Mat3 Q = test::small_rotation({0.05, -0.03, 0.04});
  const auto moved = [&](const Vec3& X) {
    const Vec3 Y = times(Q, X);
    return Vec3{1.05 * Y[0] + 0.3, 1.05 * Y[1] - 0.2, 1.05 * Y[2] + 0.1};
  };
  for (AdjustImage& image : problem.images) {
    const Vec3 centre = moved(centre_of(image));
    image.cam_from_world.R = times(image.cam_from_world.R, transposed(Q));
    test::move_to(image, centre);
  }
  for (Vec3& X : problem.points) X = moved(X);
  for (const AdjustSolver solver :
       {AdjustSolver::dense, AdjustSolver::sparse, AdjustSolver::iterative}) {
    AdjustProblem adjusted = problem;
    const AdjustResult result = adjust(adjusted, {.function_tolerance = 1e-10, .solver = solver});
    EXPECT_TRUE(result.is_converged());
    const double scale = distance(adjusted.points[0], adjusted.points[1]) /
                         distance(scene.truth.points[0], scene.truth.points[1]);
    EXPECT_NEAR(scale, 1, 0.01);
    for (std::size_t i = 0; i < 12; ++i)
      EXPECT_LT(distance(centre_of(adjusted.images[i]), centre_of(scene.truth.images[i])), 0.15);
  }
}

// 5 x 5 images at a height of 50 over ground of 3 x 3 m per image, whose lens is unknown: the
// observations alone leave a bowl.
Scene flight() {
  Scene scene = test::make_scene({.images = 1, .points = 1});
  AdjustProblem& truth = scene.truth;
  truth.images.clear(), truth.points.clear(), truth.observations.clear();
  for (int i = 0; i < 25; ++i) {
    AdjustImage image{.cam_from_world = {.R = {1, 0, 0, 0, -1, 0, 0, 0, -1}}, .camera = 0};
    test::move_to(image, {10.0 * (i % 5), 10.0 * (i / 5), 50.0 + i % 2});
    truth.images.push_back(image);
  }
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> ground(-20, 60);
  const LensCamera lens(truth.cameras[0].model, truth.cameras[0].params);
  for (int p = 0; p < 400; ++p) {
    truth.points.push_back({ground(random), ground(random), 0.3 * normal(random)});
    for (int i = 0; i < 25; ++i) {
      const Vec2 px = test::projected(truth, lens, i, truth.points.back());
      if (px[0] >= 0 && px[0] < 1000 && px[1] >= 0 && px[1] < 800)
        truth.observations.push_back({i, p, px[0] + normal(random), px[1] + normal(random)});
    }
  }
  scene.start = truth;
  return scene;
}
// Second-order part of the heights' error: of z = a + b r^2 from the centre, at r = 30.
double bowl(const AdjustProblem& found, const AdjustProblem& truth) {
  double n = 0, r2 = 0, r4 = 0, z = 0, zr2 = 0;
  for (std::size_t p = 0; p < truth.points.size(); ++p) {
    const double x = truth.points[p][0] - 20, y = truth.points[p][1] - 20, r = x * x + y * y;
    const double error = found.points[p][2] - truth.points[p][2];
    if (r > 900) continue;
    n += 1, r2 += r, r4 += r * r, z += error, zr2 += error * r;
  }
  return 900 * (n * zr2 - r2 * z) / (n * r4 - r2 * r2);
}

TEST(PriorScenes, PositionsPreventABowl) {
  const Scene scene = flight();
  std::mt19937_64 random(8);
  AdjustProblem without = scene.start, with = scene.start;
  with.priors = test::priors_of(scene.truth, {.positions = true}, random);
  (void)adjust(without, {.function_tolerance = 1e-10});
  const AdjustResult result = adjust(with, {.function_tolerance = 1e-10});
  const double before = bowl(without, scene.truth), after = bowl(with, scene.truth);
  fmt::print("bowl at 30: {:.3f} without positions, {:.3f} with\n", before, after);
  EXPECT_TRUE(result.is_converged());
  EXPECT_LT(std::abs(after), 0.1);
  EXPECT_GT(std::abs(before), 2 * std::abs(after));
}

// 2 of 40 positions are wrong by 5: a robust loss leaves them aside.
TEST(PriorScenes, ARobustLossLeavesWrongPositionsAside) {
  Scene scene = test::make_scene({.images = 40, .points = 300, .visible = 0.2, .disturbed = 0.3});
  std::mt19937_64 random(9);
  scene.start.priors = test::priors_of(scene.truth, {.positions = true}, random);
  const auto error = [&](const PriorLoss& loss) {
    AdjustProblem problem = scene.start;
    problem.priors.position_loss = loss;
    const AdjustResult result = adjust(problem, {.function_tolerance = 1e-10});
    EXPECT_TRUE(result.is_converged());
    double square = 0;
    for (std::size_t i = 0; i < 40; ++i)
      square +=
          std::pow(distance(centre_of(problem.images[i]), centre_of(scene.truth.images[i])), 2);
    return std::sqrt(square / 40);
  };
  const double without = error({});
  for (const std::size_t i : {4U, 23U}) scene.start.priors.positions[i].centre[0] += 5;
  const double plain = error({}), robust = error({AdjustLoss::cauchy, 3});
  fmt::print("rms of centres: {:.4f} without wrong positions, {:.4f} with least squares, {:.4f}\n",
             without, plain, robust);
  EXPECT_LT(robust, 1.2 * without);
  EXPECT_GT(plain, 3 * robust);
}

// Coordinates as those of UTM: the same result but for rounding.
TEST(PriorScenes, LargeCoordinatesHaveNoInfluence) {
  Scene scene = test::make_scene({.images = 10, .points = 100, .disturbed = 0.3});
  std::mt19937_64 random(10);
  scene.start.priors = test::priors_of(scene.truth, test::kAllPriors, random);
  const Vec3 shift = {4.5e5, -1234.5, 5.3e6};
  AdjustProblem near = scene.start, far = scene.start;
  const auto moved = [&](const Vec3& X) {
    return Vec3{X[0] + shift[0], X[1] + shift[1], X[2] + shift[2]};
  };
  for (AdjustImage& image : far.images) test::move_to(image, moved(centre_of(image)));
  for (Vec3& X : far.points) X = moved(X);
  for (PositionPrior& p : far.priors.positions) p.centre = moved(p.centre);
  for (PointPrior& p : far.priors.points) p.position = moved(p.position);
  for (HeightPrior& p : far.priors.heights) p.height -= shift[1];
  const AdjustOptions options = {.function_tolerance = 1e-12, .covariance = true};
  const AdjustResult a = adjust(near, options), b = adjust(far, options);
  EXPECT_NEAR(a.final_cost, b.final_cost, 1e-6 * a.final_cost);
  EXPECT_NEAR(a.prior_residuals.level, b.prior_residuals.level, 1e-5);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_LT(distance(moved(centre_of(near.images[i])), centre_of(far.images[i])), 1e-5);
    EXPECT_NEAR(a.pose_covariances[i][21] / b.pose_covariances[i][21], 1, 1e-4);
  }
  for (std::size_t p = 0; p < 100; ++p)
    EXPECT_LT(distance(moved(near.points[p]), far.points[p]), 1e-5);
}

}  // namespace
}  // namespace bifocal
