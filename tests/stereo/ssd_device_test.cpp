// SPDX-License-Identifier: BSD-3-Clause
// SSD block matching on every CUDA and OpenCL device of this machine gives the bits of the CPU,
// which ssd_test.cpp compares with the plain reference.
#include <bifocal/stereo.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <array>
#include <random>

#include "stereo/ssd/ssd.hpp"
#include "stereo/ssd/ssd_device.hpp"

namespace bifocal {
namespace {

ImageU8 random_image(std::mt19937& random, int width, int height, int levels) {
  ImageU8 image(width, height);
  for (std::uint8_t& v : image.pixels)
    v = static_cast<std::uint8_t>(static_cast<int>(random() % static_cast<unsigned>(levels)) * 255 /
                                  std::max(1, levels - 1));
  return image;
}

std::string described(const ImageU8& picture, const SsdOptions& o) {
  return std::to_string(picture.width) + " x " + std::to_string(picture.height) + ", d from " +
         std::to_string(o.min_disparity) + ", " + std::to_string(o.disparities) + ", window " +
         std::to_string(o.window) + ", cross_check " + std::to_string(o.filter.cross_check) +
         ", fill " + std::to_string(static_cast<int>(o.filter.fill));
}

bool same_bits(const ImageF& a, const ImageF& b) {
  return a.width == b.width && a.height == b.height &&
         std::memcmp(a.pixels.data(), b.pixels.data(), a.pixels.size() * sizeof(float)) == 0;
}

class SsdDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const DeviceInfo& info : list_devices()) {
      if (info.kind != DeviceKind::cpu) queues_.emplace_back(Device(info.id));
    }
    if (queues_.empty()) GTEST_SKIP() << "no CUDA or OpenCL device";
  }

  // Compares the maps raw and filled and the density, and also the right image's winners, which no
  // map contains.
  void check(const ImageU8& left, const ImageU8& right, const SsdOptions& o) {
    const DisparityMap expected = stereo_ssd(left, right, o);
    std::vector<std::uint16_t> right_index(left.pixels.size(), 0xffff);
    stereo::SsdSearch search({left.width, left.height}, o, 1);
    search.run(left, right, [&](int y, const stereo::WinnerRow& row) {
      std::copy_n(row.right_index, left.width, right_index.begin() + y * left.width);
    });
    for (Queue& queue : queues_) {
      const std::string what = queue.device().info().id + ": " + described(left, o);
      const DisparityMap map = stereo_ssd(queue, left, right, o);
      ASSERT_TRUE(same_bits(map.raw, expected.raw)) << what;
      ASSERT_TRUE(same_bits(map.filled, expected.filled)) << what;
      ASSERT_EQ(map.density, expected.density) << what;
      ASSERT_EQ(frames(queue, left, right, o), right_index) << what;
    }
  }

  // Returns the right winners of the second of two frames with the same matcher.
  static std::vector<std::uint16_t> frames(Queue& queue, const ImageU8& left, const ImageU8& right,
                                           const SsdOptions& o) {
    Buffer<std::uint8_t> a(queue.device(), left.pixels.size()),
        b(queue.device(), left.pixels.size());
    a.upload(queue, left.pixels);
    b.upload(queue, right.pixels);
    stereo::SsdDevice search(queue, {left.width, left.height}, o);
    const stereo::DisparityBuffer disparity(queue.device(), left.pixels.size());
    search.run(queue, b, a, disparity);
    const stereo::WinnerMaps winners = search.run(queue, a, b, disparity);
    std::vector<std::uint16_t> out(left.pixels.size());
    winners.right_index.download(queue, std::span<std::uint16_t>(out));
    queue.wait();
    return out;
  }

  std::vector<Queue> queues_;
};

TEST_F(SsdDevice, random_sizes_and_options_give_the_bits_of_the_cpu) {
  std::mt19937 random(1);
  const auto pick = [&](int lo, int hi) {
    return std::uniform_int_distribution<int>(lo, hi)(random);
  };
  for (int trial = 0; trial < 60; ++trial) {
    const int width = pick(1, trial % 5 == 0 ? 200 : 80), height = pick(1, 30);
    SsdOptions o;
    o.disparities = pick(1, trial % 3 == 0 ? 100 : 30);
    o.min_disparity = pick(-40, 20);
    o.window = 3 + 2 * (trial % 15);
    o.filter.cross_check = pick(-1, 8) * 0.5;
    o.filter.fill = static_cast<Fill>(pick(0, 3));
    o.filter.median = std::array{0, 0, 3, 5}[static_cast<std::size_t>(pick(0, 3))];
    o.filter.speckle_size = pick(0, 1) * pick(0, 30);
    const int levels = trial % 2 == 0 ? 256 : 3;  // few levels: many ties
    ASSERT_NO_FATAL_FAILURE(check(random_image(random, width, height, levels),
                                  random_image(random, width, height, levels), o));
  }
}

TEST_F(SsdDevice, takes_one_pixel_one_row_constant_and_saturated_images) {
  std::mt19937 random(2);
  check(ImageU8(1, 1, 1, 7), ImageU8(1, 1, 1, 9), {.disparities = 4, .window = 3});
  check(random_image(random, 300, 1, 256), random_image(random, 300, 1, 256),
        {.min_disparity = -5, .disparities = 40, .window = 31});
  check(random_image(random, 1, 90, 256), random_image(random, 1, 90, 256),
        {.min_disparity = -5, .disparities = 40, .window = 9});
  for (int value : {0, 255})
    check(ImageU8(140, 40, 1, static_cast<std::uint8_t>(value)), ImageU8(140, 40, 1, 255),
          {.min_disparity = -3, .disparities = 50, .window = 31});
}

TEST_F(SsdDevice, takes_more_disparities_than_a_group_has_members) {
  std::mt19937 random(3);
  const ImageU8 left = random_image(random, 300, 20, 4), right = random_image(random, 300, 20, 4);
  SsdOptions o;
  const auto search = [&](int first, int disparities, int window) {
    o.min_disparity = first;
    o.disparities = disparities;
    o.window = window;
    check(left, right, o);
  };
  search(-150, 1024, 31);
  search(10, 280, 15);
  for (const int disparities : {127, 128, 129, 130, 131, 254, 255}) search(0, disparities, 5);
}

TEST_F(SsdDevice, takes_ranges_outside_the_image) {
  std::mt19937 random(4);
  const ImageU8 left = random_image(random, 20, 5, 256), right = random_image(random, 20, 5, 256);
  for (int start : {20, 500, -60, -1000})
    check(left, right, {.min_disparity = start, .disparities = 30, .window = 5});
}

TEST_F(SsdDevice, flat_pairs_are_unknown) {
  const ImageU8 flat(300, 120, 1, 77);
  check(flat, flat, {.disparities = 32, .window = 9});
}

// The image is taller than the rows of a tile on any device.
TEST_F(SsdDevice, works_over_several_tiles_in_both_directions) {
  std::mt19937 random(5);
  const ImageU8 left = random_image(random, 150, 150, 5), right = random_image(random, 150, 150, 5);
  for (const int window : {3, 15, 23})
    check(left, right, {.min_disparity = -7, .disparities = 40, .window = window});
}

}  // namespace
}  // namespace bifocal
