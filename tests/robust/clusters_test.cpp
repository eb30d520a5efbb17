// SPDX-License-Identifier: BSD-3-Clause
// Matches on a single small object, and marks of the camera itself, are no evidence for a model of
// the whole image.
#include <gtest/gtest.h>

#include <algorithm>
#include <bifocal/robust.hpp>
#include <cmath>
#include <functional>
#include <random>

#include "synthetic/random.hpp"
#include "synthetic/two_view_scenes.hpp"

namespace bifocal::test {
namespace {

using synthetic::uniform;
using Pairs = std::vector<PointPair>;

Pairs wrong_matches(int count, std::mt19937_64& random) {
  return synthetic::make_scene({.points = count, .inliers = 0}, random).points;
}

// Adds `count` matches of a patch of `size` px that is elsewhere in image 2, with 0.5 px of noise.
void add_patch(int count, double size, std::mt19937_64& random, Pairs& to) {
  std::normal_distribution<double> noise(0, 0.5);
  const double x = uniform(random, 0, 1180), y = uniform(random, 0, 860);
  const double u = uniform(random, 0, 1180), v = uniform(random, 0, 860);
  const double a = uniform(random, -0.5, 0.5);
  for (int i = 0; i < count; ++i) {
    const double p = uniform(random, 0, size), q = uniform(random, 0, size);
    to.push_back({x + p + noise(random), y + q + noise(random),
                  u + p * std::cos(a) - q * std::sin(a) + noise(random),
                  v + p * std::sin(a) + q * std::cos(a) + noise(random)});
  }
}

struct Estimator {
  std::string name;
  std::function<EstimateResult(const Pairs&, std::uint64_t)> run;
  friend void PrintTo(const Estimator& e, std::ostream* out) { *out << e.name; }
};

const Intrinsics kCamera{1000, 1000, 640, 480};

class Clusters : public testing::TestWithParam<Estimator> {
 protected:
  static int accepted(const std::function<Pairs(std::mt19937_64&)>& make) {
    std::mt19937_64 random(41);
    int count = 0;
    for (std::uint64_t k = 0; k < 20; ++k) count += GetParam().run(make(random), k).ok();
    std::printf("%s: %d of 20 accepted\n", GetParam().name.c_str(), count);
    return count;
  }
};

TEST_P(Clusters, of_one_patch_are_not_accepted) {
  for (const int count : {10, 20, 60}) {
    EXPECT_EQ(accepted([&](auto& random) {
                Pairs pairs = wrong_matches(50, random);
                add_patch(count, 60, random, pairs);
                return pairs;
              }),
              0)
        << count;
  }
}

// In a pair of scannet_0755, 11 of 16 matches are artefacts of undistortion.
TEST_P(Clusters, of_marks_at_the_border_are_not_accepted) {
  for (const int count : {11, 40}) {
    EXPECT_EQ(
        accepted([&](auto& random) {
          Pairs pairs = wrong_matches(count / 2, random);
          for (int i = 0; i < count; ++i) {
            const double along = uniform(random, 0, 1), depth = uniform(random, 0, 30);
            const double x = i % 2 ? depth : 1280 * along, y = i % 2 ? 960 * along : depth;
            pairs.push_back({x, y, x + uniform(random, -0.5, 0.5), y + uniform(random, -0.5, 0.5)});
          }
          return pairs;
        }),
        0)
        << count;
  }
}

INSTANTIATE_TEST_SUITE_P(
    , Clusters,
    testing::Values(Estimator{"homography",
                              [](const Pairs& p, std::uint64_t s) {
                                return estimate(ModelKind::homography, p,
                                                {.options = {.threshold = 2.5, .seed = s}});
                              }},
                    Estimator{"fundamental",
                              [](const Pairs& p, std::uint64_t s) {
                                return estimate(ModelKind::fundamental, p,
                                                {.options = {.threshold = 2.5, .seed = s}});
                              }},
                    Estimator{"essential",
                              [](const Pairs& p, std::uint64_t s) -> EstimateResult {
                                return estimate_relative_pose(
                                    ModelKind::essential, p,
                                    {.cameras = std::array{kCamera, kCamera},
                                     .options = {.threshold = 2.5, .seed = s}});
                              }}),
    [](const auto& test) { return test.param.name; });

// A plane in a quarter of the image's width and height is accepted, and so is an image paired
// with itself.
TEST(Patches, are_distinct_from_small_planes_and_still_cameras) {
  std::mt19937_64 random(42);
  for (std::uint64_t k = 0; k < 20; ++k) {
    Pairs pairs = wrong_matches(100, random);
    add_patch(60, 240, random, pairs);
    EXPECT_TRUE(
        estimate(ModelKind::homography, pairs, {.options = {.threshold = 2.5, .seed = k}}).ok())
        << k;
    pairs = wrong_matches(30, random);
    for (int i = 0; i < 30; ++i) {
      const double x = uniform(random, 0, 1280), y = uniform(random, 0, 960);
      pairs.push_back({x, y, x, y});
    }
    EXPECT_TRUE(
        estimate(ModelKind::homography, pairs, {.options = {.threshold = 2.5, .seed = k}}).ok())
        << k;
  }
}

// All matches are correct, but few, and most lie at the border; the camera stands still.
TEST(Patches, at_the_border_of_a_still_camera_are_accepted) {
  std::mt19937_64 random(44);
  const auto noise = [&] { return uniform(random, -0.7, 0.7); };
  for (std::uint64_t k = 0; k < 20; ++k) {
    Pairs pairs;
    for (int i = 0; i < 5; ++i) {
      const double x = uniform(random, 400, 900), y = uniform(random, 300, 700);
      pairs.push_back({x, y, x + noise(), y + noise()});
    }
    for (int i = 0; i < 14; ++i) {
      const double along = (i + uniform(random, 0.2, 0.8)) / 14, depth = uniform(random, 0, 30);
      const double x = i % 2 ? depth : 1280 * along, y = i % 2 ? 960 * along : depth;
      pairs.push_back({x, y, x + noise(), y + noise()});
    }
    EXPECT_TRUE(
        estimate(ModelKind::homography, pairs, {.options = {.threshold = 2.5, .seed = k}}).ok())
        << k;
  }
}

// The inlier counts are the same on every device.
TEST(Patches, are_the_same_on_every_device) {
  std::mt19937_64 random(43);
  Pairs points;
  std::vector<std::int64_t> offsets = {0};
  for (int k = 0; k < 16; ++k) {
    Pairs pairs = k % 4 ? wrong_matches(60, random)
                        : synthetic::make_scene({.points = 60, .planar = true}, random).points;
    if (k % 4) add_patch(12, 40 * (k % 4), random, pairs);
    points.insert(points.end(), pairs.begin(), pairs.end());
    offsets.push_back(static_cast<std::int64_t>(points.size()));
  }
  const BatchInput input{.offsets = offsets};
  Queue host{Device("cpu")};
  const BatchEstimate expected = estimate_batch(host, ModelKind::homography, points.data(), input);
  int ok = 0;
  for (const Estimate& p : expected.pairs) ok += p.outcome == Outcome::ok;
  EXPECT_GE(ok, 4);
  EXPECT_LT(ok, 16);
  for (const DeviceInfo& info : list_devices()) {
    if (!info.has_double) continue;
    Queue queue{Device(info.id)};
    const BatchEstimate found = estimate_batch(queue, ModelKind::homography, points.data(), input);
    for (size_t k = 0; k < found.pairs.size(); ++k) {
      EXPECT_EQ(found.pairs[k].outcome, expected.pairs[k].outcome) << info.id << " " << k;
      EXPECT_NEAR(found.pairs[k].significance, expected.pairs[k].significance, 0.5) << info.id;
    }
  }
}

}  // namespace
}  // namespace bifocal::test
