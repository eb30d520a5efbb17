// SPDX-License-Identifier: BSD-3-Clause
// The doubt about models of repeated structure, from matches alone.
#include <bifocal/two_view.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bifocal/error.hpp>
#include <iostream>
#include <random>

#include "synthetic/facades.hpp"
#include "synthetic/two_view_scenes.hpp"
#include "support/long_tests.hpp"

namespace bifocal::test {
namespace {

constexpr double kThreshold = 2.5;

struct Counts {
  int believed = 0, doubted = 0;
};

void count(ModelKind kind, const Intrinsics& camera, std::span<const PointPair> points, int seed,
           Counts& counts) {
  const std::vector<Intrinsics> cameras(std::size_t(problem_info(kind).cameras), camera);
  const EstimateInput input{
      .cameras = cameras,
      .options = {.threshold = kThreshold, .seed = static_cast<std::uint64_t>(seed)}};
  const EstimateResult found = estimate(kind, points, input);
  if (!found.ok()) return;
  ++(find_repetition(kind, points, found, input).is_doubted ? counts.doubted : counts.believed);
}

Counts count_facades(ModelKind kind, double repeated, int scenes) {
  std::mt19937_64 random(51);
  Counts counts;
  for (int i = 0; i < scenes; ++i) {
    const auto scene = synthetic::make_facade({.repeated = repeated}, random);
    count(kind, scene.camera, scene.points, i, counts);
  }
  return counts;
}

Counts count_protocol(ModelKind kind, int points, double inliers, int scenes) {
  std::mt19937_64 random(static_cast<std::uint64_t>(points));
  Counts counts;
  for (int i = 0; i < scenes; ++i) {
    const auto scene = synthetic::make_scene({.points = points, .inliers = inliers}, random);
    count(kind, scene.camera, scene.points, i, counts);
  }
  return counts;
}

TEST(Repetition, MatchesBetweenAnyWindowsOfAFacadeAreDoubted) {
  const int scenes = test::short_or_long(20, 60);
  const Counts F = count_facades(ModelKind::fundamental, 1, scenes),
               E = count_facades(ModelKind::essential, 1, scenes / 3);
  EXPECT_LE(F.believed, scenes / 20);
  EXPECT_GE(F.doubted, scenes * 5 / 6);  // the significance test alone accepts them
  EXPECT_LE(E.believed, 1);
}

TEST(Repetition, CorrectMatchesOfAFacadeAreNotDoubted) {
  for (const ModelKind kind : {ModelKind::essential, ModelKind::fundamental}) {
    const Counts counts = count_facades(kind, 0, 60);
    EXPECT_GE(counts.believed, 59) << to_string(kind);
  }
}

// The measurement of docs/robust.md; --gtest_also_run_disabled_tests runs it, in some minutes.
TEST(Repetition, DISABLED_TwoHundredFacades) {
  for (const ModelKind kind : {ModelKind::essential, ModelKind::fundamental}) {
    const Counts wrong = count_facades(kind, 1, 200), right = count_facades(kind, 0, 200);
    std::cout << to_string(kind) << ": any window " << wrong.believed << " believed, "
              << wrong.doubted << " doubted; the same window " << right.believed << " believed, "
              << right.doubted << " doubted of 200\n";
    EXPECT_LE(wrong.believed, 10);
    EXPECT_GE(right.believed, 196);
  }
}

TEST(Repetition, ScenesWithoutRepetitionAreNotDoubted) {
  for (const ModelKind kind : {ModelKind::essential, ModelKind::fundamental}) {
    for (const int points : {20, 30, 50, 100})
      EXPECT_LE(count_protocol(kind, points, 0.5, 40).doubted, 2)
          << to_string(kind) << " of " << points;
    EXPECT_EQ(count_protocol(kind, 2000, 0.15, 3).doubted, 0) << to_string(kind);
  }
}

TEST(Repetition, OnlyEpipolarModelsThatAreOkHaveRivals) {
  std::mt19937_64 random(1);
  const auto scene = synthetic::make_scene({.points = 100, .planar = true}, random);
  const EstimateResult H = estimate(ModelKind::homography, scene.points);
  ASSERT_TRUE(H.ok());
  EXPECT_EQ(find_repetition(ModelKind::homography, scene.points, H).rival_inliers, 0);
  EXPECT_FALSE(find_repetition(ModelKind::fundamental, scene.points, {}).is_doubted);
}

// The points of several pairs, with one camera, and their batch estimate.
struct Batch {
  ModelKind kind;
  std::vector<PointPair> points{};
  std::vector<double> weights{}, qualities{};  // none, or one for each point
  std::vector<std::int64_t> offsets = {0};
  std::vector<Intrinsics> cameras{};
  BatchEstimate found{};

