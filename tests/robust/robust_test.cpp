// SPDX-License-Identifier: BSD-3-Clause
// Estimates on synthetic scenes: exact, noisy, invariant.
#include <bifocal/robust.hpp>

#include <gtest/gtest.h>

#include "synthetic/accuracy.hpp"
#include "synthetic/two_view_scenes.hpp"

namespace bifocal::test {
namespace {

using synthetic::make_scene;
using synthetic::SceneOptions;
using synthetic::TwoViewScene;

TEST(Homography, is_exact_on_exact_points) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 20; ++trial) {
    const TwoViewScene scene =
        make_scene({.points = 300, .inliers = 0.4, .noise = 0, .planar = true}, random);
    const EstimateResult r = estimate(ModelKind::homography, scene.points);
    ASSERT_TRUE(r.ok()) << to_string(r.outcome);
    EXPECT_LT(synthetic::mean_transfer_px(r.model, scene.clean), 1e-6);
  }
}

TEST(Fundamental, is_exact_on_exact_points) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 20; ++trial) {
    const TwoViewScene scene = make_scene({.points = 300, .inliers = 1, .noise = 0}, random);
    const EstimateResult r =
        estimate(ModelKind::fundamental, scene.points, {.options = {.threshold = 1}});
    ASSERT_TRUE(r.ok()) << to_string(r.outcome);
    EXPECT_LT(synthetic::mean_sampson_px(r.model, scene.clean), 3e-6);
  }
}

TEST(Essential, is_exact_on_exact_points) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 20; ++trial) {
    const TwoViewScene scene = make_scene({.points = 300, .inliers = 1, .noise = 0}, random);
    const RelativePoseResult r = estimate_relative_pose(
        ModelKind::essential, scene.points, {.cameras = std::array{scene.camera, scene.camera}});
    ASSERT_TRUE(r.ok()) << to_string(r.outcome);
    EXPECT_LT(synthetic::rotation_error_deg(r.pose.R, scene.truth.R), 1e-8);
    EXPECT_LT(synthetic::direction_error_deg(r.pose.t, scene.truth.t), 1e-7);
    EXPECT_EQ(r.in_front, 300);
  }
}

}  // namespace
}  // namespace bifocal::test
