// SPDX-License-Identifier: BSD-3-Clause
// The rules of verification, each on its own synthetic scene, on every device.
#include <bifocal/colmap/verify.hpp>
#include <bifocal/error.hpp>
#include <bifocal/two_view.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "io/expect.hpp"
#include "support/devices.hpp"
#include "synthetic/two_view_scenes.hpp"
#include "support/needs_problem.hpp"

namespace bifocal::test {
namespace {

using colmap::Configuration, colmap::DecidedPairs, colmap::TwoViewGeometryOptions,
    colmap::ViewCamera;
using synthetic::make_scene, synthetic::SceneOptions, synthetic::TwoViewScene;

constexpr Intrinsics kCamera{1000, 1000, 640, 480};
constexpr ViewCamera kKnown{kCamera, true, false, 1280, 960};
constexpr ViewCamera kUnknown{kCamera, false, false, 1280, 960};

struct Batch {
  std::vector<PointPair> points;
  std::vector<std::int64_t> offsets = {0};
  std::vector<ViewCamera> cameras1, cameras2;

  void add(const std::vector<PointPair>& pair, const ViewCamera& a, const ViewCamera& b) {
    points.insert(points.end(), pair.begin(), pair.end());
    offsets.push_back(static_cast<std::int64_t>(points.size()));
    cameras1.push_back(a);
    cameras2.push_back(b);
  }
  [[nodiscard]] DecidedPairs decided(Queue& queue, const TwoViewGeometryOptions& o = {}) const {
    return colmap::decide(queue, {points.data(), {}, offsets, cameras1, cameras2}, o);
  }
};

std::vector<PointPair> scene(unsigned seed, const SceneOptions& options) {
  std::mt19937_64 random(seed);
  return make_scene(options, random).points;
}
const SceneOptions kGeneral{.points = 300, .inliers = 0.7};
const SceneOptions kPlane{.points = 300, .inliers = 0.7, .planar = true};
const SceneOptions kTurn{.points = 300, .inliers = 0.7, .baseline = 0};

std::vector<PointPair> wrong(unsigned seed, int n) {
  return scene(seed, {.points = n, .inliers = 0});
}

// A watermark in the corner of both images, shifted by (30, 12).
std::vector<PointPair> watermark(unsigned seed, int n) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> x(20, 300), y(890, 930), noise(-1, 1);
  std::vector<PointPair> out;
  for (int i = 0; i < n; ++i) {
    const double px = x(random), py = y(random);
    out.push_back({px, py, px + 30 + noise(random), py + 12 + noise(random)});
  }
  return out;
}

TEST(Decide, FindsEveryConfigurationOnEveryDevice) {
  ViewCamera wrong_focal = kKnown, fisheye = kUnknown;
  wrong_focal.pinhole = {250, 250, 640, 480};
  fisheye.is_fisheye = true;
  Batch batch;
  std::vector<Configuration> expected;
  const auto add = [&](const std::vector<PointPair>& p, const ViewCamera& a, const ViewCamera& b,
                       Configuration c) {
    batch.add(p, a, b);
    expected.push_back(c);
  };
  add(scene(1, kGeneral), kKnown, kKnown, Configuration::calibrated);
  add(scene(2, kGeneral), kUnknown, kUnknown, Configuration::uncalibrated);
  add(scene(3, kGeneral), kKnown, kUnknown, Configuration::uncalibrated);
  add(scene(4, kGeneral), wrong_focal, wrong_focal, Configuration::uncalibrated);
  add(scene(5, kPlane), kKnown, kKnown, Configuration::planar_or_panoramic);
  add(scene(6, kPlane), kUnknown, kUnknown, Configuration::planar_or_panoramic);
  add(scene(7, kTurn), kKnown, kKnown, Configuration::planar_or_panoramic);
  add(wrong(8, 200), kKnown, kKnown, Configuration::degenerate);
  add(wrong(9, 40), kUnknown, kUnknown, Configuration::degenerate);
  add(scene(10, {.points = 14, .inliers = 1}), kKnown, kKnown, Configuration::degenerate);
  add(scene(11, kGeneral), fisheye, kKnown, Configuration::degenerate);
  add({}, kKnown, kKnown, Configuration::degenerate);
  add(watermark(12, 60), kUnknown, kUnknown, Configuration::watermark);
  for_each_device([&](Queue& queue, const std::string& id) {
    SCOPED_TRACE(id);
    const DecidedPairs decided = batch.decided(queue);
    ASSERT_EQ(decided.pairs.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
      SCOPED_TRACE(k);
      const auto& pair = decided.pairs[k];
      EXPECT_EQ(pair.configuration, expected[k]) << colmap::to_string(pair.configuration);
      const auto first = decided.inliers.begin() + batch.offsets[k];
      EXPECT_EQ(std::accumulate(first, decided.inliers.begin() + batch.offsets[k + 1], 0),
                pair.num_inliers);
      const bool proven = expected[k] != Configuration::degenerate;
      EXPECT_EQ(pair.num_inliers >= 15, proven);
      EXPECT_EQ(pair.cam2_from_cam1.has_value(), expected[k] == Configuration::calibrated);
      EXPECT_EQ(pair.F || pair.E || pair.H, proven);
    }
  });
}

// The inliers are the scene's true matches and few wrong matches; the pose, E and F are consistent.
TEST(Decide, CalibratedPairsHaveTheirPose) {
  std::mt19937_64 random(20);
  Queue queue;
  for (int trial = 0; trial < 10; ++trial) {
    const TwoViewScene s = make_scene(kGeneral, random);
    Batch batch;
    batch.add(s.points, kKnown, kKnown);
    const DecidedPairs decided = batch.decided(queue);
    const auto& pair = decided.pairs[0];
    ASSERT_EQ(pair.configuration, Configuration::calibrated);
    double cosine = 0;
    for (std::size_t i = 0; i < 3; ++i) cosine += pair.cam2_from_cam1->t[i] * s.truth.t[i];
    EXPECT_GT(cosine / std::hypot(s.truth.t[0], s.truth.t[1], s.truth.t[2]), 0.995);
    int missed = 0, added = 0;
    for (std::size_t i = 0; i < s.points.size(); ++i) {
      missed += s.labels[i] && !decided.inliers[i];
      added += !s.labels[i] && decided.inliers[i];
    }
    EXPECT_LE(missed, 4);
    EXPECT_LE(added, 15);
  }
}

TEST(Decide, ComputesPosesOfPlanesAndRotationsOnRequest) {
  Batch batch;
  batch.add(scene(5, kPlane), kKnown, kKnown);
  batch.add(scene(7, kTurn), kKnown, kKnown);
  batch.add(scene(5, kPlane), kUnknown, kUnknown);
  Queue queue;
  TwoViewGeometryOptions o;
  o.relative_pose = true;
  const DecidedPairs decided = batch.decided(queue, o);
  EXPECT_EQ(decided.pairs[0].configuration, Configuration::planar);
  EXPECT_EQ(decided.pairs[1].configuration, Configuration::panoramic);
  EXPECT_EQ(decided.pairs[2].configuration, Configuration::planar_or_panoramic);
  EXPECT_FALSE(decided.pairs[2].cam2_from_cam1);
  ASSERT_TRUE(decided.pairs[0].cam2_from_cam1 && decided.pairs[1].cam2_from_cam1);
  std::mt19937_64 five(5), seven(7);
  const Pose plane = make_scene(kPlane, five).truth, turn = make_scene(kTurn, seven).truth;
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_NEAR(decided.pairs[0].cam2_from_cam1->R[i], plane.R[i], 0.05);
    EXPECT_NEAR(decided.pairs[1].cam2_from_cam1->R[i], turn.R[i], 0.01);
  }
  EXPECT_EQ(decided.pairs[1].cam2_from_cam1->t, (Vec3{0, 0, 0}));
}

