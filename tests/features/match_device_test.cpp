// SPDX-License-Identifier: BSD-3-Clause
// Matching on every device gives the same list as the naive double loop and as the CPU.
#include <bifocal/error.hpp>
#include <bifocal/matching.hpp>
#include <bifocal/robust.hpp>

#include <gtest/gtest.h>

#include "features/matching/match_device.hpp"
#include "match_oracle.hpp"
#include "runtime/kernel.hpp"
#include "runtime/launch_cache.hpp"
#include "support/long_tests.hpp"

namespace bifocal::test {
namespace {

const std::vector<MatchOptions> kOptions = {{0.9, true},
                                            {0.9, false},
                                            {1.0, true},
                                            {1.0, false},
                                            {0.9, true, true},
                                            {0.9, false, true},
                                            {1.0, true, true},
                                            {0.95, true, false, 900},
                                            {1.0, false, false, 1050.5}};

// Returns the matches of pair k of a batch.
std::vector<Match> list_of(const MatchBatch& batch, std::size_t k) {
  return {batch.matches.begin() + batch.offsets[k], batch.matches.begin() + batch.offsets[k + 1]};
}

std::string name_of(const DeviceInfo& info, const Features& a, const Features& b, std::size_t k) {
  return info.id + " " + std::to_string(a.size()) + " x " + std::to_string(b.size()) +
         ", options " + std::to_string(k);
}

// The sizes are near multiples of tiles and groups.
TEST(MatchOnDevices, equals_the_naive_double_loop) {
  const int sizes[][2] = {{0, 5},  {5, 0},   {0, 0},     {1, 1},    {1, 2},     {2, 1},
                          {64, 3}, {65, 63}, {131, 257}, {300, 31}, {129, 128}, {256, 255}};
  for (const DeviceInfo& info : list_devices()) {
    Queue queue{Device(info.id)};
    for (const int levels : {2, 256}) {
      for (const auto& size : sizes) {
        const Features a = random_features(size[0], 7, levels),
                       b = random_features(size[1], 8, levels);
        for (std::size_t k = 0; k < kOptions.size(); ++k)
          expect_same(match(queue, a, b, kOptions[k]), plain_match(a, b, kOptions[k]),
                      name_of(info, a, b, k));
      }
    }
  }
}

// The pair is large enough to be split into many shares on both sides.
TEST(MatchOnDevices, a_large_pair_equals_the_cpu_result) {
  const Features a = random_features(3700, 7, 16), b = random_features(2100, 8, 16);
  for (const DeviceInfo& info : list_devices()) {
    if (info.kind == DeviceKind::cpu) continue;
    Queue queue{Device(info.id)};
    for (std::size_t k = 0; k < kOptions.size(); ++k) {
      const std::vector<Match> want = match(a, b, kOptions[k]);
      EXPECT_GT(want.size(), 100U) << k;
      expect_same(match(queue, a, b, kOptions[k]), want, name_of(info, a, b, k));
    }
  }
}

TEST(MatchOnDevices, is_exact_for_the_largest_distances) {
  Features black = random_features(70, 1, 256), white = random_features(5, 1, 256);
  std::fill(black.descriptors.begin(), black.descriptors.end(), std::uint8_t{0});
  std::fill(white.descriptors.begin(), white.descriptors.end(), std::uint8_t{255});
  for (const DeviceInfo& info : list_devices()) {
    Queue queue{Device(info.id)};
    for (const MatchOptions& options : {MatchOptions{1.0, true}, {1.0, false}, {0.8, true}}) {
      expect_same(match(queue, black, white, options), plain_match(black, white, options), info.id);
      expect_same(match(queue, white, black, options), plain_match(white, black, options), info.id);
      expect_same(match(queue, white, white, options), plain_match(white, white, options), info.id);
    }
    const auto matches = match(queue, black, white, {1.0, true});
    ASSERT_EQ(matches.size(), 1U);
    EXPECT_EQ(matches[0].distance, 128 * 255 * 255) << info.id;
  }
}

struct Images {
  std::vector<Features> images;
  std::vector<ImagePair> pairs;
};
Images many_images() {
  Images many;
  const int sizes[] = {300, 0, 64, 511, 1, 129, 1000};
  for (int k = 0; k < 7; ++k) many.images.push_back(random_features(sizes[k], unsigned(k), 16));
  for (int i = 0; i < 7; ++i)
    for (int j = 0; j < 7; ++j) many.pairs.push_back({i, j});
  many.pairs.push_back({3, 6});  // twice
  return many;
}

TEST(MatchOnDevices, a_batch_equals_its_single_pairs) {
  const Images many = many_images();
  for (const DeviceInfo& info : list_devices()) {
    Queue queue{Device(info.id)};
    FeatureSet set(queue.device());
    for (const Features& f : many.images) set.add(queue, f);
    for (const MatchOptions& options :
         {MatchOptions{0.95, true}, {1.0, false}, {0.95, true, true}}) {
      const MatchBatch batch = match(queue, set, many.pairs, options);
      ASSERT_EQ(batch.offsets.size(), many.pairs.size() + 1) << info.id;
      ASSERT_EQ(batch.offsets.back(), std::int64_t(batch.matches.size())) << info.id;
      EXPECT_GT(batch.matches.size(), 1000U);
      for (std::size_t k = 0; k < many.pairs.size(); ++k) {
        const auto& [i, j] = many.pairs[k];
        expect_same(list_of(batch, k),
                    match(many.images[std::size_t(i)], many.images[std::size_t(j)], options),
                    info.id + " pair " + std::to_string(k));
      }
    }
    EXPECT_EQ(match(queue, set, {}).offsets, std::vector<std::int64_t>{0});
  }
}

TEST(MatchOnDevices, results_in_device_memory_are_the_same) {
  const Images many = many_images();
  for (const DeviceInfo& info : list_devices()) {
    Queue queue{Device(info.id)};
    FeatureSet set(queue.device());
    for (const Features& f : many.images) set.add(queue, f);
    DeviceMatches found;
    for (int run = 0; run < 2; ++run) {  // the second run reuses the memory of the first
      const MatchOptions options{run == 0 ? 1.0 : 0.95, run == 1};
      const MatchBatch want = match(queue, set, many.pairs, options);
      match(queue, set, many.pairs, options, found);
      EXPECT_EQ(found.offsets, want.offsets) << info.id;
      std::vector<Match> matches(want.matches.size());
      std::vector<PointPair> points(want.matches.size());
      found.matches.download(queue, matches);
      found.points.download(queue, points);
      queue.wait();
      expect_same(matches, want.matches, info.id);
      for (std::size_t m = 0; m < matches.size(); ++m) {
        // random_features puts point i at (i, 2 i).
        EXPECT_EQ(points[m].x1, matches[m].index1) << info.id;
        EXPECT_EQ(points[m].y1, 2 * matches[m].index1);
        EXPECT_EQ(points[m].x2, matches[m].index2);
        EXPECT_EQ(points[m].y2, 2 * matches[m].index2);
      }
    }
  }
}

// Estimates from features that stay on the device equal estimates from downloaded matches.
TEST(MatchOnDevices, points_in_device_memory_feed_robust_estimation) {
  std::vector<Features> images;
  std::vector<ImagePair> pairs;
  for (int k = 0; k < 4; ++k) {  // one scene, moved and scaled, and some noise
    images.push_back(random_features(600, unsigned(k), 256));
    std::mt19937 random(9);
    for (int i = 0; i < 600; ++i) {
      Keypoint& p = images.back().keypoints[std::size_t(i)];
      const float x = float(random() % 1000), y = float(random() % 800);
      p.x = x * (1 + 0.1F * float(k)) + 20 * float(k), p.y = y * (1 + 0.1F * float(k));
    }
    for (int j = 0; j < k; ++j) pairs.push_back({j, k});
  }
  for (const DeviceInfo& info : list_devices()) {
    Queue queue{Device(info.id)};
    FeatureSet set(queue.device());
    for (const Features& f : images) set.add(queue, f);
    DeviceMatches found;
    match(queue, set, pairs, {}, found);
    const BatchEstimate there =
        estimate_batch(queue, ModelKind::homography, found.points, {.offsets = found.offsets});
    const MatchBatch batch = match(queue, set, pairs);
    std::vector<PointPair> points;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const auto these = matched_points(images[std::size_t(pairs[k].image1)],
                                        images[std::size_t(pairs[k].image2)], list_of(batch, k));
      points.insert(points.end(), these.begin(), these.end());
    }
    const BatchEstimate here =
        estimate_batch(queue, ModelKind::homography, points.data(), {.offsets = batch.offsets});
    ASSERT_EQ(there.pairs.size(), pairs.size());
    EXPECT_EQ(there.inliers, here.inliers) << info.id;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      EXPECT_EQ(there.pairs[k].outcome, Outcome::ok) << info.id << " " << k;
      EXPECT_GT(there.pairs[k].num_inliers, 100) << info.id << " " << k;
      EXPECT_EQ(there.pairs[k].model, here.pairs[k].model) << info.id << " " << k;
    }
  }
}

