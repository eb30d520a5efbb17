// SPDX-License-Identifier: BSD-3-Clause
// verify_pairs gives the same result for each pair as matching and the batched estimate, on
// every device.
#include <bifocal/verify_pairs.hpp>
#include <bifocal/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "support/devices.hpp"

namespace bifocal::test {
namespace {

// Makes an image of one of two scenes. Features of a scene have the scene's descriptors, with
// noise, and move with the image; a few belong to no scene.
Features view_of(unsigned scene, unsigned image, int count) {
  std::mt19937 random(scene), own(1000 + image);
  std::normal_distribution<double> normal;
  Features f;
  for (int i = 0; i < count; ++i) {
    const bool is_stray = i >= count * 4 / 5;
    std::mt19937& source = is_stray ? own : random;
    const auto x = float(source() % 800), y = float(source() % 600),
               turn = 0.05F * float(image % 7);
    f.keypoints.push_back({x + turn * y + 10 * float(image % 5), y - turn * x, 2, 0, 1});
    for (int k = 0; k < kDescriptorBytes; ++k) {
      const double v = std::min(220.0, 45 * std::abs(normal(source)));
      f.descriptors.push_back(std::uint8_t(v + double(own() % 5)));
    }
  }
  return f;
}

std::vector<Features> images() {
  std::vector<Features> all;
  for (unsigned i = 0; i < 6; ++i) all.push_back(view_of(i % 2, i, i == 5 ? 8 : 150));
  all.emplace_back();  // an image without features
  return all;
}

struct Collected {
  std::vector<ImagePair> pairs;
  std::vector<std::vector<Match>> matches;
  std::vector<Estimate> estimates;
  std::vector<std::vector<std::uint8_t>> inliers;
  int pieces = 0;
};
Collected collect(Queue& queue, const FeatureSet& set, const VerifyOptions& options,
                  std::span<const LensCamera> cameras = {}) {
  Collected all;
  const std::vector<ImagePair> pairs = all_pairs(set.size());
  verify_pairs(queue, set, pairs, cameras, options, [&](const VerifiedPairs& v) {
    ++all.pieces;
    for (std::size_t k = 0; k < v.pairs.size(); ++k) {
      const auto from = v.offsets[k], to = v.offsets[k + 1];
      all.pairs.push_back(v.pairs[k]);
      all.estimates.push_back(v.estimates[k]);
      all.matches.emplace_back(v.matches.begin() + from, v.matches.begin() + to);
      all.inliers.emplace_back(v.inliers.begin() + from, v.inliers.begin() + to);
    }
  });
  return all;
}

TEST(VerifyPairs, gives_the_result_of_each_single_pair) {
  const std::vector<Features> features = images();
  for_each_device([&](Queue& queue, const std::string& id) {
    FeatureSet set(queue.device());
    for (const Features& f : features) set.add(queue, f);
    VerifyOptions options{
        .kind = ModelKind::homography, .pairs_at_once = 4, .distinct_places = false};
    const Collected all = collect(queue, set, options);
    ASSERT_EQ(all.pairs.size(), 21U) << id;
    EXPECT_EQ(all.pieces, 6) << id;
    int verified = 0;
    for (std::size_t k = 0; k < all.pairs.size(); ++k) {
      const auto& a = features[std::size_t(all.pairs[k].image1)];
      const auto& b = features[std::size_t(all.pairs[k].image2)];
      const std::vector<Match> expected = match(a, b);
      ASSERT_EQ(all.matches[k].size(), expected.size()) << id << ", pair " << k;
      const Estimate& e = all.estimates[k];
      if (expected.size() < 15) {
        EXPECT_EQ(e.outcome, Outcome::too_few_points) << id << ", pair " << k;
        continue;
      }
      const std::vector<PointPair> points = matched_points(a, b, expected);
      const std::vector<std::int64_t> offsets{0, std::int64_t(points.size())};
      Queue cpu;
      const BatchEstimate alone = estimate_batch(cpu, ModelKind::homography, points.data(),
                                                 {.offsets = offsets, .options = options.robust});
      EXPECT_EQ(e.outcome, alone.pairs[0].outcome) << id << ", pair " << k;
      EXPECT_EQ(e.num_inliers, alone.pairs[0].num_inliers) << id << ", pair " << k;
      EXPECT_EQ(all.inliers[k], alone.inliers) << id << ", pair " << k;
      const bool one_scene = all.pairs[k].image1 % 2 == all.pairs[k].image2 % 2;
      EXPECT_EQ(e.outcome == Outcome::ok, one_scene) << id << ", pair " << k;
      verified += e.outcome == Outcome::ok;
    }
    EXPECT_EQ(verified, 4) << id;  // 0-2, 0-4, 2-4, 1-3; image 5 has too few features
  });
}

TEST(VerifyPairs, takes_cameras_of_images) {
  const std::vector<Features> features = images();
  Queue queue;
  FeatureSet set(queue.device());
  for (const Features& f : features) set.add(queue, f);
  const LensCamera camera(Intrinsics{800, 800, 400, 300});
  const std::vector<LensCamera> cameras(7, camera);
  VerifyOptions options{.kind = ModelKind::essential};
  const Collected one = collect(queue, set, options, {&camera, 1});
  const Collected each = collect(queue, set, options, cameras);
  for (std::size_t k = 0; k < one.pairs.size(); ++k)
    EXPECT_EQ(one.estimates[k].num_inliers, each.estimates[k].num_inliers);
  EXPECT_THROW(collect(queue, set, options), Error);
  EXPECT_THROW(collect(queue, set, options, std::span(cameras).first(3)), Error);
}

// Images of three cameras, a fisheye, a camera without a lens and a distorting camera. The result
// equals each single pair's: its matches, undistorted, and their model.
TEST(VerifyPairs, removes_lens_distortion_first) {
  const std::vector<Features> features = images();
  std::vector<LensCamera> cameras;
  for (int i = 0; i < 7; ++i) {
    if (i % 3 == 0)
      cameras.emplace_back("OPENCV_FISHEYE",
                           std::vector<double>{400, 400, 400, 300, 0.05, -0.01, 0, 0}, 800, 600);
    else if (i % 3 == 1)
      cameras.emplace_back(Intrinsics{700, 700, 400, 300});
    else
      cameras.emplace_back(Camera{{700, 700, 400, 300}, {.k1 = -0.15}, 800, 600});
  }
  for_each_device([&](Queue& queue, const std::string& id) {
    FeatureSet set(queue.device());
    for (const Features& f : features) set.add(queue, f);
    const Collected all = collect(queue, set,
                                  {.min_matches = 40,
                                   .kind = ModelKind::essential,
                                   .pairs_at_once = 8,
                                   .distinct_places = false},
                                  cameras);
    int sought = 0;
    for (std::size_t k = 0; k < all.pairs.size(); ++k) {
      const auto i = std::size_t(all.pairs[k].image1), j = std::size_t(all.pairs[k].image2);
      const std::vector<Match> expected = match(features[i], features[j]);
      ASSERT_EQ(all.matches[k].size(), expected.size()) << id << ", pair " << k;
      if (expected.size() < 40) continue;
      std::vector<PointPair> points = matched_points(features[i], features[j], expected);
      undistort(std::span(points), cameras[i], cameras[j]);
      const std::vector<std::int64_t> offsets{0, std::int64_t(points.size())};
      const Intrinsics one = cameras[i].pinhole(), two = cameras[j].pinhole();
      Queue cpu;
      const BatchEstimate alone =
          estimate_batch(cpu, ModelKind::essential, points.data(),
                         {.offsets = offsets, .cameras1 = {&one, 1}, .cameras2 = {&two, 1}});
      EXPECT_EQ(all.estimates[k].outcome, alone.pairs[0].outcome) << id << ", pair " << k;
      EXPECT_EQ(all.inliers[k], alone.inliers) << id << ", pair " << k;
      ++sought;
    }
    EXPECT_GE(sought, 4) << id;
  });
}

// Compares with each pair alone in two rounds, of which the better is kept. Some features have
// lookalikes elsewhere, which only guided matching can distinguish.
TEST(VerifyPairs, guided_rounds_match_along_the_model) {
  std::vector<Features> features = images();
  std::mt19937 random(5);
  for (Features& f : features) {
    for (int i = 0; i < std::min(40, f.size() / 3); ++i) {
      f.keypoints.push_back({float(random() % 800), float(random() % 600), 2, 0, 1});
      const std::vector<std::uint8_t> twin(f.descriptors.begin() + i * kDescriptorBytes,
                                           f.descriptors.begin() + (i + 1) * kDescriptorBytes);
      f.descriptors.insert(f.descriptors.end(), twin.begin(), twin.end());
    }
  }
  for_each_device([&](Queue& queue, const std::string& id) {
    FeatureSet set(queue.device());
    for (const Features& f : features) set.add(queue, f);
    VerifyOptions options{
        .kind = ModelKind::homography, .pairs_at_once = 5, .distinct_places = false};
    const Collected once = collect(queue, set, options);
    options.guided = true;
    const Collected twice = collect(queue, set, options);
    ASSERT_EQ(twice.pairs.size(), once.pairs.size()) << id;
    int better = 0;
    for (std::size_t k = 0; k < once.pairs.size(); ++k) {
      const Estimate &first = once.estimates[k], &second = twice.estimates[k];
      EXPECT_EQ(first.outcome, second.outcome) << id << ", pair " << k;
      if (second.num_inliers <= first.num_inliers) {
        EXPECT_EQ(once.inliers[k], twice.inliers[k]) << id << ", pair " << k;
        EXPECT_EQ(once.matches[k].size(), twice.matches[k].size()) << id << ", pair " << k;
        continue;
      }
      ++better;
      const std::vector<Match> expected = match_guided(
          features[std::size_t(once.pairs[k].image1)], features[std::size_t(once.pairs[k].image2)],
          {GuideKind::homography, first.model, 2 * options.robust.threshold});
      EXPECT_EQ(twice.matches[k].size(), expected.size()) << id << ", pair " << k;
      EXPECT_EQ(twice.inliers[k].size(), expected.size()) << id << ", pair " << k;
    }
    EXPECT_GE(better, 1) << id;
  });
}

TEST(VerifyPairs, keeps_one_match_between_two_places) {
  std::vector<Features> features = images();
  for (Features& f : features) {  // every feature a second time, with other descriptors
    const int size = f.size();
    for (int i = 0; i < size; ++i) {
      f.keypoints.push_back(f.keypoints[std::size_t(i)]);
      for (int b = 0; b < kDescriptorBytes; ++b)
        f.descriptors.push_back(f.descriptors[std::size_t(i * kDescriptorBytes + b)] ^ 0x55U);
    }
  }
  for_each_device([&](Queue& queue, const std::string& id) {
    FeatureSet set(queue.device());
    for (const Features& f : features) set.add(queue, f);
    const Collected all = collect(queue, set, {.kind = ModelKind::homography});
    constexpr ImagePair kPair[] = {{0, 2}};
    DeviceMatches found;
    match(queue, set, kPair, {}, found);
    const std::int64_t before = found.offsets.back();
    keep_distinct_places(queue, found);
    EXPECT_LT(found.offsets.back(), before) << id;
    const auto pair = std::ranges::find_if(
        all.pairs, [](const ImagePair& p) { return p.image1 == 0 && p.image2 == 2; });
    const auto& kept = all.matches[std::size_t(pair - all.pairs.begin())];
    EXPECT_EQ(std::ssize(kept), found.offsets.back()) << id;
  });
}

TEST(VerifyPairs, refuses_wrong_arguments) {
  Queue queue;
  FeatureSet set(queue.device());
  set.add(queue, {});
  const auto refuses = [&](const VerifyOptions& options) {
    const std::vector<ImagePair> pairs{{0, 0}};
    EXPECT_THROW(verify_pairs(queue, set, pairs, {}, options, [](const VerifiedPairs&) {}), Error);
  };
  refuses({.pairs_at_once = 0});
  refuses({.min_matches = 0});
  refuses({.kind = ModelKind::absolute_pose});
  const LensCamera fisheye("OPENCV_FISHEYE", std::vector<double>{400, 400, 400, 300, 0.05, 0, 0, 0},
                           800, 600);
  EXPECT_THROW(
      verify_pairs(queue, set, {}, {&fisheye, 1}, {.kind = ModelKind::essential, .guided = true},
                   [](const VerifiedPairs&) {}),
      Error);
  try {  // features have no depths
    verify_pairs(queue, set, {}, {&fisheye, 1}, {.kind = ModelKind::monodepth_shared_focal},
                 [](const VerifiedPairs&) {});
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "verify_pairs: VerifyOptions::kind = monodepth_shared_focal: matches of features "
                 "have no depths");
  }
  VerifyOptions ratio;
  ratio.matching.max_ratio = -1;
  refuses(ratio);
  const std::vector<ImagePair> beyond{{0, 1}};
  EXPECT_THROW(verify_pairs(queue, set, beyond, {}, {}, [](const VerifiedPairs&) {}), Error);
  EXPECT_TRUE(all_pairs(1).empty());
  int pieces = 0;
  verify_pairs(queue, set, {}, {}, {}, [&](const VerifiedPairs&) { ++pieces; });
  EXPECT_EQ(pieces, 0);
}

}  // namespace
}  // namespace bifocal::test