// The given focal length of the pinhole is COLMAP's guess, not the truth.
TEST(Decide, OneCameraWithoutAPriorHasItsFocalLength) {
  SKIP_UNLESS_PROBLEM_IS_BUILT(ModelKind::shared_focal);
  ViewCamera one = kUnknown, other = kUnknown;
  one.pinhole.fx = one.pinhole.fy = 1536;
  one.shared_pinhole = 3;
  other.shared_pinhole = 4;
  TwoViewGeometryOptions o;
  o.relative_pose = true;
  for_each_device([&](Queue& queue, const std::string& id) {
    SCOPED_TRACE(id);
    std::vector<double> errors;
    for (unsigned seed = 30; seed < 36; ++seed) {
      Batch batch;
      batch.add(scene(seed, kGeneral), one, one);
      batch.add(scene(seed, kGeneral), one, other);
      batch.add(scene(seed, kGeneral), kUnknown, kUnknown);
      const DecidedPairs decided = batch.decided(queue, o);
      for (const auto& pair : decided.pairs) {
        EXPECT_EQ(pair.configuration, Configuration::uncalibrated);
        EXPECT_TRUE(pair.F);
      }
      const auto& shared = decided.pairs[0];
      EXPECT_EQ(shared.E.has_value(), shared.focal_length > 0);
      if (shared.E) {
        double length2 = 0;
        for (const double v : *shared.E) length2 += v * v;
        EXPECT_NEAR(length2, 1, 1e-9);
        EXPECT_TRUE(shared.cam2_from_cam1);
        errors.push_back(std::abs(shared.focal_length / 1000 - 1));
      }
      for (const std::size_t k : {1, 2}) {
        EXPECT_FALSE(decided.pairs[k].E);
        EXPECT_EQ(decided.pairs[k].focal_length, 0);
      }
    }
    ASSERT_GE(errors.size(), 4U);
    std::nth_element(errors.begin(), errors.begin() + 2, errors.end());
    EXPECT_LT(errors[2], 0.05);
  });
}

