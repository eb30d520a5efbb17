// SPDX-License-Identifier: BSD-3-Clause
// Features that stay on the device that detected them: equal to the features of the database, and
// not copied to the device again.
#include <bifocal/collect.hpp>
#include <bifocal/colmap/database.hpp>
#include <bifocal/io.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "collection/collect/kept_features.hpp"
#include "collection/screen.hpp"
#include "io/expect.hpp"
#include "runtime/backend.hpp"
#include "support/data.hpp"
#include "support/devices.hpp"
#include "support/texture.hpp"

namespace bifocal::test {
namespace {

using collection::KeptFeatures;

Features features_of_seed(unsigned seed, int count) {
  std::mt19937 random(seed);
  Features f;
  for (int i = 0; i < count; ++i) {
    f.keypoints.push_back(
        {float(random() % 640), float(random() % 480), 1 + float(random() % 99), 0, 0});
    for (int k = 0; k < kDescriptorBytes; ++k) f.descriptors.push_back(std::uint8_t(random()));
  }
  return f;
}

void expect_equal(const Features& found, const Features& expected, const std::string& where) {
  EXPECT_EQ(found.descriptors, expected.descriptors) << where;
  ASSERT_EQ(found.size(), expected.size()) << where;
  for (std::size_t i = 0; i < found.keypoints.size(); ++i) {
    const Keypoint &a = found.keypoints[i], &b = expected.keypoints[i];
    EXPECT_TRUE(a.x == b.x && a.y == b.y && a.sigma == b.sigma) << where << ": " << i;
  }
}

// The detector's descriptors are not in COLMAP's order; the kept ones are.
TEST(KeptFeatures, EqualTheRowsOfTheDatabaseOnEveryDevice) {
  constexpr int kLargest = 40;
  for_each_device([](Queue& queue, const std::string& id) {
    const bool is_cpu = queue.device().info().kind == DeviceKind::cpu;
    for (const bool is_reversed : {true, false}) {
      const std::vector<Features> found = {features_of_seed(1, 100), features_of_seed(2, 33),
                                           features_of_seed(3, 57)};
      FeatureSet detected(queue.device());
      std::vector<Features> expected = found;
      KeptFeatures kept(queue.device(), 190, 3, kLargest);
      for (int i = 0; i < 3; ++i) {
        Features& e = expected[std::size_t(i)];
        if (is_reversed) e.descriptors = colmap::descriptors_of(e.descriptors).data;
        (void)detected.add(queue, found[std::size_t(i)]);
        kept.add(queue, 10 + i, e.keypoints, e.descriptors, is_cpu ? nullptr : &detected, i,
                 is_reversed);
      }
      FeatureSet whole(queue.device()), largest(queue.device());
      (void)whole.reserve(queue, 100, 2);
      (void)largest.reserve(queue, kLargest, 2);
      for (int i = 0; i < 3; ++i) {
        const Features& e = expected[std::size_t(i)];
        const std::string where = fmt::format("{}, image {}", id, i);
        kept.copy(queue, 10 + i, whole, i % 2);
        expect_equal(whole.get(queue, i % 2), e, where);
        ASSERT_TRUE(kept.has(10 + i, kLargest));
        kept.copy(queue, 10 + i, largest, 1 - i % 2);
        const auto rows = collection::largest_keypoints(e.keypoints, kLargest);
        expect_equal(largest.get(queue, 1 - i % 2), collection::features_at(e, rows), where);
      }
      EXPECT_FALSE(kept.has(10, kLargest - 1));  // only subsets of one size
      EXPECT_TRUE(kept.has(11, 33));
      // Memory is used up: 190 features are kept.
      kept.add(queue, 13, expected[1].keypoints, expected[1].descriptors,
               is_cpu ? nullptr : &detected, 1, is_reversed);
      EXPECT_FALSE(kept.has(13));
    }
  });
}

// Writes images of one texture, moved by some pixels.
PhotographFiles photographs_in(const std::filesystem::path& folder, int count) {
  std::filesystem::create_directories(folder);
  const ImageU8 scene = texture(400, 300, 7);
  for (int i = 0; i < count; ++i) {
    ImageU8 view(340, 280);
    for (int y = 0; y < view.height; ++y)
      for (int x = 0; x < view.width; ++x) view.at(x, y) = scene.at(x + 4 * i, y + i);
    write_png(folder / fmt::format("{}.png", i), view);
  }
  const std::vector<std::string> folders = {folder.string()};
  return list_photographs(folders);
}

// Pixels and keypoints are copied to the device once, descriptors never.
TEST(KeptFeatures, AreNotCopiedToTheDeviceAgain) {
  const TemporaryFolder folder;
  const PhotographFiles photographs = photographs_in(folder / "in", 8);
  (void)collect(Device(), photographs, folder / "cpu.db", {});
  for_each_gpu_or_opencl([&](Queue& queue, const std::string& id) {
    const runtime::Transfers before = runtime::transfers();
    CollectOptions options;
    options.overwrite = true;
    const CollectResult result =
        collect(queue.device(), photographs, folder / "device.db", options);
    const runtime::Transfers after = runtime::transfers();
    EXPECT_EQ(result.verified, 28) << id;
    const std::int64_t descriptors = result.features * kDescriptorBytes;
    const std::int64_t pixels = std::int64_t{340} * 280 * 8;
    const std::int64_t keypoints = result.features * std::int64_t{sizeof(Keypoint)};
    const std::int64_t rest = after.uploaded - before.uploaded - pixels - keypoints;
    fmt::print("{}: {} features; uploaded: {} bytes without pixels and keypoints; downloaded: {}\n",
               id, result.features, rest, after.downloaded - before.downloaded);
    EXPECT_LT(rest, descriptors / 4) << id;
    EXPECT_GE(after.downloaded - before.downloaded, descriptors + keypoints) << id;
  });
}

}  // namespace
}  // namespace bifocal::test