  void add(std::span<const PointPair> more) {
    points.insert(points.end(), more.begin(), more.end());
    offsets.push_back(std::ssize(points));
  }
  [[nodiscard]] BatchInput input() const {
    return {.offsets = offsets,
            .cameras1 = cameras,
            .cameras2 = cameras,
            .weights = weights.empty() ? nullptr : weights.data(),
            .qualities = qualities.empty() ? nullptr : qualities.data(),
            .options = {.threshold = kThreshold, .seed = 5}};
  }
  // Tests pair k alone.
  [[nodiscard]] Repetition single(std::size_t k) const {
    const auto own = [&]<class T>(const std::vector<T>& all) {
      const auto at = static_cast<std::size_t>(offsets[k]),
                 count = static_cast<std::size_t>(offsets[k + 1]) - at;
      return all.empty() ? std::span<const T>() : std::span(all).subspan(at, count);
    };
    const auto flags = own(found.inliers);
    const EstimateResult one{found.pairs[k], {flags.begin(), flags.end()}};
    const std::vector<Intrinsics> both(cameras.empty() ? 0 : 2,
                                       cameras.empty() ? Intrinsics{} : cameras[0]);
    return find_repetition(
        kind, own(points), one,
        {.cameras = both, .options = input().options, .priors = {own(weights), own(qualities)}});
  }
};

// Makes facades with and without correct matches, scenes with outliers, an empty pair and a pair
// without geometry.
Batch make_batch(ModelKind kind, bool has_priors) {
  std::mt19937_64 random(52);
  Batch batch{.kind = kind};
  if (kind == ModelKind::essential) batch.cameras = {synthetic::FacadeScene{}.camera};
  for (int i = 0; i < 3; ++i) {
    batch.add(synthetic::make_facade({.repeated = 1}, random).points);
    batch.add(synthetic::make_scene({.points = 200, .inliers = 0.6}, random).points);
    batch.add(synthetic::make_facade({.repeated = 0}, random).points);
  }
  batch.add({});
  batch.add(synthetic::make_scene({.points = 150, .inliers = 0}, random).points);
  auto two = synthetic::make_scene({.points = 120, .inliers = 1}, random).points;
  const auto other = synthetic::make_scene({.points = 100, .inliers = 1}, random).points;
  two.insert(two.end(), other.begin(), other.end());
  batch.add(two);
  for (std::size_t i = 0; has_priors && i < batch.points.size(); ++i) {
    batch.weights.push_back(1 + double(i % 3));
    batch.qualities.push_back(double(i % 7));
  }
  Queue queue;
  batch.found = estimate_batch(queue, kind, batch.points.data(), batch.input());
  return batch;
}

TEST(Repetition, ABatchGivesTheResultsOfSinglePairs) {
  for (const ModelKind kind : {ModelKind::essential, ModelKind::fundamental})
    for (const bool has_priors : {false, true}) {
      const Batch batch = make_batch(kind, has_priors);
      Queue queue;
      const std::vector<Repetition> all =
          find_repetition_batch(queue, kind, batch.points.data(), batch.input(), batch.found);
      ASSERT_EQ(all.size(), batch.found.pairs.size());
      EXPECT_TRUE(all.back().is_doubted) << to_string(kind);  // two motions
      for (std::size_t k = 0; k < all.size(); ++k) {
        const Repetition one = batch.single(k);
        EXPECT_EQ(all[k].is_doubted, one.is_doubted) << to_string(kind) << " " << k;
        EXPECT_EQ(all[k].reason, one.reason) << to_string(kind) << " " << k;
        EXPECT_EQ(all[k].rival_inliers, one.rival_inliers) << to_string(kind) << " " << k;
        EXPECT_EQ(all[k].rival_ratio, one.rival_ratio) << to_string(kind) << " " << k;
      }
    }
}

// A batch may begin in the middle of its points.
TEST(Repetition, ABatchCanBePartOfItsPoints) {
  const Batch batch = make_batch(ModelKind::fundamental, true);
  Queue queue;
  BatchInput input = batch.input();
  const auto whole =
      find_repetition_batch(queue, batch.kind, batch.points.data(), input, batch.found);
  input.offsets = input.offsets.subspan(6);
  const BatchEstimate found = estimate_batch(queue, batch.kind, batch.points.data(), input);
  const auto part = find_repetition_batch(queue, batch.kind, batch.points.data(), input, found);
  ASSERT_EQ(part.size() + 6, whole.size());
  for (std::size_t k = 0; k < part.size(); ++k)
    EXPECT_EQ(part[k].rival_inliers, whole[k + 6].rival_inliers) << k;
}

TEST(Repetition, BatchesThatDoNotFitAreErrors) {
  const Batch batch = make_batch(ModelKind::fundamental, false);
  Queue queue;
  const auto find = [&](ModelKind kind, const Memory<const PointPair>& points,
                        const BatchInput& input, const BatchEstimate& found) {
    (void)find_repetition_batch(queue, kind, points, input, found);
  };
  const auto* points = batch.points.data();
  BatchInput input = batch.input();
  BatchEstimate found = batch.found;
  EXPECT_THROW(find(ModelKind::absolute_pose, points, input, found), Error);
  EXPECT_THROW(find(batch.kind, Memory<const PointPair>::on_device(points), input, found), Error);
  found.inliers.pop_back();
  EXPECT_THROW(find(batch.kind, points, input, found), Error);
  input.offsets = input.offsets.first(3);
  EXPECT_THROW(find(batch.kind, points, input, batch.found), Error);
  input = batch.input();
  input.cameras1 = batch.cameras;
  EXPECT_NO_THROW(find(batch.kind, points, input, batch.found));
  EXPECT_NO_THROW(find(ModelKind::homography, points, input, batch.found));
}

TEST(Repetition, FlagsOfOtherPointsAreAnError) {
  std::mt19937_64 random(2);
  const auto scene = synthetic::make_scene({.points = 100}, random);
  const EstimateResult F = estimate(ModelKind::fundamental, scene.points);
  ASSERT_TRUE(F.ok());
  EXPECT_THROW((void)find_repetition(ModelKind::fundamental, std::span(scene.points).first(50), F),
               Error);
}

}  // namespace
}  // namespace bifocal::test