// If a detector filled the slot, only the device knows its number of features.
TEST(MatchOnDevices, a_partly_filled_slot_matches_only_its_features) {
  const Features a = random_features(200, 7, 16), b = random_features(90, 8, 16);
  for (const DeviceInfo& info : list_devices()) {
    Queue queue{Device(info.id)};
    FeatureSet set(queue.device());
    set.add(queue, a);
    const int image = set.reserve(queue, 400), count = b.size();
    const auto first = std::size_t(set.begin(image)) * kDescriptorBytes;
    const std::vector<std::uint8_t> junk(400 * kDescriptorBytes, 7);
    runtime::upload(queue, *set.descriptors().memory(), first, junk.data(), junk.size());
    runtime::upload(queue, *set.descriptors().memory(), first, b.descriptors.data(),
                    b.descriptors.size());
    runtime::upload(queue, *set.counts().memory(), sizeof(int), &count, sizeof count);
    const std::vector<ImagePair> pairs = {{0, 1}, {1, 0}};
    const MatchOptions options{0.95, true};
    const MatchBatch batch = match(queue, set, pairs, options);
    expect_same(list_of(batch, 0), plain_match(a, b, options), info.id);
    expect_same(list_of(batch, 1), plain_match(b, a, options), info.id);
    expect_same(match(queue, set, {&pairs[1], 1}, options).matches, plain_match(b, a, options),
                info.id + " alone");
  }
}

