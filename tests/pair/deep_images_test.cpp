// SPDX-License-Identifier: BSD-3-Clause
// Images of 16 bits: features and model of their 8-bit versions, dense matching in all bits.
#include <gtest/gtest.h>
#include <bifocal/two_photographs.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace bifocal::test {
namespace {

constexpr int kWidth = 400, kHeight = 300;
constexpr double kFocalLength = 400, kFaintDepth = 20;  // baselines
// A region without texture in 8 bits, in front of which lies a strip at a depth of 11.8.
constexpr int kLeft = 110, kRight = 190, kTop = 90, kBottom = 210;

struct DeepPair {
  ImageU16 left{kWidth, kHeight}, right{kWidth, kHeight};
};

// Noise in blocks of 4 x 4 px on four strips with disparities of 10 to 34 px. The samples of the
// region differ from 128 * 257 by at most 120, so all become 128 in 8 bits. Its disparity is 20.
DeepPair scene() {
  constexpr int kDisparities[] = {10, 34, 16, 28};
  constexpr int kFaint = static_cast<int>(kFocalLength / kFaintDepth);
  std::mt19937 random(5);
  DeepPair pair;
  const auto paint = [&](ImageU16& image) {
    std::vector<unsigned> blocks((kWidth / 4) * (kHeight / 4));
    for (unsigned& v : blocks) v = random() >> 24;
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x)
        image.at(x, y) = static_cast<std::uint16_t>(
            257 * blocks[static_cast<std::size_t>((y / 4) * (kWidth / 4) + x / 4)]);
  };
  paint(pair.left), paint(pair.right);
  for (int y = kTop; y < kBottom; ++y)
    for (int x = kLeft; x < kRight; ++x)
      pair.left.at(x, y) = static_cast<std::uint16_t>(128 * 257 - 120 + random() % 241);
  const auto move = [&](int x, int y, int disparity) {
    if (x >= disparity) pair.right.at(x - disparity, y) = pair.left.at(x, y);
  };
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) move(x, y, kDisparities[x / 100]);
    if (y < kTop || y >= kBottom) continue;
    for (int x = kLeft; x < kRight; ++x) move(x, y, kFaint);
  }
  return pair;
}

PairOptions options() {
  PairOptions own;
  own.camera1 = own.camera2 =
      Intrinsics{kFocalLength, kFocalLength, (kWidth - 1) / 2.0, (kHeight - 1) / 2.0};
  own.escalate = false;
  return own;
}

// Returns the fraction of the region's inner pixels whose depth is correct to 5 %.
double correct_share(const PairResult& r) {
  if (!r.dense) return -1;
  int correct = 0, all = 0;
  for (int y = kTop + 15; y < kBottom - 15; ++y)
    for (int x = kLeft + 15; x < kRight - 15; ++x, ++all)
      correct += std::abs(r.dense->depth.depth.at(x, y) / kFaintDepth - 1) < 0.05;
  return double(correct) / all;
}

TEST(DeepImages, FeaturesAreThoseOf8BitsAndDepthUses16) {
  const DeepPair deep = scene();
  const ImageU8 left = to_8_bits(deep.left), right = to_8_bits(deep.right);
  for (const auto& device : list_devices()) {
    PairOptions own = options();
    Queue queue(Device(device.id));
    const PairResult in_16 = estimate_pair(queue, deep.left, deep.right, own),
                     in_8 = estimate_pair(queue, left, right, own);
    ASSERT_EQ(in_8.outcome, Outcome::ok) << device.id << ": " << in_8.reason;
    EXPECT_EQ(in_16.estimate.model, in_8.estimate.model) << device.id;
    EXPECT_EQ(in_16.estimate.inliers, in_8.estimate.inliers) << device.id;
    EXPECT_GT(correct_share(in_16), 0.9) << device.id;
    EXPECT_LT(correct_share(in_8), 0.3) << device.id;
    EXPECT_EQ(in_16.dense->left.pixels, in_8.dense->left.pixels) << device.id;
  }
}

TEST(DeepImages, APairOfBothDepthsIsMatchedIn8Bits) {
  const DeepPair deep = scene();
  const ImageU8 left = to_8_bits(deep.left), right = to_8_bits(deep.right);
  const PairResult mixed = estimate_pair(deep.left, right, options()),
                   in_8 = estimate_pair(left, right, options());
  ASSERT_TRUE(mixed.dense && in_8.dense);
  EXPECT_EQ(mixed.estimate.model, in_8.estimate.model);
  const auto known = [](float d) { return std::isnan(d) ? -1.0F : d; };
  EXPECT_TRUE(std::ranges::equal(mixed.dense->disparity.raw.pixels,
                                 in_8.dense->disparity.raw.pixels, {}, known, known));
}

TEST(DeepImages, TwelveBitsCountAsTheWholeRange) {
  DeepPair deep = scene();
  for (ImageU16* image : {&deep.left, &deep.right})
    for (std::uint16_t& v : image->pixels) v = static_cast<std::uint16_t>(v >> 4);
  const PairResult r = estimate_pair(deep.left, deep.right, options());
  ASSERT_EQ(r.outcome, Outcome::ok) << r.reason;
  EXPECT_GT(correct_share(r), 0.9);
}

}  // namespace
}  // namespace bifocal::test
