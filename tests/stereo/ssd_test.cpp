// SPDX-License-Identifier: BSD-3-Clause
// SSD winners against the plain reference: bit-identical for every size, range, window, SIMD target
// and number of threads.
#include <bifocal/threads.hpp>

#include <gtest/gtest.h>

#include <random>

#include "runtime/parallel.hpp"
#include "stereo/reference_ssd.hpp"
#include "support/targets.hpp"

namespace bifocal {
namespace {

ImageU8 random_image(std::mt19937& random, int width, int height, int levels) {
  ImageU8 image(width, height);
  std::uniform_int_distribution<int> level(0, levels - 1);
  for (std::uint8_t& v : image.pixels)
    v = static_cast<std::uint8_t>(level(random) * 255 / std::max(1, levels - 1));
  return image;
}

test::SsdReference fast(const ImageU8& left, const ImageU8& right, const SsdOptions& o) {
  test::SsdReference r;
  r.left.resize(left.pixels.size());
  r.right = r.left;
  r.offset.resize(left.pixels.size());
  stereo::SsdSearch search(left.width, left.height, o, runtime::thread_count());
  search.run(right, left, [](int, const stereo::WinnerRow&) {});  // which leaves nothing behind
  search.run(left, right, [&](int y, const stereo::WinnerRow& row) {
    const std::ptrdiff_t at = std::ptrdiff_t{y} * left.width;
    std::copy_n(row.left, left.width, r.left.begin() + at);
    std::copy_n(row.right, left.width, r.right.begin() + at);
    std::copy_n(row.offset, left.width, r.offset.begin() + at);
  });
  return r;
}

void expect_same(const test::SsdReference& a, const test::SsdReference& b,
                 const std::string& what) {
  ASSERT_EQ(a.left, b.left) << what;
  ASSERT_EQ(a.right, b.right) << what;
  ASSERT_EQ(a.offset, b.offset) << what;
}

void check(const ImageU8& left, const ImageU8& right, const SsdOptions& o) {
  const test::SsdReference expected = test::ssd_reference(left, right, o);
  test::for_each_target([&](const std::string& target) {
    expect_same(fast(left, right, o), expected,
                target + ": " + std::to_string(left.width) + " x " + std::to_string(left.height) +
                    ", d from " + std::to_string(o.min_disparity) + ", " +
                    std::to_string(o.disparities) + ", window " + std::to_string(o.window));
  });
}

TEST(Ssd, winners_equal_the_reference_for_random_sizes_and_options) {
  std::mt19937 random(1);
  const auto pick = [&](int lo, int hi) {
    return std::uniform_int_distribution<int>(lo, hi)(random);
  };
  for (int trial = 0; trial < 60; ++trial) {
    const int width = pick(1, 70), height = pick(1, 24);
    SsdOptions o;
    o.disparities = pick(1, trial % 3 == 0 ? 100 : 20);
    o.min_disparity = pick(-30, 20);
    o.window = 3 + 2 * pick(0, trial % 4 == 0 ? 14 : 5);
    const int levels = trial % 2 == 0 ? 256 : 3;  // few levels: many ties
    check(random_image(random, width, height, levels), random_image(random, width, height, levels),
          o);
    if (HasFatalFailure()) return;
  }
}

TEST(Ssd, one_pixel_constant_and_saturated_images) {
  for (int value : {0, 255}) {
    check(ImageU8(1, 1, 1, 7), ImageU8(1, 1, 1, 9),
          {.min_disparity = 0, .disparities = 4, .window = 3});
    check(ImageU8(40, 9, 1, static_cast<std::uint8_t>(value)), ImageU8(40, 9, 1, 255),
          {.min_disparity = -3, .disparities = 50, .window = 31});
  }
}

TEST(Ssd, many_disparities_go_through_several_chunks) {
  std::mt19937 random(2);
  const ImageU8 left = random_image(random, 300, 3, 256), right = random_image(random, 300, 3, 256);
  check(left, right, {.min_disparity = -150, .disparities = 1024, .window = 31});
  check(left, right, {.min_disparity = 10, .disparities = 280, .window = 15});
  const ImageU8 flat(300, 3, 1, 90);  // ties of all chunks
  check(flat, flat, {.min_disparity = -150, .disparities = 1024, .window = 31});
}

TEST(Ssd, nothing_to_search_gives_no_winner) {
  std::mt19937 random(3);
  const ImageU8 left = random_image(random, 20, 5, 256), right = random_image(random, 20, 5, 256);
  for (int start : {20, 500, -60, -1000})
    check(left, right, {.min_disparity = start, .disparities = 30, .window = 5});
}

TEST(Ssd, any_number_of_threads_gives_the_same) {
  std::mt19937 random(4);
  const ImageU8 left = random_image(random, 90, 150, 256),
                right = random_image(random, 90, 150, 256);
  const SsdOptions o{.min_disparity = -5, .disparities = 40, .window = 11};
  test::SsdReference one;
  {
    ThreadLimit limit(1);
    one = fast(left, right, o);
  }
  expect_same(one, test::ssd_reference(left, right, o), "one thread");
  for (int threads : {2, 3, 0}) {
    ThreadLimit limit(threads);
    expect_same(fast(left, right, o), one, std::to_string(threads) + " threads");
  }
}

TEST(Ssd, swapped_and_mirrored_pictures_give_the_other_direction) {
  std::mt19937 random(5);
  const ImageU8 left = random_image(random, 61, 20, 256), right = random_image(random, 61, 20, 256);
  const auto mirrored = [](ImageU8 image) {
    for (int y = 0; y < image.height; ++y) std::reverse(image.row(y), image.row(y) + image.width);
    return image;
  };
  const SsdOptions o{.min_disparity = -4, .disparities = 30, .window = 7};
  const test::SsdReference a = fast(left, right, o), b = fast(mirrored(right), mirrored(left), o);
  for (int y = 0; y < left.height; ++y) {
    for (int x = 0; x < left.width; ++x) {
      const auto at = static_cast<std::size_t>(y * left.width + x);
      const auto other = static_cast<std::size_t>(y * left.width + left.width - 1 - x);
      ASSERT_EQ(a.left[at], b.right[other]) << x << " " << y;
      ASSERT_EQ(a.right[at], b.left[other]) << x << " " << y;
    }
  }
}

}  // namespace
}  // namespace bifocal
