// SPDX-License-Identifier: BSD-3-Clause
// The significance test of a model.
#include <bifocal/robust.hpp>

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "ransac_scene.hpp"
#include "robust/significance.hpp"

namespace bifocal::robust {
namespace {

std::vector<PointPair> spread(double size1, double size2, int count) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> u(0, 1);
  std::vector<PointPair> points;
  for (int i = 0; i < count; ++i)
    points.push_back({size1 * u(random), size1 * u(random), size2 * u(random), size2 * u(random)});
  return points;
}

double chance(ModelKind problem, double size1, double size2) {
  PairPoints pair;
  const std::vector<PointPair> points = spread(size1, size2, 400);
  pair.set(problem, {numbers_of(points), 400, Cameras{}, MatchPriors{}}, {});
  return pair.info.chance;
}

TEST(Significance, chance_comes_from_the_image_with_the_smaller_cover) {
  for (const ModelKind problem : {ModelKind::homography, ModelKind::fundamental}) {
    const double small = chance(problem, 300, 300), large = chance(problem, 3000, 3000);
    EXPECT_GT(small, 5 * large);
    EXPECT_NEAR(chance(problem, 300, 3000), small, 0.02 * small);
    EXPECT_NEAR(chance(problem, 3000, 300), small, 0.02 * small);
  }
}

TEST(Significance, matches_that_share_a_point_are_one) {
  std::vector<PointPair> points = spread(500, 500, 30);
  const std::vector<PointPair> once = points;
  points.insert(points.end(), once.begin(), once.end());
  PairPoints pair;
  pair.set(ModelKind::fundamental, {numbers_of(points), 60, Cameras{}, MatchPriors{}}, {});
  const auto view = view_of<ModelKind::fundamental>(pair);
  const std::vector<double> errors(60, 0.0);
  problem_functions<double, ModelKind::fundamental>::count_distinct(
      &view, pair.f32.data(), errors.data(), 60, pair.tables.data(), &pair.work);
  EXPECT_EQ(pair.work.distinct_points, 30);
  EXPECT_EQ(pair.work.distinct_inliers, 30);
}

// The test uses the larger of two chances: one derived from the bounding box of the points, one
// measured on the tested models.
TEST(Significance, a_model_that_wrong_matches_often_fit_is_not_believed) {
  const auto outcome = [](double measured, double of_box) {
    ransac_result found{};
    found.outcome = FOUND_MODEL;
    found.support.inliers = 40;
    found.tested = 1000;
    found.chance = measured;
    pair_info info{};
    info.chance = of_box;
    info.log10_alarms = -2;
    const pair_work work{100, 0, 0, 0, 40, 100};
    double significance = 0;
    return test_significance(ModelKind::fundamental, found, info, work, significance);
  };
  EXPECT_EQ(outcome(0.02, 0.02), Outcome::ok);
  EXPECT_EQ(outcome(0.4, 0.02), Outcome::not_significant);
  EXPECT_EQ(outcome(0.02, 0.4), Outcome::not_significant);
}

}  // namespace
}  // namespace bifocal::robust