// Returns the kernel that fills the distance tables of large pairs.
std::string kernel_name(Queue& queue, features::TableKernel table) {
  if (table == features::TableKernel::portable) return "match_tiles";
  const std::string name = "match_warp_group_tiles";
  const bool has_warp_groups =
      runtime::can_run(queue, runtime::cuda_function("match_warp_group", name, {{"COLUMNS", 1}}));
  return table == features::TableKernel::best && has_warp_groups ? name : "match_tensor_tiles";
}

// Tensor cores must agree with the kernel that every device has. `best` and `tensor` differ on
// devices of compute capability 9.0.
TEST(MatchOnDevices, all_kernels_of_a_device_agree) {
  for (const DeviceInfo& info : list_devices()) {
    if (info.kind != DeviceKind::cuda || !info.tensor_cores) continue;
    Queue queue{Device(info.id)};
    FeatureSet set(queue.device());
    std::vector<ImagePair> pairs;
    const int sizes[] = {256, 3700, 127, 1, 2100, 600, 9000};
    for (int k = 0; k < 7; ++k) set.add(queue, random_features(sizes[k], unsigned(k), 8));
    for (int k = 0; k < 49; ++k) pairs.push_back({k / 7, k % 7});
    for (std::size_t k = 0; k < kOptions.size(); ++k) {
      DeviceMatches found[3];
      std::vector<Match> lists[3];
      for (const auto table : {features::TableKernel::best, features::TableKernel::tensor,
                               features::TableKernel::portable}) {
        const auto t = std::size_t(table);
        found[t].offsets = {0};
        const auto launched = runtime::resources_of([&] {
          features::match_on_device(queue, features::plan_set(queue, set, pairs.size()), pairs, {},
                                    kOptions[k], found[t], table);
        });
        EXPECT_TRUE(std::ranges::any_of(launched, [&](const runtime::KernelResources& kernel) {
          return kernel.entry == kernel_name(queue, table);
        })) << t;
        lists[t].resize(std::size_t(found[t].offsets.back()));
        found[t].matches.download(queue, lists[t]);
        queue.wait();
      }
      EXPECT_GT(lists[0].size(), 1000U);
      for (const int other : {1, 2}) {
        EXPECT_EQ(found[0].offsets, found[other].offsets) << info.id << ", options " << k;
        expect_same(lists[0], lists[other], info.id + ", options " + std::to_string(k));
      }
    }
  }
}