TEST(Decide, APairsResultIsIndependentOfTheBatch) {
  Batch all;
  for (unsigned k = 0; k < 12; ++k) {
    all.add(scene(k, {.points = 30 + 40 * static_cast<int>(k), .inliers = 0.4}),
            k % 3 ? kKnown : kUnknown, kKnown);
    all.add(wrong(k, 20 + static_cast<int>(k)), kKnown, kKnown);
  }
  Queue queue;
  const DecidedPairs together = all.decided(queue);
  for (std::size_t k = 0; k < all.cameras1.size(); ++k) {
    Batch one;
    one.add({all.points.begin() + all.offsets[k], all.points.begin() + all.offsets[k + 1]},
            all.cameras1[k], all.cameras2[k]);
    const DecidedPairs alone = one.decided(queue);
    EXPECT_EQ(alone.pairs[0].configuration, together.pairs[k].configuration);
    EXPECT_EQ(alone.pairs[0].F, together.pairs[k].F);
    EXPECT_EQ(alone.pairs[0].E, together.pairs[k].E);
    EXPECT_EQ(alone.pairs[0].H, together.pairs[k].H);
    EXPECT_TRUE(std::equal(alone.inliers.begin(), alone.inliers.end(),
                           together.inliers.begin() + all.offsets[k]));
  }
}

// None of 1000 pairs with 20 to 99 wrong matches is accepted; of 200 pairs with 40 correct matches
// in 100, at least 195 are accepted.
TEST(Decide, WrongMatchesAreNotAccepted) {
  Batch batch;
  for (unsigned k = 0; k < 1000; ++k)
    batch.add(wrong(k, 20 + static_cast<int>(k % 80)), kKnown, k % 2 ? kKnown : kUnknown);
  for (unsigned k = 0; k < 200; ++k)
    batch.add(scene(5000 + k, {.points = 100, .inliers = 0.4}), kKnown, kKnown);
  Queue queue;
  const DecidedPairs decided = batch.decided(queue);
  const auto believed = [&](std::size_t from, std::size_t to) {
    return std::count_if(
        decided.pairs.begin() + static_cast<std::ptrdiff_t>(from),
        decided.pairs.begin() + static_cast<std::ptrdiff_t>(to),
        [](const auto& p) { return p.configuration != Configuration::degenerate; });
  };
  RecordProperty("false_pairs_believed", static_cast<int>(believed(0, 1000)));
  RecordProperty("true_pairs_believed", static_cast<int>(believed(1000, 1200)));
  EXPECT_EQ(believed(0, 1000), 0);
  EXPECT_GE(believed(1000, 1200), 195);
}

TEST(Decide, MisuseIsNamed) {
  Queue queue;
  const auto usage = [&](const colmap::DecideBatch& b, const TwoViewGeometryOptions& o,
                         const char* part) {
    expect_error([&] { (void)colmap::decide(queue, b, o); }, part, ErrorCode::usage);
  };
  const std::vector<PointPair> points(3);
  const Buffer<PointPair> two_points(queue.device(), 2);
  const std::vector<std::int64_t> offsets = {0, 3}, falling = {0, 4, 3};
  const std::vector<ViewCamera> one(1, kKnown), two(2, kKnown);
  usage({points.data(), {}, {}, one, one}, {}, "offsets must begin");
  usage({points.data(), {}, falling, two, two}, {}, "offsets[2] = 3 after 4");
  usage({points.data(), {}, offsets, two, one}, {}, "2 and 1 cameras for 1 pairs");
  usage({two_points, {}, offsets, one, one}, {}, "offsets end at 3, but points has 2");
  usage({{}, {}, offsets, one, one}, {}, "points are null");
  usage({points.data(), two_points, offsets, one, one}, {}, "undistorted has 2");
  TwoViewGeometryOptions o;
  o.threshold = -1;
  usage({points.data(), {}, offsets, one, one}, o, "threshold = -1");
  o = {};
  o.min_inliers = 0;
  usage({points.data(), {}, offsets, one, one}, o, "min_inliers = 0");
  o = {};
  o.max_H_inlier_ratio = 1.5;
  usage({points.data(), {}, offsets, one, one}, o, "max_H_inlier_ratio = 1.5");
}

}  // namespace
}  // namespace bifocal::test
