// SPDX-License-Identifier: BSD-3-Clause
// Relative poses of cameras that only rotated or stood still: no translation is claimed.
#include <gtest/gtest.h>

#include <bifocal/robust.hpp>
#include <random>

#include "synthetic/accuracy.hpp"
#include "synthetic/two_view_scenes.hpp"
#include "support/needs_problem.hpp"

namespace bifocal::test {
namespace {

using synthetic::make_scene;
using synthetic::TwoViewScene;

struct Tally {
  int rotated = 0, depth = 0;
  double worst = 0;  // degrees of rotation
};

Tally run(ModelKind kind, const synthetic::SceneOptions& options, int scenes, double threshold) {
  std::mt19937_64 random(31);
  Tally tally;
  for (int k = 0; k < scenes; ++k) {
    const TwoViewScene s = make_scene(options, random);
    const Intrinsics cameras[] = {s.camera, s.camera};
    const EstimateResult r =
        estimate(kind, s.points,
                 {.cameras = cameras,
                  .options = {.threshold = threshold, .seed = static_cast<std::uint64_t>(k)}});
    tally.depth += r.ok();
    if (r.outcome != Outcome::rotation_only) continue;
    ++tally.rotated;
    EXPECT_EQ(r.pose.t, (Vec3{0, 0, 0}));
    EXPECT_EQ(r.model, Mat3{});
    EXPECT_GE(r.num_inliers, 0.8 * options.inliers * options.points);
    tally.worst = std::max(tally.worst, synthetic::rotation_error_deg(r.pose.R, s.truth.R));
  }
  return tally;
}

class RotationOnly : public testing::TestWithParam<ModelKind> {
 protected:
  void SetUp() override { test::skip_unless_built(GetParam()); }
};

TEST_P(RotationOnly, is_reported_for_a_rotated_camera) {
  const bool upright = GetParam() == ModelKind::upright_essential;
  for (const int n : {30, 100, 300, 2000}) {
    for (const double noise : {0.1, 1.0}) {
      const Tally t =
          run(GetParam(),
              {.points = n, .inliers = 0.7, .noise = noise, .upright = upright, .baseline = 0}, 20,
              2.5);
      std::printf("%s, %d matches, %.1f px: %d turned, %d with depth; worst %.3f deg\n",
                  std::string(to_string(GetParam())).c_str(), n, noise, t.rotated, t.depth,
                  t.worst);
      EXPECT_EQ(t.rotated, 20);
      EXPECT_LT(t.worst, 0.5 * noise);
    }
  }
}

TEST_P(RotationOnly, does_not_explain_depth) {
  const bool upright = GetParam() == ModelKind::upright_essential;
  for (const int n : {30, 100, 300, 2000}) {
    const Tally t = run(GetParam(), {.points = n, .inliers = 0.7, .upright = upright}, 20, 2.5);
    EXPECT_EQ(t.depth, 20) << n;
  }
  // A baseline of a hundredth of the depth gives 4 to 12 px of parallax, which is enough at 0.3 px
  // of noise.
  const Tally near = run(
      GetParam(),
      {.points = 500, .inliers = 0.7, .noise = 0.3, .upright = upright, .baseline = 0.08}, 20, 2);
  EXPECT_EQ(near.depth, 20);
}

INSTANTIATE_TEST_SUITE_P(, RotationOnly,
                         testing::Values(ModelKind::essential, ModelKind::upright_essential),
                         [](const auto& test) { return std::string(to_string(test.param)); });

TEST(Rotation, of_identical_points_is_none) {
  std::mt19937_64 random(32);
  std::uniform_real_distribution<double> x(0, 1280), y(0, 960);
  std::vector<PointPair> points;
  for (int i = 0; i < 200; ++i) {
    const double u = x(random), v = y(random);
    points.push_back({u, v, u, v});
  }
  const Intrinsics camera{1000, 1000, 640, 480};
  const RelativePoseResult r =
      estimate_relative_pose(ModelKind::essential, points, {.cameras = std::array{camera, camera}});
  EXPECT_EQ(r.outcome, Outcome::rotation_only);
  EXPECT_EQ(r.num_inliers, 200);
  EXPECT_EQ(r.in_front, 0);
  EXPECT_LT(r.rms, 1e-6);
  EXPECT_LT(synthetic::rotation_error_deg(r.pose.R, {1, 0, 0, 0, 1, 0, 0, 0, 1}), 1e-5);
}

// Batches on every device find the same rotations, among pairs with depth and points of weight 0.
TEST(Rotation, is_reported_in_batches_on_every_device) {
  std::mt19937_64 random(33);
  std::vector<PointPair> points;
  std::vector<double> weights;
  std::vector<std::int64_t> offsets = {0};
  for (int k = 0; k < 12; ++k) {
    const TwoViewScene s = make_scene(
        {.points = 60 + 50 * k, .inliers = 0.8, .baseline = k % 3 == 2 ? 1.0 : 0.0}, random);
    points.insert(points.end(), s.points.begin(), s.points.end());
    for (size_t i = 0; i < s.points.size(); ++i) weights.push_back(i % 5 == 0 ? 0.0 : 1.0);
    offsets.push_back(static_cast<std::int64_t>(points.size()));
  }
  const Intrinsics camera{1000, 1000, 640, 480};
  const BatchInput input{.offsets = offsets,
                         .cameras1 = {&camera, 1},
                         .cameras2 = {&camera, 1},
                         .weights = weights.data(),
                         .options = {.threshold = 2.5}};
  Queue host{Device("cpu")};
  const BatchEstimate expected = estimate_batch(host, ModelKind::essential, points.data(), input);
  for (size_t k = 0; k < expected.pairs.size(); ++k) {
    EXPECT_EQ(expected.pairs[k].outcome, k % 3 == 2 ? Outcome::ok : Outcome::rotation_only) << k;
    EXPECT_GT(expected.pairs[k].num_inliers, 0.7 * double(offsets[k + 1] - offsets[k]));
  }
  for (const DeviceInfo& info : list_devices()) {
    SCOPED_TRACE(info.id);
    if (!info.has_double) continue;
    Queue queue{Device(info.id)};
    const BatchEstimate found = estimate_batch(queue, ModelKind::essential, points.data(), input);
    EXPECT_EQ(found.inliers, expected.inliers);
    for (size_t k = 0; k < found.pairs.size(); ++k) {
      EXPECT_EQ(found.pairs[k].outcome, expected.pairs[k].outcome);
      for (size_t i = 0; i < 9; ++i)
        EXPECT_NEAR(found.pairs[k].pose.R[i], expected.pairs[k].pose.R[i], 1e-5);
    }
  }
}

}  // namespace
}  // namespace bifocal::test
