// SPDX-License-Identifier: BSD-3-Clause
// A single pair with a queue: on the CPU the same bits as without a queue, on other devices the
// same estimate.
#include <gtest/gtest.h>

#include <bifocal/error.hpp>
#include <bifocal/two_view.hpp>
#include <limits>

#include "problem_scene.hpp"
#include "support/needs_problem.hpp"

namespace bifocal::robust {
namespace {

constexpr RobustOptions kOptions = {.threshold = 2.5, .max_iterations = 5000, .seed = 4};

EstimateResult estimate_there(Queue& queue, const ProblemScene& s, const MatchPriors& priors = {}) {
  return with_points(s.problem, s.numbers.data(), [&](const auto* points) {
    return estimate(queue, s.problem, std::span(points, static_cast<size_t>(s.count())),
                    {.cameras = s.cameras, .options = kOptions, .priors = priors});
  });
}

class OnePair : public testing::TestWithParam<ModelKind> {
 protected:
  void SetUp() override { test::skip_unless_built(GetParam()); }
  ProblemScene scene(int points, double inliers) {
    std::mt19937_64 random(12);
    return make_problem_scene(GetParam(), {.points = points, .inliers = inliers, .noise = 1},
                              random);
  }
};

TEST_P(OnePair, is_the_same_on_every_device) {
  ProblemScene s = scene(600, 0.6);
  s.numbers[1] = std::numeric_limits<double>::quiet_NaN();
  const EstimateResult here = estimate_scene(s, kOptions);
  ASSERT_TRUE(here.ok());
  for (const DeviceInfo& device : list_devices()) {
    Queue queue{Device(device.id)};
    const EstimateResult there = estimate_there(queue, s);
    ASSERT_TRUE(there.ok()) << device.id << " " << to_string(there.outcome);
    EXPECT_EQ(there.not_finite, std::vector<int>{0}) << device.id;
    ASSERT_EQ(there.inliers.size(), here.inliers.size());
    EXPECT_EQ(there.num_inliers,
              std::count(there.inliers.begin(), there.inliers.end(), std::uint8_t{1}));
    if (device.kind == DeviceKind::cpu) {
      EXPECT_EQ(there.model, here.model);
      EXPECT_EQ(there.inliers, here.inliers);
      EXPECT_EQ(there.iterations, here.iterations);
      continue;
    }
    int different = 0;
    for (size_t i = 0; i < here.inliers.size(); ++i)
      different += there.inliers[i] != here.inliers[i];
    EXPECT_LE(different, 6) << device.id;
    EXPECT_LT(matrix_distance(there.model, here.model), 1e-3) << device.id;
    EXPECT_NEAR(there.noise, here.noise, 0.05) << device.id;
  }
}

TEST_P(OnePair, without_geometry_is_not_believed_on_any_device) {
  const ProblemScene nothing = scene(200, 0);
  const ProblemScene few = scene(problem_info(GetParam()).sample_size - 1, 1);
  for (const DeviceInfo& device : list_devices()) {
    Queue queue{Device(device.id)};
    const EstimateResult r = estimate_there(queue, nothing);
    EXPECT_NE(r.outcome, Outcome::ok) << device.id;
    EXPECT_EQ(std::count(r.inliers.begin(), r.inliers.end(), std::uint8_t{1}), r.num_inliers);
    EXPECT_EQ(estimate_there(queue, few).outcome, Outcome::too_few_points) << device.id;
  }
}

// Language bindings estimate a pair in device memory by estimate_batch() with one pair.
TEST_P(OnePair, is_a_batch_of_one_with_its_own_options) {
  const ProblemScene s = scene(600, 0.6);
  const EstimateResult alone = estimate_scene(s, kOptions);
  const RobustOptions options = one_pair_options(GetParam(), 600, kOptions);
  EXPECT_GT(options.min_inlier_ratio, 0);
  EXPECT_EQ(one_pair_options(GetParam(), 600, options).min_inlier_ratio, options.min_inlier_ratio);
  const std::int64_t offsets[] = {0, 600};
  const std::span<const Intrinsics> cameras = s.cameras;
  const bool two = cameras.size() > 1;
  const BatchInput input{.offsets = offsets,
                         .cameras1 = two ? cameras.first(1) : cameras,
                         .cameras2 = two ? cameras.subspan(1) : cameras,
                         .options = options};
  Queue queue;
  const BatchEstimate batch = with_points(GetParam(), s.numbers.data(), [&](const auto* points) {
    return estimate_batch(queue, GetParam(), points, input);
  });
  EXPECT_EQ(batch.pairs[0].model, alone.model);
  EXPECT_EQ(batch.inliers, alone.inliers);
  EXPECT_EQ(batch.pairs[0].iterations, alone.iterations);
  if (GetParam() != ModelKind::essential) return;
  const std::vector<PointPair> points = s.pairs();
  const std::span<const PointPair> pairs(points);
  const RelativePoseResult whole = estimate_relative_pose(
      ModelKind::essential, pairs, {.cameras = cameras, .options = kOptions});
  const RelativePoseResult put_together = with_scene_points(GetParam(), alone, pairs, cameras);
  EXPECT_EQ(put_together.pose.R, whole.pose.R);
  EXPECT_EQ(put_together.in_front, whole.in_front);
  EXPECT_GT(put_together.in_front, 300);
  EXPECT_EQ(put_together.median_parallax_deg, whole.median_parallax_deg);
  EXPECT_THROW((void)with_scene_points(GetParam(), alone, pairs.first(599), cameras), Error);
  EXPECT_THROW((void)with_scene_points(GetParam(), alone, pairs, cameras.first(1)), Error);
  EXPECT_THROW((void)with_scene_points(ModelKind::homography, alone, pairs, {}), Error);
}

TEST_P(OnePair, checks_its_arguments_on_every_device) {
  const ProblemScene s = scene(50, 1);
  const std::vector<double> weights(49, 1.0), negative(50, -1.0);
  for (const DeviceInfo& device : list_devices()) {
    Queue queue{Device(device.id)};
    EXPECT_THROW((void)estimate_there(queue, s, {.weights = weights}), Error) << device.id;
    EXPECT_THROW((void)estimate_there(queue, s, {.weights = negative}), Error) << device.id;
  }
}

INSTANTIATE_TEST_SUITE_P(All, OnePair, testing::ValuesIn(kModelKinds),
                         [](const auto& kind) { return std::string(to_string(kind.param)); });

}  // namespace
}  // namespace bifocal::robust
