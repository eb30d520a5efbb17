// SPDX-License-Identifier: BSD-3-Clause
// Inputs without geometry, with invalid numbers, or of absurd size give an Outcome, never a crash.
#include <gtest/gtest.h>

#include <bifocal/error.hpp>
#include <bifocal/robust.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "synthetic/two_view_scenes.hpp"

namespace bifocal::test {
namespace {

using synthetic::make_scene;
using synthetic::TwoViewScene;
using Pairs = std::vector<PointPair>;

const Intrinsics kCamera{1000, 1000, 640, 480};
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Estimator {
  std::string name;
  size_t sample;
  std::function<EstimateResult(const Pairs&, const RobustOptions&)> run;

  friend void PrintTo(const Estimator& e, std::ostream* out) { *out << e.name; }
};

class Degenerate : public testing::TestWithParam<Estimator> {
 protected:
  // Runs the estimator and checks that the result is complete and consistent.
  static EstimateResult run(const Pairs& pairs, const RobustOptions& options = {}) {
    const EstimateResult r = GetParam().run(pairs, options);
    EXPECT_EQ(r.inliers.size(), pairs.size());
    EXPECT_LE(r.iterations, options.max_iterations);
    for (const double v : r.model) {
      EXPECT_TRUE(std::isfinite(v));
      EXPECT_TRUE(r.ok() || r.outcome == Outcome::not_significant || v == 0);
    }
    int count = 0;
    for (const auto i : r.inliers) count += i;
    EXPECT_EQ(count, r.num_inliers);
    EXPECT_LE(r.score, r.num_inliers);
    return r;
  }
};

TEST_P(Degenerate, too_few_points_have_no_model) {
  for (size_t n = 0; n < GetParam().sample; ++n) {
    Pairs pairs(n);
    for (size_t i = 0; i < n; ++i)
      pairs[i] = {double(i * i), double(3 * i), double(i), double(i * 7 % 5)};
    EXPECT_EQ(run(pairs).outcome, Outcome::too_few_points) << n;
  }
}

TEST_P(Degenerate, equal_points_have_no_model) {
  EXPECT_EQ(run(Pairs(500, {10, 20, 30, 40})).outcome, Outcome::degenerate_sample);
}

TEST_P(Degenerate, one_repeated_match_has_no_model) {
  Pairs pairs(300, {100, 200, 110, 190});
  pairs.push_back({500, 300, 520, 310});
  pairs.push_back({700, 100, 690, 130});
  EXPECT_FALSE(run(pairs).ok());
}

TEST_P(Degenerate, collinear_points_have_no_model) {
  Pairs pairs;
  for (int i = 0; i < 200; ++i) pairs.push_back({i * 3.0, i * 2.0 + 5, i * 3.0 + 7, i * 2.0});
  EXPECT_EQ(run(pairs).outcome, Outcome::degenerate_sample);
}

TEST_P(Degenerate, nearly_collinear_points_determine_no_model) {
  std::mt19937_64 random(11);
  for (const double sigma : {1e-9, 1e-6, 1e-3, 0.05, 0.5}) {
    std::normal_distribution<double> noise(0, sigma);
    Pairs pairs;
    for (int i = 0; i < 200; ++i) {
      pairs.push_back({i * 3.0 + noise(random), i * 2.0 + 5 + noise(random),
                       i * 3.0 + 7 + noise(random), i * 2.0 + noise(random)});
    }
    EXPECT_FALSE(run(pairs).ok()) << sigma << " px";
  }
}

TEST_P(Degenerate, repeated_wrong_matches_have_no_model) {
  std::mt19937_64 random(12);
  std::uniform_real_distribution<double> x(0, 1280), y(0, 960);
  int accepted = 0;
  for (int trial = 0; trial < 20; ++trial) {
    Pairs pairs;
    for (int i = 0; i < 60; ++i) pairs.push_back({x(random), y(random), x(random), y(random)});
    const Pairs once = pairs;
    for (int k = 0; k < 2; ++k) pairs.insert(pairs.end(), once.begin(), once.end());
    RobustOptions options;
    options.max_iterations = 2000;
    accepted += run(pairs, options).ok();
  }
  EXPECT_EQ(accepted, 0) << "of 20";
}

TEST_P(Degenerate, not_finite_points_are_left_out_and_listed) {
  std::mt19937_64 random(5);
  TwoViewScene scene = make_scene(
      {.points = 400, .inliers = 0.8, .planar = GetParam().name == "homography"}, random);
  const EstimateResult clean = run(scene.points);
  scene.points.insert(scene.points.begin(), {kNaN, 1, 2, 3});
  scene.points.insert(scene.points.begin() + 17, {1, 2, kInfinity, 3});
  scene.points.push_back({1, -kInfinity, 2, 3});
  const EstimateResult r = run(scene.points);
  EXPECT_EQ(r.not_finite, (std::vector<int>{0, 17, 402}));
  ASSERT_TRUE(r.ok());
  for (const int i : r.not_finite) EXPECT_EQ(r.inliers[static_cast<size_t>(i)], 0);
  // Removing these points without changing the order gives the same result.
  EXPECT_EQ(r.model, clean.model);
  EXPECT_EQ(run(Pairs(20, {kNaN, kNaN, kNaN, kNaN})).outcome, Outcome::too_few_points);
}

TEST_P(Degenerate, pure_outliers_have_no_model) {
  std::mt19937_64 random(6);
  int accepted = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const int n = trial % 2 ? 200 : 1000;
    const TwoViewScene scene = make_scene({.points = n, .inliers = 0}, random);
    accepted +=
        run(scene.points, {.max_iterations = 2000, .seed = static_cast<std::uint64_t>(trial)}).ok();
  }
  EXPECT_EQ(accepted, 0);
}

TEST_P(Degenerate, few_inliers_are_found) {
  std::mt19937_64 random(7);
  int rejected = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const TwoViewScene scene = make_scene(
        {.points = 200, .inliers = 0.3, .planar = GetParam().name == "homography"}, random);
    rejected += !run(scene.points, {.threshold = 2.5}).ok();
  }
  EXPECT_EQ(rejected, 0);
}

