// SPDX-License-Identifier: BSD-3-Clause
// Fundamental matrices of scenes that consist mostly of one plane (RobustOptions::dominant_plane).
#include <gtest/gtest.h>

#include <algorithm>
#include <bifocal/robust.hpp>

#include "synthetic/accuracy.hpp"
#include "synthetic/two_view_scenes.hpp"

namespace bifocal::test {
namespace {

using synthetic::TwoViewScene;

constexpr int kScenes = 20;

std::vector<TwoViewScene> scenes(const synthetic::SceneOptions& options, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<TwoViewScene> all;
  for (int i = 0; i < kScenes; ++i) all.push_back(synthetic::make_scene(options, random));
  return all;
}

RobustOptions options_with(bool dominant_plane, int seed = 0) {
  return {
      .threshold = 2.5, .seed = static_cast<std::uint64_t>(seed), .dominant_plane = dominant_plane};
}

// Counts the scenes whose matrix is within `limit` px on points that the estimator does not see.
int solved(const std::vector<TwoViewScene>& all, bool dominant_plane, double limit) {
  int count = 0;
  for (size_t k = 0; k < all.size(); ++k) {
    const EstimateResult r =
        estimate(ModelKind::fundamental, all[k].points,
                 {.options = options_with(dominant_plane, static_cast<int>(k))});
    count += r.ok() && synthetic::mean_sampson_px(r.model, all[k].clean) < limit;
  }
  return count;
}

TEST(DominantPlane, is_abandoned_for_points_off_the_plane) {
  int before = 0, after = 0;
  for (const double share : {0.8, 0.9, 0.95}) {
    const auto all = scenes({.points = 1000, .inliers = 0.6, .on_plane = share});
    const int plain = solved(all, false, 1), with = solved(all, true, 1);
    std::printf("%.0f %% on the plane: %d of %d below 1 px, with the option %d\n", 100 * share,
                plain, kScenes, with);
    EXPECT_GE(with, kScenes - 1) << share;
    before += plain;
    after += with;
  }
  EXPECT_GE(after, before + kScenes / 2);
}

TEST(DominantPlane, is_no_proof_of_a_matrix) {
  for (const double inliers : {1.0, 0.8, 0.5}) {
    SCOPED_TRACE(inliers);
    int invented = 0;
    const auto all = scenes({.points = 600, .inliers = inliers, .planar = true});
    for (const TwoViewScene& s : all) {
      EXPECT_TRUE(
          estimate(ModelKind::fundamental, s.points, {.options = options_with(false)}).ok());
      const EstimateResult r =
          estimate(ModelKind::fundamental, s.points, {.options = options_with(true)});
      invented += r.ok();
      if (!r.ok()) {
        EXPECT_EQ(r.outcome, Outcome::degenerate_sample);
      }
      EXPECT_TRUE(r.ok() || std::count(r.inliers.begin(), r.inliers.end(), 0) == 600);
    }
    EXPECT_EQ(invented, 0);
  }
}

TEST(DominantPlane, has_no_effect_without_a_plane) {
  for (const TwoViewScene& s : scenes({.points = 500, .inliers = 0.5})) {
    const EstimateResult plain =
        estimate(ModelKind::fundamental, s.points, {.options = options_with(false)});
    const EstimateResult with =
        estimate(ModelKind::fundamental, s.points, {.options = options_with(true)});
    ASSERT_TRUE(plain.ok());
    EXPECT_EQ(plain.model, with.model);
    EXPECT_EQ(plain.inliers, with.inliers);
  }
}

TEST(DominantPlane, changes_fundamental_matrices_only) {
  for (const TwoViewScene& s : scenes({.points = 300, .inliers = 0.7, .planar = true})) {
    EXPECT_EQ(estimate(ModelKind::homography, s.points, {.options = options_with(false)}).model,
              estimate(ModelKind::homography, s.points, {.options = options_with(true)}).model);
    EXPECT_EQ(estimate_relative_pose(
                  ModelKind::essential, s.points,
                  {.cameras = std::array{s.camera, s.camera}, .options = options_with(false)})
                  .model,
              estimate_relative_pose(
                  ModelKind::essential, s.points,
                  {.cameras = std::array{s.camera, s.camera}, .options = options_with(true)})
                  .model);
  }
}

TEST(DominantPlane, ignores_points_of_weight_0) {
  auto all = scenes({.points = 800, .inliers = 0.6, .on_plane = 0.9});
  all.resize(5);
  for (TwoViewScene& s : all) {
    const EstimateResult plain =
        estimate(ModelKind::fundamental, s.points, {.options = options_with(true)});
    std::vector<double> weights(s.points.size(), 3);
    const EstimateResult equal =
        estimate(ModelKind::fundamental, s.points,
                 {.options = options_with(true), .priors = {.weights = weights}});
    EXPECT_EQ(plain.model, equal.model);
    for (size_t i = 0; i < weights.size(); ++i) weights[i] = s.labels[i] ? 1 + double(i % 2) : 0;
    const EstimateResult right =
        estimate(ModelKind::fundamental, s.points,
                 {.options = options_with(true), .priors = {.weights = weights}});
    ASSERT_TRUE(right.ok());
    EXPECT_LT(synthetic::mean_sampson_px(right.model, s.clean), 1);
  }
}

TEST(DominantPlane, in_a_batch_equals_single_pairs) {
  std::vector<PointPair> points;
  std::vector<std::int64_t> offsets = {0};
  std::vector<EstimateResult> alone;
  const auto add = [&](const std::vector<PointPair>& pair) {
    alone.push_back(estimate(ModelKind::fundamental, pair, {.options = options_with(true)}));
    points.insert(points.end(), pair.begin(), pair.end());
    offsets.push_back(static_cast<std::int64_t>(points.size()));
  };
  std::mt19937_64 random(5);
  for (const int n : {150, 700})
    for (const double share : {0.0, 0.9})
      add(synthetic::make_scene({.points = n, .inliers = 0.6, .on_plane = share}, random).points);
  add(synthetic::make_scene({.points = 300, .inliers = 0.6, .planar = true}, random).points);
  add({});
  add({points.begin(), points.begin() + 7});
  for (const DeviceInfo& info : list_devices()) {
    SCOPED_TRACE(info.id);
    Queue queue{Device(info.id)};
    const double tolerance = info.kind == DeviceKind::cpu ? 0 : 1e-6;
    const BatchEstimate all = estimate_batch(queue, ModelKind::fundamental, points.data(),
                                             {.offsets = offsets, .options = options_with(true)});
    for (size_t k = 0; k < alone.size(); ++k) {
      EXPECT_EQ(all.pairs[k].outcome, alone[k].outcome) << k;
      EXPECT_EQ(all.pairs[k].num_inliers, alone[k].num_inliers) << k;
      for (size_t i = 0; i < 9; ++i)
        EXPECT_NEAR(all.pairs[k].model[i], alone[k].model[i], tolerance) << k;
    }
  }
}

}  // namespace
}  // namespace bifocal::test
