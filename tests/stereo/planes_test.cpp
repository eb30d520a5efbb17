// SPDX-License-Identifier: BSD-3-Clause
// Fill::planes: the planes of flat regions on the CPU. filter_device_test.cpp has the GPUs.
#include <gtest/gtest.h>

#include <bifocal/stereo.hpp>

#include <cstdlib>
#include <random>

#include "stereo/filter.hpp"
#include "stereo/flat_walls.hpp"
#include "stereo/reference_filter.hpp"

namespace bifocal {
namespace {

constexpr std::uint16_t kUnknown = test::kUnknownDisparity;

ImageU16 planes_of(const test::FlatWalls& walls) {
  const stereo::ImageSize size{walls.disparity.width, walls.disparity.height};
  const auto pixels = static_cast<std::size_t>(size.pixels());
  Queue queue;
  const Device& device = queue.device();
  const stereo::DisparityBuffer flat(device, pixels), filled(device, pixels);
  stereo::DisparityBuffer disparity(device, pixels);
  const Buffer<std::uint32_t> labels(device, pixels), sizes(device, pixels);
  disparity.upload(queue, walls.disparity.pixels);
  stereo::PlaneFill planes(device, size);
  planes.find_flat(queue, {flat, flat, {}, walls.picture.pixels.data()}, flat);
  stereo::Regions().find(stereo::view_of(flat, size), 0, labels.data(), sizes.data());
  planes.run(queue, disparity, labels, sizes, filled);
  ImageU16 out(size.width, size.height);
  filled.download(queue, std::span<std::uint16_t>(out.pixels));
  return out;
}

TEST(Planes, follow_the_definition) {
  std::mt19937 random(3);
  int filled = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const auto pick = [&](int low, int high) {
      return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
    };
    const auto walls =
        test::flat_walls(random, pick(1, 90), pick(1, 60), pick(1, 5), pick(0, 100), pick(0, 70));
    const ImageU16 out = planes_of(walls);
    ASSERT_EQ(out.pixels, test::reference_planes(walls.disparity, walls.picture).pixels) << trial;
    for (std::size_t k = 0; k < out.pixels.size(); ++k) {
      const std::uint16_t given = walls.disparity.pixels[k];
      ASSERT_TRUE(given == kUnknown || out.pixels[k] == given);
      filled += out.pixels[k] != given ? 1 : 0;
    }
  }
  EXPECT_GT(filled, 10000);
}

// Images of more than 65,536 pixels, of which every third is sampled, with sides that are no
// multiple of 3.
TEST(Planes, large_images_are_sampled_on_a_lattice) {
  std::mt19937 random(5);
  const auto walls = test::flat_walls(random, 701, 499, 3, 60, 20);
  EXPECT_EQ(planes_of(walls).pixels, test::reference_planes(walls.disparity, walls.picture).pixels);
}

// Half of each wall is unknown and a third of the rest is wrong, but the walls are still found.
TEST(Planes, walls_are_found_under_foregrounds) {
  std::mt19937 random(8);
  for (int trial = 0; trial < 10; ++trial) {
    const auto walls = test::flat_walls(random, 240, 180, 2, 50, 33);
    const ImageU16 out = planes_of(walls);
    int unknown = 0, near = 0;
    for (int y = 0; y < 180; ++y) {
      for (int x = 0; x < 240; ++x) {
        if (walls.disparity.at(x, y) != kUnknown || std::abs(x - 120) < 3) continue;
        ++unknown;
        near += std::abs(int{out.at(x, y)} - int{walls.truth.at(x, y)}) < 32 ? 1 : 0;
      }
    }
    EXPECT_GT(unknown, 10000);
    EXPECT_GT(near, 0.98 * unknown) << trial;
  }
}

// If two thirds of the pixels lie on no plane, the wall is left to Fill::background, and so is a
// textured wall.
TEST(Planes, require_enough_samples) {
  std::mt19937 random(9);
  auto walls = test::flat_walls(random, 120, 90, 1, 30, 0);
  for (std::uint16_t& d : walls.disparity.pixels)
    if (d != kUnknown) d = static_cast<std::uint16_t>(random() % 20000);
  EXPECT_EQ(planes_of(walls).pixels, walls.disparity.pixels);
  walls = test::flat_walls(random, 120, 90, 1, 30, 0);
  EXPECT_NE(planes_of(walls).pixels, walls.disparity.pixels);
  for (std::uint8_t& v : walls.picture.pixels) v = static_cast<std::uint8_t>(random());
  EXPECT_EQ(planes_of(walls).pixels, walls.disparity.pixels);
}

}  // namespace
}  // namespace bifocal