TEST_P(Degenerate, huge_coordinates_do_no_harm) {
  std::mt19937_64 random(8);
  TwoViewScene scene = make_scene(
      {.points = 400, .inliers = 0.8, .planar = GetParam().name == "homography"}, random);
  scene.points[3] = {1e300, -1e300, 1e300, 1e300};
  scene.points[9] = {1e12, 0, 0, 1e30};
  const EstimateResult r = run(scene.points);
  ASSERT_TRUE(r.ok());
  EXPECT_GT(r.num_inliers, 250);
  for (PointPair& p : scene.points) p = {p.x1 * 1e300, p.y1 * 1e300, p.x2 * 1e300, p.y2 * 1e300};
  run(scene.points);
}

TEST_P(Degenerate, many_points_are_solved) {
  std::mt19937_64 random(9);
  const TwoViewScene scene = make_scene(
      {.points = 100000, .inliers = 0.5, .planar = GetParam().name == "homography"}, random);
  const EstimateResult r = run(scene.points);
  ASSERT_TRUE(r.ok());
  EXPECT_GT(r.num_inliers, 40000);
}

TEST_P(Degenerate, wrong_options_name_the_option) {
  const Pairs pairs(20, {1, 2, 3, 4});
  const auto expect_named = [&](const RobustOptions& options, const std::string& name) {
    try {
      GetParam().run(pairs, options);
      ADD_FAILURE() << name << " accepted";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::usage);
      EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
    }
  };
  for (const double v : {0.0, -1.0, kNaN, kInfinity}) expect_named({.threshold = v}, "threshold");
  for (const double v : {0.0, 1.0, -0.5, kNaN}) expect_named({.confidence = v}, "confidence");
  expect_named({.min_iterations = 0}, "min_iterations");
  expect_named({.max_iterations = 0}, "max_iterations");
}

INSTANTIATE_TEST_SUITE_P(
    , Degenerate,
    testing::Values(Estimator{"homography", 4,
                              [](const Pairs& p, const RobustOptions& o) {
                                return estimate(ModelKind::homography, p, {.options = o});
                              }},
                    Estimator{"fundamental", 7,
                              [](const Pairs& p, const RobustOptions& o) {
                                return estimate(ModelKind::fundamental, p, {.options = o});
                              }},
                    Estimator{"essential", 5,
                              [](const Pairs& p, const RobustOptions& o) -> EstimateResult {
                                return estimate_relative_pose(
                                    ModelKind::essential, p,
                                    {.cameras = std::array{kCamera, kCamera}, .options = o});
                              }}),
    [](const auto& test) { return test.param.name; });

// RANSAC finds near-singular homographies that agree with every match that starts near a line.
TEST(Homography, that_expands_along_a_line_is_no_model) {
  std::mt19937_64 random(10);
  for (int trial = 0; trial < 20; ++trial) {
    const TwoViewScene scene = make_scene({.points = 2000, .inliers = 0}, random);
    const EstimateResult r =
        estimate(ModelKind::homography, scene.points, {.options = {.threshold = 2.5}});
    EXPECT_NE(r.outcome, Outcome::ok) << r.num_inliers << " inliers";
  }
}

TEST(Cameras, have_to_be_valid) {
  const Pairs pairs(20, {1, 2, 3, 4});
  EXPECT_THROW(
      (void)estimate_relative_pose(ModelKind::essential, pairs,
                                   {.cameras = std::array{Intrinsics{0, 1000, 0, 0}, kCamera}}),
      Error);
  EXPECT_THROW(
      (void)estimate_relative_pose(ModelKind::essential, pairs,
                                   {.cameras = std::array{kCamera, Intrinsics{1000, kNaN, 0, 0}}}),
      Error);
  EXPECT_THROW((void)estimate(ModelKind::absolute_pose, std::vector<ScenePoint>(9),
                              {.cameras = std::array{Intrinsics{1000, -5, 0, 0}}}),
               Error);
}

}  // namespace
}  // namespace bifocal::test
