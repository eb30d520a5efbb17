// SPDX-License-Identifier: BSD-3-Clause
// Two images by one uncalibrated lens: the number of inliers of F with a distortion compared with F
// alone, the accuracy of the distortion, and no claim if the matches do not determine it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bifocal/two_view.hpp>
#include <bifocal/error.hpp>
#include <cmath>
#include <ctime>
#include <limits>
#include <random>

#include "synthetic/accuracy.hpp"
#include "synthetic/random.hpp"
#include "synthetic/two_view_scenes.hpp"
#include "support/long_tests.hpp"
#include "support/needs_problem.hpp"

namespace bifocal::test {
namespace {

using synthetic::kSceneHalfDiagonal;
using synthetic::kSceneHeight;
using synthetic::kSceneWidth;
using synthetic::make_scene;
using synthetic::uniform;

constexpr Intrinsics kLens = {kSceneHalfDiagonal, kSceneHalfDiagonal, kSceneWidth / 2,
                              kSceneHeight / 2};

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

struct Tally {
  int ok = 0, with_deviation = 0;
  int inliers = 0, right = 0, plain = 0;          // inliers, correct inliers, inliers of F alone
  double seconds = 0;                             // CPU time of this thread
  std::vector<double> errors, deviations, clean;  // k, |error| / deviation, px for F
};

// Runs scenes whose distortion is drawn from `least` to `most`.
Tally run(synthetic::SceneOptions options, double least, double most, int scenes, const char* name,
          double threshold = 2) {
  std::mt19937_64 random(17);
  Tally tally;
  for (int k = 0; k < scenes; ++k) {
    options.distortion = uniform(random, least, most);
    const synthetic::TwoViewScene s = make_scene(options, random);
    const RobustOptions robust = {.threshold = threshold, .seed = static_cast<std::uint64_t>(k)};
    const std::clock_t start = std::clock();
    const EstimateResult r = estimate(ModelKind::radial_fundamental, s.points,
                                      {.cameras = std::array{kLens}, .options = robust});
    tally.seconds += double(std::clock() - start) / CLOCKS_PER_SEC;
    const EstimateResult plain = estimate(ModelKind::fundamental, s.points, {.options = robust});
    if (plain.ok()) tally.plain += plain.num_inliers;
    if (!r.ok()) continue;
    ++tally.ok;
    tally.inliers += r.num_inliers;
    for (std::size_t i = 0; i < s.points.size(); ++i) tally.right += s.labels[i] && r.inliers[i];
    tally.with_deviation += std::isfinite(r.distortion_deviation);
    const double error = std::abs(r.distortion - options.distortion);
    tally.errors.push_back(error);
    tally.deviations.push_back(error / r.distortion_deviation);
    tally.clean.push_back(synthetic::mean_sampson_px(r.model, s.clean));
  }
  fmt::print("{}: {} of {} ok, {} inliers, {} of them right, {} of F alone ({:.2f} times as many)",
             name, tally.ok, scenes, tally.inliers, tally.right, tally.plain,
             double(tally.inliers) / std::max(1, tally.plain));
  fmt::print("; {:.1f} ms a pair", 1e3 * tally.seconds / scenes);
  if (tally.ok > 0)
    fmt::print("; medians: k {:.4f} off, error / deviation {:.2f}, F {:.2f} px",
               median(tally.errors), median(tally.deviations), median(tally.clean));
  fmt::print("\n");
  return tally;
}

using RadialFundamental = test::NeedsProblem<ModelKind::radial_fundamental>;

// One sample of nine in 50,000 is free of wrong matches.
TEST_F(RadialFundamental, is_found_among_many_wrong_matches) {
  const int scenes = test::short_or_long(5, 20);
  const Tally few = run({.points = 1000, .inliers = 0.3, .noise = 0.5}, -0.3, 0, scenes,
                        "30 % right, k of -0.3 to 0");
  EXPECT_GE(few.ok, scenes - 1);
  EXPECT_GE(few.inliers, 1.3 * few.plain);
  EXPECT_LT(median(few.errors), 0.01);
}

TEST_F(RadialFundamental, explains_more_matches_than_F_alone) {
  for (const double inliers : {0.8, 0.5}) {
    const Tally all = run({.points = 1000, .inliers = inliers, .noise = 0.5}, -0.3, 0, 40,
                          fmt::format("{:.0f} % right, k of -0.3 to 0", 100 * inliers).c_str());
    EXPECT_GE(all.ok, 39);
    EXPECT_GE(all.inliers, 1.3 * all.plain);
    EXPECT_GE(all.right, 0.97 * inliers * 1000 * all.ok);
    EXPECT_LT(median(all.errors), 0.01);
    EXPECT_LT(median(all.clean), 0.5);
  }
  for (const double k : {-0.3, -0.2, -0.1, -0.05, 0.0, 0.15}) {
    const Tally one = run({.points = 1000, .inliers = 0.6, .noise = 0.5}, k, k, 15,
                          fmt::format("60 % right, k = {}", k).c_str());
    EXPECT_GE(one.ok, 15) << k;
    EXPECT_LT(median(one.errors), 0.01) << k;
    // Images without distortion lose no inliers by the additional parameter.
    EXPECT_GE(one.inliers, 0.99 * one.plain) << k;
  }
}

// 0.6745 is the median absolute value of a standard normal variable.
TEST_F(RadialFundamental, deviation_agrees_with_the_error) {
  const Tally t =
      run({.points = 400, .inliers = 1, .noise = 0.5}, -0.3, 0, 150, "deviation, 400 matches");
  EXPECT_EQ(t.with_deviation, 150);
  EXPECT_GT(median(t.deviations), 0.5);
  EXPECT_LT(median(t.deviations), 0.9);
}

// The scene is imaged with pixels half as wide, which is given by the ratio of the focal lengths.
TEST_F(RadialFundamental, keeps_the_ratio_of_the_focal_lengths) {
  std::mt19937_64 random(3);
  for (int k = 0; k < 10; ++k) {
    synthetic::TwoViewScene s =
        make_scene({.points = 600, .inliers = 0.7, .noise = 0.2, .distortion = -0.25}, random);
    for (PointPair& p : s.points) p.x1 *= 2, p.x2 *= 2;
    const Intrinsics wide = {2 * kLens.fx, kLens.fy, 2 * kLens.cx, kLens.cy};
    const EstimateResult r =
        estimate(ModelKind::radial_fundamental, s.points, {.cameras = std::array{wide}});
    ASSERT_TRUE(r.ok());
    EXPECT_NEAR(r.distortion, -0.25, 0.02);
  }
}

// In another unit of length the same lens has another coefficient.
TEST_F(RadialFundamental, distortion_has_the_unit_of_the_camera) {
  std::mt19937_64 random(4);
  const synthetic::TwoViewScene s =
      make_scene({.points = 600, .inliers = 0.7, .noise = 0.2, .distortion = -0.2}, random);
  const EstimateResult r =
      estimate(ModelKind::radial_fundamental, s.points, {.cameras = std::array{kLens}});
  const EstimateResult half =
      estimate(ModelKind::radial_fundamental, s.points,
               {.cameras = std::array{Intrinsics{kLens.fx / 2, kLens.fy / 2, kLens.cx, kLens.cy}}});
  ASSERT_TRUE(r.ok() && half.ok());
  EXPECT_NEAR(half.distortion, r.distortion / 4, 1e-9);
  EXPECT_NEAR(half.distortion_deviation, r.distortion_deviation / 4, 1e-9);
  EXPECT_EQ(half.inliers, r.inliers);
}

// F is undetermined in these scenes, but k is determined, as accurately as its deviation states.
TEST_F(RadialFundamental, of_a_plane_or_a_rotation_gives_the_distortion) {
  for (const bool planar : {true, false}) {
    const Tally t = run({.points = 500,
                         .inliers = 0.9,
                         .noise = 0.5,
                         .planar = planar,
                         .baseline = planar ? 1.0 : 0.0},
                        -0.3, 0, 30, planar ? "a plane" : "a rotation");
    int far = 0;
    for (const double d : t.deviations) far += d > 4;
    EXPECT_LE(far, 3);
    EXPECT_GE(t.ok, 29);
    EXPECT_LT(median(t.errors), 0.02);
  }
}

TEST_F(RadialFundamental, of_wrong_matches_is_not_believed) {
  std::mt19937_64 random(5);
  int believed = 0;
  for (int k = 0; k < test::short_or_long(50, 200); ++k) {
    std::vector<PointPair> points;
    const int n = k % 2 ? 60 : 400;
    for (int i = 0; i < n; ++i)
      points.push_back({uniform(random, 0, kSceneWidth), uniform(random, 0, kSceneHeight),
                        uniform(random, 0, kSceneWidth), uniform(random, 0, kSceneHeight)});
    believed += estimate(ModelKind::radial_fundamental, points,
                         {.cameras = std::array{kLens}, .options = {.max_iterations = 20000}})
                    .ok();
  }
  EXPECT_LE(believed, 1);
}

TEST_F(RadialFundamental, has_no_result_for_degenerate_points) {
  std::mt19937_64 random(6);
  const synthetic::TwoViewScene s =
      make_scene({.points = 300, .inliers = 0.9, .noise = 0.2, .distortion = -0.2}, random);
  EXPECT_EQ(estimate(ModelKind::radial_fundamental, std::span(s.points).first(8),
                     {.cameras = std::array{kLens}})
                .outcome,
            Outcome::too_few_points);
  const std::vector<PointPair> same(50, s.points[0]);
  EXPECT_EQ(estimate(ModelKind::radial_fundamental, same, {.cameras = std::array{kLens}}).outcome,
            Outcome::degenerate_sample);
  // Repeated matches count only once.
  std::vector<PointPair> repeated;
  for (int i = 0; i < 100; ++i) repeated.push_back(s.points[static_cast<std::size_t>(i % 10)]);
  EXPECT_FALSE(
      estimate(ModelKind::radial_fundamental, repeated, {.cameras = std::array{kLens}}).ok());
  std::vector<PointPair> holes = s.points;
  holes[3].x2 = std::numeric_limits<double>::quiet_NaN();
  holes[9].y1 = std::numeric_limits<double>::infinity();
  const EstimateResult r =
      estimate(ModelKind::radial_fundamental, holes, {.cameras = std::array{kLens}});
  EXPECT_TRUE(r.ok());
  EXPECT_EQ(r.not_finite, (std::vector<int>{3, 9}));
  // A point far outside of the lens.
  holes[5] = {1e7, 1e7, 1e7, 1e7};
  EXPECT_TRUE(estimate(ModelKind::radial_fundamental, holes, {.cameras = std::array{kLens}}).ok());
}

TEST_F(RadialFundamental, refuses_mismatched_input) {
  const std::vector<PointPair> points(10);
  EXPECT_THROW((void)estimate(ModelKind::radial_fundamental, points,
                              {.cameras = std::array{Intrinsics{0, 1, 0, 0}}}),
               Error);
  EXPECT_THROW((void)estimate(ModelKind::radial_fundamental, points,
                              {.cameras = std::array{Intrinsics{1, 1, std::nan(""), 0}}}),
               Error);
  // The model includes the distortion, so F alone is refused.
  const Mat3 F = {0, 0, 0, 0, 0, 1, 0, -1, 0};
  constexpr ModelKind kind = ModelKind::radial_fundamental;
  EXPECT_THROW((void)residuals(kind, F, points, {&kLens, 1}), Error);
  EXPECT_THROW((void)refine(kind, F, points, {&kLens, 1}), Error);
  EXPECT_THROW((void)covariance(kind, F, points, {&kLens, 1}), Error);
  EXPECT_THROW((void)choose_model(points, {}, {}, kind, 2, {&kLens, 1}), Error);
}

}  // namespace
}  // namespace bifocal::test
