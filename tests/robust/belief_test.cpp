// SPDX-License-Identifier: BSD-3-Clause
// The level of the significance test (RobustOptions::belief), and the bound on the samples of a
// pair whose model is not accepted.
#include <gtest/gtest.h>

#include <algorithm>
#include <bifocal/error.hpp>
#include <bifocal/robust.hpp>
#include <vector>

#include "problem_scene.hpp"
#include "support/needs_problem.hpp"

namespace bifocal::robust {
namespace {

constexpr double kThreshold = 2.5;

ProblemScene scene_of(ModelKind kind, int points, double inliers, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  return make_problem_scene(kind, {.points = points, .inliers = inliers}, random);
}

// Counts the accepted scenes of 40.
int believed(ModelKind kind, int points, double inliers, double level) {
  int count = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed)
    count += estimate_scene(scene_of(kind, points, inliers, seed),
                            {.threshold = kThreshold, .belief = level})
                 .ok();
  return count;
}

TEST(Belief, of_few_matches_grows_with_its_level) {
  const int strict = believed(ModelKind::essential, 20, 0.5, 1e-6),
            usual = believed(ModelKind::essential, 20, 0.5, 0),
            loose = believed(ModelKind::essential, 20, 0.5, 10);
  EXPECT_LT(strict, usual);
  EXPECT_LT(usual, loose);
}

TEST(Belief, in_wrong_matches_comes_with_a_large_level_alone) {
  EXPECT_EQ(believed(ModelKind::essential, 20, 0, 0), 0);
  EXPECT_GT(believed(ModelKind::essential, 20, 0, 1e6), 20);
}

TEST(Belief, by_default_is_the_level_of_the_kind_of_model) {
  const std::pair<ModelKind, double> levels[] = {{ModelKind::homography, 1e-3},
                                                 {ModelKind::fundamental, 1e-2},
                                                 {ModelKind::essential, 1e-2},
                                                 {ModelKind::absolute_pose, 1e-2}};
  for (const auto& [kind, level] : levels) {
    if (!problem_info(kind).is_built) continue;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const ProblemScene s = scene_of(kind, 30, 0.5, seed);
      const EstimateResult usual = estimate_scene(s, {.threshold = kThreshold}),
                           named = estimate_scene(s, {.threshold = kThreshold, .belief = level});
      EXPECT_EQ(usual.outcome, named.outcome) << to_string(kind) << " " << seed;
      EXPECT_EQ(usual.model, named.model) << to_string(kind) << " " << seed;
      EXPECT_EQ(usual.iterations, named.iterations) << to_string(kind) << " " << seed;
    }
  }
}

TEST(Belief, in_batches_equals_single_pairs) {
  const ProblemScene s = scene_of(ModelKind::essential, 20, 0.5, 3);
  const std::vector<PointPair> points = s.pairs();
  const std::int64_t offsets[] = {0, 20};
  for (const DeviceInfo& device : list_devices()) {
    Queue queue{Device(device.id)};
    for (const double level : {1e-9, 1e9}) {
      const BatchEstimate found =
          estimate_batch(queue, ModelKind::essential, points.data(),
                         {.offsets = offsets,
                          .cameras1 = std::span(s.cameras).first(1),
                          .cameras2 = std::span(s.cameras).last(1),
                          .options = {.threshold = kThreshold, .belief = level}});
      EXPECT_EQ(found.pairs[0].ok(), level > 1) << device.id;
    }
  }
}

TEST(Belief, is_a_finite_number_of_at_least_zero) {
  const ProblemScene s = scene_of(ModelKind::homography, 30, 0.5, 0);
  for (const double level : {-1.0, HUGE_VAL, std::nan("")})
    EXPECT_THROW((void)estimate_scene(s, {.belief = level}), Error) << level;
}

// Pairs 11, 241 and 249 have a model that scores more than chance but is not accepted; without the
// bound they took 300,000 samples. The narrowed threshold (decide.group.h) adds 512 samples.
TEST(Bound, on_samples_of_a_pair_without_geometry_is_three_times_the_usual_number) {
  test::skip_unless_built(ModelKind::essential);
  std::vector<int> samples;
  for (const std::uint64_t seed : {11, 241, 249, 0, 1, 2, 3, 4, 5, 6}) {
    const EstimateResult r =
        estimate_scene(scene_of(ModelKind::essential, 300, 0, seed), {.threshold = kThreshold});
    EXPECT_FALSE(r.ok()) << seed;
    samples.push_back(r.iterations);
  }
  std::sort(samples.begin(), samples.end());
  const int usual = samples[2], most = samples.back();
  EXPECT_GT(most, 2 * usual) << "the scenes have no such model any more";
  EXPECT_LE(most, 3 * usual + 512);
}

}  // namespace
}  // namespace bifocal::robust
