// SPDX-License-Identifier: BSD-3-Clause
// SSD winners equal the plain reference bit by bit for every size, range, window, SIMD target and
// number of threads.
#include <bifocal/error.hpp>
#include <bifocal/device.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "runtime/parallel.hpp"
#include "stereo/reference_ssd.hpp"
#include "stereo/ssd/ssd.hpp"
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

struct Winners {
  std::vector<std::uint16_t> disparity, right_index;
};

Winners fast(const ImageU8& left, const ImageU8& right, const SsdOptions& o) {
  Winners w;
  w.disparity.resize(left.pixels.size());
  w.right_index.resize(left.pixels.size());
  stereo::SsdSearch search({left.width, left.height}, o, runtime::thread_count());
  search.run(right, left, [](int, const stereo::WinnerRow&) {});  // must leave no state behind
  search.run(left, right, [&](int y, const stereo::WinnerRow& row) {
    const std::ptrdiff_t at = std::ptrdiff_t{y} * left.width;
    std::copy_n(row.disparity, left.width, w.disparity.begin() + at);
    std::copy_n(row.right_index, left.width, w.right_index.begin() + at);
  });
  return w;
}

void check(const ImageU8& left, const ImageU8& right, const SsdOptions& o) {
  const test::SsdReference expected = test::ssd_reference(left, right, o);
  const auto disparity = test::left_disparities(expected, o),
             right_index = test::right_indices(expected, o);
  test::for_each_target([&](const std::string& target) {
    const std::string what = target + ": " + std::to_string(left.width) + " x " +
                             std::to_string(left.height) + ", d from " +
                             std::to_string(o.min_disparity) + ", " +
                             std::to_string(o.disparities) + ", window " + std::to_string(o.window);
    const Winners w = fast(left, right, o);
    ASSERT_EQ(w.disparity, disparity) << what;
    ASSERT_EQ(w.right_index, right_index) << what;
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

// The filters are shared with semi-global matching.
TEST(Ssd, maps_equal_the_reference_for_random_filters) {
  std::mt19937 random(6);
  const auto pick = [&](int lo, int hi) {
    return std::uniform_int_distribution<int>(lo, hi)(random);
  };
  int some_known = 0;
  for (int trial = 0; trial < 60; ++trial) {
    SsdOptions o;
    o.disparities = pick(1, 20);
    o.min_disparity = pick(-10, 10);
    o.window = 3 + 2 * pick(0, 4);
    o.filter = {.cross_check = pick(-1, 6) * 0.5,
                .median = 2 * pick(0, 2) + 1,
                .speckle_size = pick(0, 40),
                .speckle_range = pick(0, 8) * 0.5,
                .fill = static_cast<Fill>(trial % 4),
                .fill_window = 3 + 2 * pick(0, 6)};
    if (o.filter.median == 1) o.filter.median = 0;
    const int width = pick(1, 70), height = pick(1, 24);
    const ImageU8 left = random_image(random, width, height, 8);
    ImageU8 right = random_image(random, width, height, 8);
    for (int i = 0; i + 3 < width * height; ++i) {  // most pixels are moved by 3 px
      if (pick(0, 9) > 0) right.pixels[std::size_t(i)] = left.pixels[std::size_t(i) + 3];
    }
    const DisparityMap expected = test::ssd_maps(left, right, o), map = stereo_ssd(left, right, o);
    const auto same = [](const ImageF& a, const ImageF& b) {
      return std::memcmp(a.pixels.data(), b.pixels.data(), 4 * a.pixels.size()) == 0;
    };
    ASSERT_TRUE(same(map.raw, expected.raw)) << trial;
    ASSERT_TRUE(same(map.filled, expected.filled)) << trial;
    ASSERT_DOUBLE_EQ(map.density, expected.density) << trial;
    some_known += map.density > 20 ? 1 : 0;
  }
  EXPECT_GT(some_known, 20);
}

// An image of one brightness, and a pattern that repeats itself within the search range.
TEST(Ssd, flat_and_repeating_pairs_are_unknown) {
  const ImageU8 flat(300, 120, 1, 77);
  ImageU8 chess(300, 120);
  for (int y = 0; y < 120; ++y) {
    for (int x = 0; x < 300; ++x) chess.at(x, y) = (x / 4 + y / 4) % 2 == 0 ? 200 : 20;
  }
  for (const ImageU8& picture : {flat, chess}) {
    const SsdOptions o{.disparities = 32, .window = 9};
    const DisparityMap map = stereo_ssd(picture, picture, o),
                       expected = test::ssd_maps(picture, picture, o);
    EXPECT_EQ(map.density, 0);
    EXPECT_EQ(std::memcmp(map.raw.pixels.data(), expected.raw.pixels.data(), 4 * 36000), 0);
  }
  std::mt19937 random(9);  // a textured pair
  const ImageU8 textured = random_image(random, 300, 120, 256);
  EXPECT_GT(stereo_ssd(textured, textured, {.disparities = 32, .window = 9}).density, 95);
}

TEST(Ssd, names_an_unsupported_option) {
  SsdOptions o;
  o.filter.uniqueness = 5;
  try {
    (void)stereo_ssd(ImageU8(8, 8), ImageU8(8, 8), o);
    FAIL() << "uniqueness was accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::usage);
    EXPECT_NE(std::string(e.what()).find("uniqueness = 5"), std::string::npos);
  }
}

TEST(Ssd, takes_one_pixel_constant_and_saturated_images) {
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

TEST(Ssd, ranges_outside_the_image_give_no_winner) {
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
  for (int threads : {1, 2, 3, 0}) {
    ThreadLimit limit(threads);
    SCOPED_TRACE(std::to_string(threads) + " threads");
    check(left, right, o);
  }
}

TEST(Ssd, swapped_and_mirrored_images_give_the_right_winners) {
  std::mt19937 random(5);
  const ImageU8 left = random_image(random, 61, 20, 256), right = random_image(random, 61, 20, 256);
  const auto mirrored = [](ImageU8 image) {
    for (int y = 0; y < image.height; ++y) std::reverse(image.row(y), image.row(y) + image.width);
    return image;
  };
  const SsdOptions o{.min_disparity = -4, .disparities = 30, .window = 7};
  const Winners a = fast(left, right, o), b = fast(mirrored(right), mirrored(left), o);
  const auto index_of = [](std::uint16_t disparity) {  // whole pixels
    return disparity == 0xffff ? 0xffff : (disparity + 16) / 32;
  };
  for (int y = 0; y < left.height; ++y) {
    for (int x = 0; x < left.width; ++x) {
      const auto at = static_cast<std::size_t>(y * left.width + x);
      const auto other = static_cast<std::size_t>(y * left.width + left.width - 1 - x);
      ASSERT_EQ(index_of(a.disparity[at]), b.right_index[other]) << x << " " << y;
      ASSERT_EQ(a.right_index[at], index_of(b.disparity[other])) << x << " " << y;
    }
  }
}

}  // namespace
}  // namespace bifocal
