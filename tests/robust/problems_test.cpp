// SPDX-License-Identifier: BSD-3-Clause
// Properties of every problem of bifocal/problems.def, for one pair and for batches, on
// every device.
#include <gtest/gtest.h>

#include <algorithm>

#include "problem_scene.hpp"
#include "support/needs_problem.hpp"

namespace bifocal::robust {
namespace {

constexpr RobustOptions kOptions = {
    .threshold = 2.5, .max_iterations = 5000, .min_inlier_ratio = 0.2, .seed = 4};

class Problem : public testing::TestWithParam<ModelKind> {
 protected:
  void SetUp() override { test::skip_unless_built(GetParam()); }
  std::mt19937_64 random_{21};
  ProblemScene scene(int points, double inliers, double noise = 1) {
    return make_problem_scene(GetParam(), {.points = points, .inliers = inliers, .noise = noise},
                              random_);
  }
};

TEST_P(Problem, finds_the_true_matches) {
  for (const double inliers : {0.9, 0.6, 0.4}) {
    const ProblemScene s = scene(1500, inliers);
    const EstimateResult r = estimate_scene(s, kOptions);
    ASSERT_TRUE(r.ok()) << to_string(r.outcome) << " of " << inliers;
    int right = 0, found = 0;
    for (size_t i = 0; i < s.labels.size(); ++i) {
      right += s.labels[i];
      found += s.labels[i] && r.inliers[i];
    }
    // Errors with one or two coordinates are within 2.5 standard deviations in 98.8 or 95.6 % of
    // all cases.
    EXPECT_GT(found, 0.93 * right) << inliers;
    EXPECT_NEAR(r.noise, 1, 0.1) << inliers;
  }
}

TEST_P(Problem, is_exact_on_exact_points) {
  for (int trial = 0; trial < 10; ++trial) {
    const ProblemScene s = scene(300, 0.8, 0);
    const EstimateResult r = estimate_scene(s, kOptions);
    ASSERT_TRUE(r.ok()) << to_string(r.outcome);
    // The last fit ends when a step changes the score by less than 1e-9 (fundamental matrices
    // converge slowest).
    EXPECT_LT(matrix_distance(r.model, s.result), 1e-4);
    if (!problem_info(GetParam()).has_pose) continue;
    // The pose is less accurate if it depends on a focal length that two views determine poorly.
    const double near = problem_info(GetParam()).estimates_focal_length ? 1e-4 : 1e-5;
    for (size_t i = 0; i < 9; ++i) EXPECT_NEAR(r.pose.R[i], s.pose.R[i], near);
    for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(r.pose.t[i], s.pose.t[i], 10 * near);
  }
}

TEST_P(Problem, has_no_model_without_geometry) {
  for (int trial = 0; trial < 5; ++trial)
    EXPECT_NE(estimate_scene(scene(300, 0), kOptions).outcome, Outcome::ok);
  EXPECT_EQ(estimate_scene(scene(problem_info(GetParam()).sample_size - 1, 1), kOptions).outcome,
            Outcome::too_few_points);
}

BatchEstimate run_batch(Queue& queue, ModelKind kind, const std::vector<double>& numbers,
                        const BatchInput& input) {
  return with_points(kind, numbers.data(), [&](const auto* points) {
    return estimate_batch(queue, kind, points, input);
  });
}

TEST_P(Problem, in_batches_gives_the_result_of_each_single_pair) {
  const ProblemInfo info = problem_info(GetParam());
  std::vector<double> numbers;
  std::vector<std::int64_t> offsets = {0};
  std::vector<EstimateResult> alone;
  std::vector<Intrinsics> cameras;
  for (const int points : {200, 2, 60, 700, 129}) {
    ProblemScene s = scene(points, points == 60 ? 0.9 : 0.6);
    if (points == 129) s.numbers[5] = std::nan("");
    numbers.insert(numbers.end(), s.numbers.begin(), s.numbers.end());
    offsets.push_back(offsets.back() + points);
    alone.push_back(estimate_scene(s, kOptions));
    cameras = s.cameras;
  }
  for (const DeviceInfo& device : list_devices()) {
    SCOPED_TRACE(device.id);
    Queue queue{Device(device.id)};
    const auto one = std::span<const Intrinsics>(cameras).first(info.cameras > 0 ? 1 : 0);
    const BatchEstimate all =
        run_batch(queue, GetParam(), numbers,
                  {.offsets = offsets, .cameras1 = one, .cameras2 = one, .options = kOptions});
    // On devices other than a CPU, sums differ by rounding, which the refinement does not magnify.
    const double tolerance = device.kind == DeviceKind::cpu ? 0 : 1e-6;
    for (size_t k = 0; k < alone.size(); ++k) {
      SCOPED_TRACE("pair " + std::to_string(k));
      const Estimate& e = all.pairs[k];
      ASSERT_EQ(e.outcome, alone[k].outcome);
      EXPECT_EQ(e.num_inliers, alone[k].num_inliers);
      const auto from = all.inliers.begin() + offsets[k];
      EXPECT_TRUE(std::equal(alone[k].inliers.begin(), alone[k].inliers.end(), from));
      EXPECT_LE(matrix_distance(e.model, alone[k].model), tolerance);
      for (size_t i = 0; i < 9; ++i) EXPECT_NEAR(e.pose.R[i], alone[k].pose.R[i], tolerance);
      for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(e.pose.t[i], alone[k].pose.t[i], 10 * tolerance);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, Problem, testing::ValuesIn(kModelKinds),
                         [](const auto& test) { return std::string(to_string(test.param)); });

}  // namespace
}  // namespace bifocal::robust