// Makes `count` descriptors, descriptor i from seed (i * step + shift) mod `all`. Two such sets
// have known matches.
Features circle(int count, int all, int step, int shift) {
  Features f;
  f.keypoints.resize(std::size_t(count));
  f.descriptors.resize(std::size_t(count) * kDescriptorBytes);
  for (int i = 0; i < count; ++i) {
    std::mt19937 random(unsigned((std::int64_t{i} * step + shift) % all));
    for (int k = 0; k < kDescriptorBytes; ++k)
      f.descriptors[std::size_t(i) * kDescriptorBytes + std::size_t(k)] =
          std::uint8_t(random() >> 24);
  }
  return f;
}

// On CUDA both sides have this size.
TEST(MatchOnDevices, takes_two_hundred_thousand_descriptors_per_side) {
  constexpr int kAll = 200003, kStep = 77777, kShift = 150001;
  const Features a = circle(kAll, kAll, 1, 0);
  for (const DeviceInfo& info : list_devices()) {
    const int count = info.kind == DeviceKind::cuda ? kAll : test::short_or_long(100, 300);
    const Features b = circle(count, kAll, kStep, kShift);
    Queue queue{Device(info.id)};
    const std::vector<Match> there = match(queue, b, a), back = match(queue, a, b);
    ASSERT_EQ(there.size(), std::size_t(count)) << info.id;
    ASSERT_EQ(back.size(), std::size_t(count)) << info.id;
    for (int i = 0; i < count; ++i) {
      const Match& m = there[std::size_t(i)];
      ASSERT_EQ(m.index1, i) << info.id;
      ASSERT_EQ(m.index2, int((std::int64_t{i} * kStep + kShift) % kAll)) << info.id;
      ASSERT_EQ(m.distance, 0) << info.id;
      const Match& r = back[std::size_t(i)];
      ASSERT_EQ(r.index1, int((std::int64_t{r.index2} * kStep + kShift) % kAll)) << info.id;
    }
  }
}

TEST(MatchOnDevices, refuses_wrong_arguments_by_name) {
  Queue queue;
  FeatureSet set;
  set.add(queue, random_features(3, 1, 256));
  const auto message_of = [&](std::vector<ImagePair> pairs, const MatchOptions& options) {
    try {
      (void)match(queue, set, pairs, options);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::usage);
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(message_of({{0, 0}, {0, 1}}, {}).find("pair 1 has image 1"), std::string::npos);
  EXPECT_NE(message_of({{-1, 0}}, {}).find("pair 0 has image -1"), std::string::npos);
  EXPECT_NE(message_of({{0, 0}}, {0.0}).find("max_ratio"), std::string::npos);
  EXPECT_NE(message_of({{0, 0}}, {0.8, true, false, -2}).find("max_distance"), std::string::npos);
  Features broken = random_features(3, 1, 256);
  broken.descriptors.pop_back();
  EXPECT_THROW((void)match(queue, broken, broken), Error);
  for (const DeviceInfo& info : list_devices()) {
    if (info.kind == DeviceKind::cpu) continue;
    Queue other{Device(info.id)};
    EXPECT_THROW((void)match(other, set, {}), Error) << info.id;
  }
}

}  // namespace
}  // namespace bifocal::test
