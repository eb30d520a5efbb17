// SPDX-License-Identifier: BSD-3-Clause
// Accuracy on noisy scenes: estimates are near the fit to the true matches alone, for any order,
// direction and scale.
#include <gtest/gtest.h>

#include <algorithm>
#include <bifocal/robust.hpp>
#include <bifocal/device.hpp>
#include <functional>

#include "synthetic/accuracy.hpp"
#include "synthetic/two_view_scenes.hpp"
#include "support/needs_problem.hpp"

namespace bifocal::test {
namespace {

using synthetic::make_scene;
using synthetic::TwoViewScene;
using Pairs = std::vector<PointPair>;

struct Estimator {
  std::string name;
  double factor;  // allowed error, relative to the fit to the true matches
  std::function<EstimateResult(const TwoViewScene&, const Pairs&, const RobustOptions&)> run;
  std::function<double(const TwoViewScene&, const EstimateResult&)> error;

  friend void PrintTo(const Estimator& e, std::ostream* out) { *out << e.name; }
};

// Error in px of the fundamental matrix K^-T E K^-1.
double essential_error(const TwoViewScene& s, const EstimateResult& r) {
  const Intrinsics& k = s.camera;
  Mat3 F = r.model;
  for (size_t i = 0; i < 3; ++i) F[3 * i + 2] -= (F[3 * i] * k.cx + F[3 * i + 1] * k.cy) / k.fx;
  for (size_t i = 0; i < 3; ++i) F[3 * i] /= k.fx, F[3 * i + 1] /= k.fy;
  for (size_t j = 0; j < 3; ++j) F[6 + j] -= (F[j] * k.cx + F[3 + j] * k.cy) / k.fx;
  for (size_t j = 0; j < 3; ++j) F[j] /= k.fx, F[3 + j] /= k.fy;
  return synthetic::mean_sampson_px(F, s.clean);
}

class Accuracy : public testing::TestWithParam<Estimator> {
 protected:
  static TwoViewScene scene(std::mt19937_64& random, int points = 1000, double inliers = 0.5) {
    return make_scene(
        {.points = points, .inliers = inliers, .planar = GetParam().name == "homography"}, random);
  }
};

TEST_P(Accuracy, is_near_the_fit_to_the_true_matches) {
  std::mt19937_64 random(21);
  std::vector<double> errors, best;
  for (int trial = 0; trial < 30; ++trial) {
    const TwoViewScene s = scene(random);
    Pairs inliers;
    for (size_t i = 0; i < s.points.size(); ++i) {
      if (s.labels[i]) inliers.push_back(s.points[i]);
    }
    const EstimateResult r = GetParam().run(s, s.points, {.threshold = 2.5});
    const EstimateResult oracle = GetParam().run(s, inliers, {.threshold = 10});
    ASSERT_TRUE(r.ok() && oracle.ok());
    errors.push_back(GetParam().error(s, r));
    best.push_back(GetParam().error(s, oracle));
    EXPECT_NEAR(r.noise, 1, 0.25);
  }
  std::sort(errors.begin(), errors.end());
  std::sort(best.begin(), best.end());
  std::printf("%s: median error %.4f px, fit to the true matches %.4f px\n",
              GetParam().name.c_str(), errors[15], best[15]);
  EXPECT_LT(errors[15], GetParam().factor * best[15]);
}

TEST_P(Accuracy, a_tight_threshold_costs_little) {
  std::mt19937_64 random(22);
  double tight = 0, matched = 0;
  for (int trial = 0; trial < 10; ++trial) {
    const TwoViewScene s = scene(random, 1000, 0.7);
    tight += GetParam().error(s, GetParam().run(s, s.points, {.threshold = 1}));
    matched += GetParam().error(s, GetParam().run(s, s.points, {.threshold = 2.5}));
  }
  EXPECT_LT(tight, 1.25 * matched);
}

TEST_P(Accuracy, does_not_depend_on_order_direction_or_scale) {
  std::mt19937_64 random(23);
  for (int trial = 0; trial < 5; ++trial) {
    const TwoViewScene s = scene(random, 1000, 0.7);
    const double error = GetParam().error(s, GetParam().run(s, s.points, {}));
    Pairs transformed = s.points;
    std::shuffle(transformed.begin(), transformed.end(), random);
    const EstimateResult shuffled = GetParam().run(s, transformed, {});
    EXPECT_NEAR(GetParam().error(s, shuffled), error, 0.02);
    if (GetParam().name == "essential") continue;  // its cameras would have to change too
    for (PointPair& p : transformed) p = {p.x2, p.y2, p.x1, p.y1};
    const EstimateResult swapped = GetParam().run(s, transformed, {});
    EXPECT_NEAR(swapped.num_inliers, shuffled.num_inliers, 4);
    EXPECT_NEAR(swapped.rms, shuffled.rms, 0.01);
    for (PointPair& p : transformed)
      p = {100 * p.x1 + 7e4, 100 * p.y1, 100 * p.x2, 100 * p.y2 - 3e4};
    const EstimateResult scaled = GetParam().run(s, transformed, {.threshold = 200});
    EXPECT_NEAR(scaled.num_inliers, swapped.num_inliers, 4);
    EXPECT_NEAR(scaled.rms, 100 * swapped.rms, 1);
  }
}

TEST_P(Accuracy, same_bytes_for_any_number_of_threads) {
  std::mt19937_64 random(24);
  const TwoViewScene s = scene(random);
  const EstimateResult a = GetParam().run(s, s.points, {.seed = 5});
  for (const int threads : {1, 2, 7}) {
    const ThreadLimit limit(threads);
    const EstimateResult b = GetParam().run(s, s.points, {.seed = 5});
    EXPECT_EQ(a.model, b.model);
    EXPECT_EQ(a.inliers, b.inliers);
    EXPECT_EQ(a.iterations, b.iterations);
  }
}

INSTANTIATE_TEST_SUITE_P(
    , Accuracy,
    testing::Values(Estimator{"homography", 1.15,
                              [](const TwoViewScene&, const Pairs& p, const RobustOptions& o) {
                                return estimate(ModelKind::homography, p, {.options = o});
                              },
                              [](const TwoViewScene& s, const EstimateResult& r) {
                                return synthetic::mean_transfer_px(r.model, s.clean);
                              }},
                    Estimator{"fundamental", 1.15,
                              [](const TwoViewScene&, const Pairs& p, const RobustOptions& o) {
                                return estimate(ModelKind::fundamental, p, {.options = o});
                              },
                              [](const TwoViewScene& s, const EstimateResult& r) {
                                return synthetic::mean_sampson_px(r.model, s.clean);
                              }},
                    Estimator{"essential", 1.15,
                              [](const TwoViewScene& s, const Pairs& p,
                                 const RobustOptions& o) -> EstimateResult {
                                return estimate_relative_pose(
                                    ModelKind::essential, p,
                                    {.cameras = std::array{s.camera, s.camera}, .options = o});
                              },
                              essential_error}),
    [](const auto& test) { return test.param.name; });

TEST(Essential, uses_both_cameras) {
  std::mt19937_64 random(25);
  TwoViewScene s = make_scene({.points = 500, .inliers = 0.7, .noise = 0.5}, random);
  const Intrinsics other{700, 1400, 300, 200};  // half as wide again: fx and fy differ
  for (PointPair& p : s.points) {
    p.x2 = (p.x2 - s.camera.cx) / s.camera.fx * other.fx + other.cx;
    p.y2 = (p.y2 - s.camera.cy) / s.camera.fy * other.fy + other.cy;
  }
  const RelativePoseResult r = estimate_relative_pose(ModelKind::essential, s.points,
                                                      {.cameras = std::array{s.camera, other}});
  ASSERT_TRUE(r.ok());
  EXPECT_LT(synthetic::rotation_error_deg(r.pose.R, s.truth.R), 0.2);
  EXPECT_LT(synthetic::direction_error_deg(r.pose.t, s.truth.t), 1);
  EXPECT_GT(r.median_parallax_deg, 1);
  EXPECT_EQ(r.in_front, std::count_if(r.triangulated.begin(), r.triangulated.end(),
                                      [](const Vec3& X) { return X[2] > 0; }));
}

TEST(AbsolutePose, recovers_the_camera) {
  SKIP_UNLESS_PROBLEM_IS_BUILT(ModelKind::absolute_pose);
  std::mt19937_64 random(26);
  std::normal_distribution<double> noise(0, 1);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (const double sigma : {0.0, 1.0}) {
    for (int trial = 0; trial < 10; ++trial) {
      const TwoViewScene s = make_scene({.points = 10, .inliers = 1}, random);
      std::vector<ScenePoint> points;
      for (int i = 0; i < 500; ++i) {
        const Vec3 X = {1000 + 4 * unit(random), 3 * unit(random), 8 + 3 * unit(random)};
        Vec3 Y = s.truth.t;  // the world is far from its origin
        for (size_t k = 0; k < 3; ++k) {
          Y[k] += s.truth.R[3 * k] * (X[0] - 1000) + s.truth.R[3 * k + 1] * X[1] +
                  s.truth.R[3 * k + 2] * X[2];
        }
        if (Y[2] < 1) continue;
        points.push_back({1000 * Y[0] / Y[2] + 640 + sigma * noise(random),
                          1000 * Y[1] / Y[2] + 480 + sigma * noise(random), X[0], X[1], X[2]});
        if (i % 2)
          points.back().x = 640 + 640 * unit(random), points.back().y = 480 + 480 * unit(random);
      }
      const EstimateResult r =
          estimate(ModelKind::absolute_pose, points,
                   {.cameras = std::array{s.camera}, .options = {.threshold = 3}});
      ASSERT_TRUE(r.ok());
      EXPECT_LT(synthetic::rotation_error_deg(r.pose.R, s.truth.R), sigma > 0 ? 0.1 : 1e-6);
      Vec3 centre{}, truth{};  // camera centre: -R't
      for (size_t k = 0; k < 3; ++k) {
        for (size_t m = 0; m < 3; ++m) {
          centre[k] -= r.pose.R[3 * m + k] * r.pose.t[m];
          truth[k] -= s.truth.R[3 * m + k] * s.truth.t[m];
        }
      }
      truth[0] += 1000;
      for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(centre[k], truth[k], sigma > 0 ? 0.02 : 1e-6);
    }
  }
}

TEST(ChooseModel, separates_planes_from_depth) {
  std::mt19937_64 random(27);
  for (int trial = 0; trial < 20; ++trial) {
    const bool planar = trial % 2;
    const TwoViewScene s =
        make_scene({.points = 600, .inliers = trial % 4 < 2 ? 0.9 : 0.4, .planar = planar}, random);
    const EstimateResult H = estimate(ModelKind::homography, s.points),
                         F = estimate(ModelKind::fundamental, s.points);
    const ModelChoice choice = choose_model(s.points, H, F, ModelKind::fundamental, 2);
    EXPECT_EQ(choice.kind, planar ? ModelKind::homography : ModelKind::fundamental)
        << choice.reason;
    const Intrinsics cameras[] = {s.camera, s.camera};
    const ModelChoice with_pose =
        choose_model(s.points, H,
                     estimate_relative_pose(ModelKind::essential, s.points,
                                            {.cameras = std::array{s.camera, s.camera}}),
                     ModelKind::essential, 2, cameras);
    EXPECT_EQ(with_pose.kind, planar ? ModelKind::homography : ModelKind::essential)
        << with_pose.reason;
    EXPECT_FALSE(choice.reason.empty());
  }
  const EstimateResult none;
  EXPECT_EQ(choose_model({}, none, none, ModelKind::fundamental, 2).rule, "no_model");
}

// Returns the models of the same points with the images exchanged.
EstimateResult exchanged(EstimateResult r, bool is_homography) {
  r.model = is_homography ? inverse(r.model) : transposed(r.model);
  return r;
}

TEST(ChooseModel, finds_depth_in_four_matches_of_a_hundred_in_both_orders) {
  std::mt19937_64 random(28);
  for (const double off : {0.0, 0.01, 0.02, 0.04, 0.1}) {
    int with_depth = 0;
    constexpr int kScenes = 5;
    for (int i = 0; i < kScenes; ++i) {
      const TwoViewScene s = make_scene({.points = 600,
                                         .inliers = 0.9,
                                         .noise = 0.3,
                                         .planar = off == 0,
                                         .on_plane = off == 0 ? 0 : 1 - off},
                                        random);
      const Intrinsics cameras[] = {s.camera, s.camera};
      const EstimateResult H = estimate(ModelKind::homography, s.points),
                           E = estimate(ModelKind::essential, s.points, {.cameras = cameras});
      std::vector<PointPair> reversed = s.points;
      for (PointPair& p : reversed) p = {p.x2, p.y2, p.x1, p.y1};
      const ModelChoice choice = choose_model(s.points, H, E, ModelKind::essential, 2, cameras);
      EXPECT_EQ(choice.reason, choose_model(reversed, exchanged(H, true), exchanged(E, false),
                                            ModelKind::essential, 2, cameras)
                                   .reason);
      with_depth += choice.kind == ModelKind::essential;
    }
    EXPECT_EQ(with_depth, off > 0.03 ? kScenes : 0) << off;
  }
}

}  // namespace
}  // namespace bifocal::test
