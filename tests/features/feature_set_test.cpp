// SPDX-License-Identifier: BSD-3-Clause
// FeatureSet returns the added features unchanged on every device, however it grows.
#include <bifocal/matching.hpp>

#include <gtest/gtest.h>

#include <cstring>

#include "match_oracle.hpp"

namespace bifocal::test {
namespace {

void expect_equal(const Features& got, const Features& want, const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  EXPECT_EQ(got.descriptors, want.descriptors) << what;
  EXPECT_TRUE(want.size() == 0 || std::memcmp(got.keypoints.data(), want.keypoints.data(),
                                              want.keypoints.size() * sizeof(Keypoint)) == 0)
      << what;
}

TEST(FeatureSet, returns_the_added_features) {
  for (const DeviceInfo& info : list_devices()) {
    Queue queue{Device(info.id)};
    for (const std::int64_t capacity : {0, 5000}) {
      FeatureSet set(queue.device(), capacity);
      const int sizes[] = {3, 0, 700, 1, 2900, 65};
      for (int k = 0; k < 6; ++k)
        EXPECT_EQ(set.add(queue, random_features(sizes[k], unsigned(k), 256)), k);
      EXPECT_EQ(set.size(), 6);
      EXPECT_EQ(set.count_all(queue), std::vector<int>(sizes, sizes + 6)) << info.id;
      for (int k = 0; k < 6; ++k)
        expect_equal(set.get(queue, k), random_features(sizes[k], unsigned(k), 256), info.id);
      set.clear();
      EXPECT_EQ(set.size(), 0);
      EXPECT_EQ(set.add(queue, random_features(9, 99, 256)), 0);
      expect_equal(set.get(queue, 0), random_features(9, 99, 256), info.id + " cleared");
    }
  }
}

// Images with shapes stand next to images without; a slot also takes shapes from another set.
TEST(FeatureSet, keeps_shapes) {
  const auto shaped = [](int count, unsigned seed) {
    Features f = random_features(count, seed, 256);
    for (int k = 0; k < count; ++k)
      f.shapes.push_back({1 + 0.001F * float(k), 0.25F * float(seed), float(k)});
    return f;
  };
  for (const DeviceInfo& info : list_devices()) {
    Queue queue{Device(info.id)};
    FeatureSet set(queue.device());
    for (int k = 0; k < 6; ++k)
      set.add(queue, k % 2 ? shaped(100 * k, unsigned(k)) : random_features(70, unsigned(k), 256));
    EXPECT_EQ(set.reserve(queue, 600), 6);
    for (int k = 0; k < 6; ++k) {
      const Features want = k % 2 ? shaped(100 * k, unsigned(k)) : Features{};
      const Features got = set.get(queue, k);
      EXPECT_EQ(got.size(), k % 2 ? 100 * k : 70) << info.id;
      ASSERT_EQ(got.shapes.size(), want.shapes.size()) << info.id << ", image " << k;
      EXPECT_TRUE(want.shapes.empty() ||
                  std::memcmp(got.shapes.data(), want.shapes.data(),
                              want.shapes.size() * sizeof(KeypointShape)) == 0)
          << info.id << ", image " << k;
    }
    FeatureSet ring(queue.device());
    ring.reserve(queue, 600, 2);
    EXPECT_EQ(ring.shapes().size(), 0U);
    ring.put(queue, 1, set, 3);
    ring.put(queue, 0, set, 2);
    EXPECT_EQ(ring.get(queue, 1).shapes.size(), 300U) << info.id;
    EXPECT_EQ(ring.get(queue, 1).shapes[299].yy, 299) << info.id;
    EXPECT_TRUE(ring.get(queue, 0).shapes.empty()) << info.id;
    ring.put(queue, 1, set, 4);
    EXPECT_TRUE(ring.get(queue, 1).shapes.empty()) << info.id;
    ring.put(queue, 0, shaped(600, 9));
    const Features got = ring.get(queue, 0), want = shaped(600, 9);
    EXPECT_TRUE(got.descriptors == want.descriptors) << info.id;
    ASSERT_EQ(got.shapes.size(), 600U) << info.id;
    EXPECT_EQ(std::memcmp(got.shapes.data(), want.shapes.data(), 600 * sizeof(KeypointShape)), 0);
    EXPECT_EQ(std::memcmp(got.keypoints.data(), want.keypoints.data(), 600 * sizeof(Keypoint)), 0);
    ring.put(queue, 0, random_features(70, 1, 256));
    EXPECT_EQ(ring.get(queue, 0).size(), 70) << info.id;
    EXPECT_TRUE(ring.get(queue, 0).shapes.empty()) << info.id;
    EXPECT_EQ(ring.get(queue, 1).size(), 70) << info.id;
    EXPECT_THROW(ring.put(queue, 0, random_features(601, 1, 256)), Error);
  }
}

TEST(FeatureSet, takes_little_memory_for_eight_thousand_features_per_image) {
  FeatureSet set(Device(), 10 * 8192);
  Queue queue;
  const auto bytes = set.descriptors().size() + set.keypoints().size() * sizeof(Keypoint);
  EXPECT_LE(double(bytes) / 10, 1.3e6);
  EXPECT_EQ(set.capacity(), 10 * 8192);
}

// Writes features and their number into the slot like a detector on the device.
TEST(FeatureSet, a_reserved_slot_has_the_count_of_its_writer) {
  for (const DeviceInfo& info : list_devices()) {
    Queue queue{Device(info.id)};
    FeatureSet set(queue.device());
    set.add(queue, random_features(10, 1, 256));
    const int image = set.reserve(queue, 50);
    EXPECT_EQ(set.count(queue, image), 0);
    EXPECT_EQ(set.capacity(image), 50);
    EXPECT_EQ(set.begin(image), 10);
    const Features f = random_features(20, 2, 256);
    for (const auto& [count, want] : {std::pair{20, 20}, {1000, 50}, {-3, 0}}) {
      const auto first = std::size_t(set.begin(image));
      runtime::upload(queue, *set.descriptors().memory(), first * kDescriptorBytes,
                      f.descriptors.data(), f.descriptors.size());
      runtime::upload(queue, *set.keypoints().memory(), first * sizeof(Keypoint),
                      f.keypoints.data(), f.keypoints.size() * sizeof(Keypoint));
      runtime::upload(queue, *set.counts().memory(), std::size_t(image) * sizeof(int), &count,
                      sizeof count);
      EXPECT_EQ(set.count(queue, image), want) << info.id;
      EXPECT_EQ(set.count_all(queue)[1], want) << info.id;
      if (count == 20) expect_equal(set.get(queue, image), f, info.id);
    }
  }
}

TEST(FeatureSet, refuses_wrong_arguments) {
  EXPECT_THROW(FeatureSet(Device(), -1), Error);
  Queue queue;
  FeatureSet set;
  EXPECT_THROW(set.reserve(queue, -1), Error);
  EXPECT_THROW((void)set.get(queue, 0), Error);
  Features broken = random_features(3, 1, 256);
  broken.descriptors.pop_back();
  EXPECT_THROW(set.add(queue, broken), Error);
  Features two = random_features(3, 1, 256);
  two.shapes.resize(2);
  EXPECT_THROW(set.add(queue, two), Error);
  EXPECT_EQ(set.size(), 0);
  set.add(queue, random_features(3, 1, 256));
  EXPECT_THROW((void)set.begin(-1), Error);
  EXPECT_THROW((void)set.count(queue, 1), Error);
  for (const DeviceInfo& info : list_devices()) {
    if (info.kind == DeviceKind::cpu) continue;
    Queue other{Device(info.id)};
    EXPECT_THROW(set.add(other, random_features(3, 1, 256)), Error);
    EXPECT_THROW((void)set.get(other, 0), Error);
  }
}

}  // namespace
}  // namespace bifocal::test
