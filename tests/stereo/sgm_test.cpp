// SPDX-License-Identifier: BSD-3-Clause
// Semi-global matching equals the plain reference bit by bit for every size, range, option, SIMD
// target, number of threads and amount of memory.
#include <bifocal/error.hpp>
#include <bifocal/device.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>

#include "stereo/reference_sgm.hpp"
#include "stereo/sgm/aggregate.hpp"
#include "support/targets.hpp"

namespace bifocal {
namespace {

using Random = std::mt19937;

int pick(Random& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

// Makes a right image that repeats the left image moved by a few px, with noise, which gives
// matches and mismatches.
template <class T>
std::pair<Image<T>, Image<T>> random_pair(Random& random, int width, int height, int white) {
  Image<T> left(width, height), right(width, height);
  const int levels = pick(random, 0, 2) == 0 ? 3 : 200, shift = pick(random, -4, 12);
  const auto level = [&] {
    return static_cast<T>(pick(random, 0, levels - 1) * white / std::max(1, levels - 1));
  };
  for (T& v : left.pixels) v = level();
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int seen = x + shift + (y > height / 2 ? 3 : 0);
      const bool copied = seen >= 0 && seen < width && pick(random, 0, 9) > 0;
      right.at(x, y) = copied ? left.at(seen, y) : level();
    }
  }
  return {left, right};
}

SgmOptions random_options(Random& random) {
  SgmOptions o;
  o.disparities = pick(random, 0, 3) == 0 ? pick(random, 1, 140) : pick(random, 1, 24);
  o.min_disparity = pick(random, -30, 20);
  o.census = static_cast<Census>(pick(random, 0, 2));
  o.paths = pick(random, 0, 1) == 0 ? 4 : 8;
  if (pick(random, 0, 1) == 0) {
    o.P1 = pick(random, 0, 60);
    o.P2 = pick(random, o.P1, 190);
    o.P2_contrast = pick(random, 0, 20);
  }
  o.vertical_tolerance = std::max(0, pick(random, -2, 2));
  DisparityFilter& f = o.filter;
  f.cross_check = pick(random, -1, 6) * 0.5;
  f.uniqueness = pick(random, 0, 1) == 0 ? 0 : pick(random, 0, 30);
  f.median = std::array{0, 3, 5}[static_cast<std::size_t>(pick(random, 0, 2))];
  f.speckle_size = pick(random, 0, 40);
  f.speckle_range = pick(random, 0, 8) * 0.5;
  f.fill = static_cast<Fill>(pick(random, 0, 2));
  f.fill_window = 3 + 2 * pick(random, 0, 14);
  return o;
}

std::string text_of(int width, int height, const SgmOptions& o) {
  return testing::PrintToString(std::vector<int>{
      width, height, o.min_disparity, o.disparities, static_cast<int>(o.census), o.paths, o.P1,
      o.P2, o.P2_contrast, o.vertical_tolerance, o.filter.uniqueness, o.filter.median,
      o.filter.speckle_size, static_cast<int>(o.filter.fill), o.filter.fill_window});
}

bool same_bits(const ImageF& a, const ImageF& b) {
  return a.width == b.width && a.height == b.height && a.pixels.size() == b.pixels.size() &&
         std::memcmp(a.pixels.data(), b.pixels.data(), a.pixels.size() * sizeof(float)) == 0;
}

void expect_same(const DisparityMap& a, const DisparityMap& b, const std::string& what) {
  ASSERT_TRUE(same_bits(a.raw, b.raw)) << what;
  ASSERT_TRUE(same_bits(a.filled, b.filled)) << what;
  ASSERT_EQ(a.confidence.pixels, b.confidence.pixels) << what;
  ASSERT_DOUBLE_EQ(a.density, b.density) << what;
}

template <class T>
void check(const Image<T>& left, const Image<T>& right, const SgmOptions& o) {
  const DisparityMap expected = test::sgm_reference(left, right, o);
  test::for_each_target([&](const std::string& target) {
    expect_same(stereo_sgm(left, right, o), expected,
                target + " " + text_of(left.width, left.height, o));
  });
  // cost.cpp is compiled for one target more than this file.
  expect_same(stereo_sgm(left, right, o), expected, text_of(left.width, left.height, o));
}

template <class T>
void check_random(unsigned seed, int trials) {
  Random random(seed);
  int some_known = 0;  // the trials must have known pixels
  for (int trial = 0; trial < trials; ++trial) {
    const int width = pick(random, 1, 70), height = pick(random, 1, 24);
    SgmOptions o = random_options(random);
    const int white = sizeof(T) == 1 ? 255 : std::array{65535, 1023, 4095}[std::size_t(trial) % 3];
    if (trial % 2 == 1) o.white = white;
    const auto [left, right] = random_pair<T>(random, width, height, white);
    check(left, right, o);
    if (testing::Test::HasFatalFailure()) return;
    some_known += test::sgm_reference(left, right, o).density > 20 ? 1 : 0;
  }
  EXPECT_GT(some_known, trials / 5);
}

TEST(Sgm, equals_the_reference_for_random_sizes_and_options) { check_random<std::uint8_t>(1, 80); }
TEST(Sgm, equals_the_reference_on_16_bits) { check_random<std::uint16_t>(2, 30); }

TEST(Sgm, winners_and_their_neighbours_equal_the_reference) {
  Random random(3);
  for (int trial = 0; trial < 20; ++trial) {
    const SgmOptions o = random_options(random);
    const auto [left, right] =
        random_pair<std::uint8_t>(random, pick(random, 1, 90), pick(random, 1, 12), 255);
    const test::SgmReference<std::uint8_t> expected(left, right, o);
    const int width = left.width;
    const stereo::ImageSize size{width, left.height};
    stereo::SgmSearch search(size, o, stereo::plan_sgm(size, o, 1));
    search.run(left, right, [&](int y, const stereo::SgmWinnerRow& row) {
      const stereo::SumsRow& s = row.sums;
      for (int x = 0; x < width; ++x) {
        const auto n = static_cast<std::size_t>(y * width + x);
        const test::SgmPixel& e = expected.pixels[n];
        ASSERT_EQ(row.right_index[x], static_cast<std::uint16_t>(expected.right_index[n]))
            << x << " " << y;
        ASSERT_EQ(s.index[x], static_cast<std::uint16_t>(e.index)) << x << " " << y;
        if (e.index < 0) continue;
        ASSERT_EQ(s.best[x], e.best) << x << " " << y;
        ASSERT_EQ(s.below[x], static_cast<std::uint16_t>(e.below)) << x << " " << y;
        ASSERT_EQ(s.above[x], static_cast<std::uint16_t>(e.above)) << x << " " << y;
        ASSERT_EQ(s.elsewhere[x], static_cast<std::uint16_t>(e.elsewhere)) << x << " " << y;
      }
    });
    if (HasFatalFailure()) return;
  }
}

TEST(Sgm, takes_lines_of_pixels_and_one_pixel) {
  Random random(4);
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 40}, {70, 1}, {2, 3}, {65, 2}}) {
    for (int trial = 0; trial < 6; ++trial) {
      const auto [left, right] = random_pair<std::uint8_t>(random, width, height, 255);
      SgmOptions o = random_options(random);
      o.disparities = std::array{1, 2, 31, 64, 100, 200}[static_cast<std::size_t>(trial)];
      o.min_disparity = -o.disparities / 2;
      check(left, right, o);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Sgm, takes_constant_and_saturated_images) {
  Random random(5);
  for (int value : {0, 1, 255}) {
    SgmOptions o = random_options(random);
    o.census = value == 1 ? Census::full : Census::sparse;
    o.disparities = 50;
    o.min_disparity = -5;
    check(ImageU8(40, 9, 1, static_cast<std::uint8_t>(value)), ImageU8(40, 9, 1, 255), o);
    const auto wide = static_cast<std::uint16_t>(value * 257);
    check(ImageU16(33, 8, 1, wide), ImageU16(33, 8, 1, 65535), o);
  }
  // Black and white images have the highest possible costs.
  ImageU8 left(64, 20), right(64, 20);
  for (std::uint8_t& v : left.pixels) v = pick(random, 0, 1) == 0 ? 0 : 255;
  for (std::uint8_t& v : right.pixels) v = pick(random, 0, 1) == 0 ? 0 : 255;
  for (Census census : {Census::sparse, Census::symmetric, Census::full})
    check(left, right,
          {.disparities = 64, .census = census, .P1 = 190, .P2 = 190, .P2_contrast = 0});
}

// Makes a board with squares of `side` px.
ImageU8 chess_board(int side, int dark, int bright) {
  ImageU8 image(320, 120);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x)
      image.at(x, y) = static_cast<std::uint8_t>((x / side + y / side) % 2 == 0 ? dark : bright);
  }
  return image;
}

TEST(Sgm, ambiguous_images_stay_unknown) {
  ImageU8 dot(320, 120, 1, 90);
  dot.at(100, 50) = 200;
  std::vector<ImageU8> pictures{ImageU8(320, 120), ImageU8(320, 120, 1, 255), dot};
  for (const int side : {1, 2, 3, 8, 16}) {
    for (const auto& [dark, bright] : {std::pair{0, 255}, {100, 140}, {120, 124}})
      pictures.push_back(chess_board(side, dark, bright));
  }
  for (const ImageU8& picture : pictures) {
    for (const Census census : {Census::sparse, Census::symmetric, Census::full}) {
      const DisparityMap map = stereo_sgm(picture, picture, {.disparities = 64, .census = census});
      EXPECT_EQ(map.density, 0);
      EXPECT_TRUE(std::isnan(map.filled.at(0, 0)));
    }
  }
  check(chess_board(8, 0, 255), chess_board(8, 0, 255), {.disparities = 64});
}

// An image paired with itself is at infinity, and its visible pixels are known.
TEST(Sgm, an_image_paired_with_itself_is_at_infinity) {
  Random random(10);
  const auto [left, right] = random_pair<std::uint8_t>(random, 320, 120, 255);
  const DisparityMap map = stereo_sgm(left, left, {.disparities = 64});
  EXPECT_GT(map.density, 99);
  for (const float v : map.filled.pixels) ASSERT_EQ(v, 0);
  // Half of the image has no texture, so no pixel there prefers a disparity.
  ImageU8 half = left;
  for (int y = 60; y < 120; ++y) std::fill_n(half.row(y), 320, std::uint8_t{50});
  check(half, half, {.disparities = 64});
}

TEST(Sgm, takes_the_largest_range_and_ranges_outside_the_image) {
  Random random(6);
  const auto [left, right] = random_pair<std::uint8_t>(random, 300, 3, 255);
  check(left, right, {.min_disparity = -150, .disparities = 1024});
  check(left, right, {.min_disparity = 10, .disparities = 257});
  for (int start : {300, 5000, -400, -100000, 1 << 20})
    check(left, right, {.min_disparity = start, .disparities = 100});
}

TEST(Sgm, any_number_of_threads_and_any_memory_give_the_same) {
  Random random(7);
  for (int trial = 0; trial < 6; ++trial) {
    const int width = pick(random, 20, 130), height = pick(random, 30, 90);
    const auto [left, right] = random_pair<std::uint8_t>(random, width, height, 255);
    SgmOptions o = random_options(random);
    const DisparityMap expected = test::sgm_reference(left, right, o);
    int bands_seen = 0;
    for (int threads : {1, 2, 3, 5}) {
      const ThreadLimit limit(threads);
      for (std::size_t part = 0; part < 8; ++part) {
        o.max_memory = 0;
        const std::size_t all = stereo::plan_sgm({width, height}, o, threads).bytes;
        o.max_memory = all - all * part / 10;
        try {
          const stereo::SgmPlan plan = stereo::plan_sgm({width, height}, o, threads);
          EXPECT_LE(plan.bytes, o.max_memory);
          bands_seen += plan.band < height ? 1 : 0;
        } catch (const Error& e) {
          EXPECT_NE(std::string(e.what()).find("max_memory = "), std::string::npos) << e.what();
          EXPECT_GT(part, 0U);
          break;
        }
        expect_same(stereo_sgm(left, right, o), expected,
                    std::to_string(threads) + " threads, " + std::to_string(o.max_memory) +
                        " bytes " + text_of(width, height, o));
        if (HasFatalFailure()) return;
      }
    }
    EXPECT_GT(bands_seen, 3) << text_of(width, height, o);
  }
}

TEST(Sgm, a_view_with_gaps_between_rows_is_the_same_picture) {
  Random random(8);
  const auto [left, right] = random_pair<std::uint8_t>(random, 50, 20, 255);
  ImageU8 wide(64, 20);
  for (int y = 0; y < 20; ++y) std::copy_n(left.row(y), 50, wide.row(y) + 7);
  const ImageView<const std::uint8_t> view(wide.pixels.data() + 7, 50, 20, 1, 64);
  const SgmOptions o{.disparities = 20};
  expect_same(stereo_sgm(view, right, o), stereo_sgm(left, right, o), "view");
}

TEST(Sgm, colour_becomes_grey) {
  Random random(9);
  for (int channels : {2, 3, 4}) {
    ImageU16 left(40, 12, channels), right(40, 12, channels);
    for (std::uint16_t& v : left.pixels) v = static_cast<std::uint16_t>(pick(random, 0, 65535));
    for (std::uint16_t& v : right.pixels) v = static_cast<std::uint16_t>(pick(random, 0, 65535));
    const SgmOptions o{.disparities = 20, .filter = {.speckle_size = 3}};
    expect_same(stereo_sgm(left, right, o), stereo_sgm(to_grey(left), to_grey(right), o), "colour");
    expect_same(stereo_sgm(left, to_grey(right), o), stereo_sgm(to_grey(left), right, o), "mixed");
  }
}

// Returns the message of the usage error that `run` throws.
template <class Run>
std::string usage_error(const Run& run) {
  try {
    run();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::usage);
    return e.what();
  }
  return "no error";
}

TEST(Sgm, names_every_option_out_of_its_range) {
  const ImageU8 image(8, 8);
  const auto expect_named = [&](const std::string& name, const auto& change) {
    SgmOptions o;
    change(o);
    const std::string message = usage_error([&] { (void)stereo_sgm(image, image, o); });
    EXPECT_NE(message.find(name), std::string::npos) << name << ": " << message;
  };
  for (int bad : {0, -3, 1025})
    expect_named("disparities = " + std::to_string(bad), [&](auto& o) { o.disparities = bad; });
  expect_named("min_disparity = 2000000", [](auto& o) { o.min_disparity = 2000000; });
  for (int bad : {0, 2, 5, 16})
    expect_named("paths = " + std::to_string(bad), [&](auto& o) { o.paths = bad; });
  expect_named("P1 = -1", [](auto& o) { o.P1 = -1; });
  expect_named("P2 = 8", [](auto& o) { o.P2 = 8; });
  expect_named("P2 = 191", [](auto& o) { o.P2 = 191; });
  expect_named("P2_contrast = -1", [](auto& o) { o.P2_contrast = -1; });
  expect_named("vertical_tolerance = 3", [](auto& o) { o.vertical_tolerance = 3; });
  expect_named("white = 65536", [](auto& o) { o.white = 65536; });
  expect_named("white = -1", [](auto& o) { o.white = -1; });
  expect_named("census = 3", [](auto& o) { o.census = static_cast<Census>(3); });
  expect_named("max_memory = 1000 bytes", [](auto& o) { o.max_memory = 1000; });
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_named("cross_check", [&](auto& o) { o.filter.cross_check = nan; });
  expect_named("uniqueness = 100", [](auto& o) { o.filter.uniqueness = 100; });
  expect_named("median = 4", [](auto& o) { o.filter.median = 4; });
  expect_named("speckle_size = -1", [](auto& o) { o.filter.speckle_size = -1; });
  expect_named("speckle_range = -1", [](auto& o) { o.filter.speckle_range = -1; });
  expect_named("speckle_range", [&](auto& o) { o.filter.speckle_range = nan; });
  expect_named("fill = 9", [](auto& o) { o.filter.fill = static_cast<Fill>(9); });
  expect_named("fill_window = 4", [](auto& o) {
    o.filter.fill = Fill::mean;
    o.filter.fill_window = 4;
  });
}

// docs/stereo.md, Limits: no known pixels 200 px beyond the number of disparities.
TEST(Sgm, knows_pixels_without_texture_only_in_small_images) {
  const auto density = [](int width, int height, int disparities, int period) {
    ImageU8 image(width, height, 1, 128);
    for (int x = 0; period > 0 && x < width; ++x)
      for (int y = 0; y < height; ++y) image.at(x, y) = x % period < period / 2 ? 40 : 200;
    return stereo_sgm(image, image, {.disparities = disparities}).density;
  };
  for (const int disparities : {16, 64, 200})
    for (const int height : {20, 60, 200, 480})
      for (const int period : {0, 4}) {
        const int width = disparities + 200;
        EXPECT_EQ(density(width, height, disparities, period), 0)
            << width << " x " << height << ", " << disparities << ", period " << period;
      }
  for (const int width : {10, 30, 60})  // two columns
    EXPECT_NEAR(density(width, 50, 64, 0), 200.0 / width, 1e-3) << width;
  EXPECT_EQ(density(60, 50, 64, 4), 100);
}

TEST(Sgm, names_pictures_that_do_not_fit) {
  const ImageU8 image(8, 8);
  const auto message = [&](ImageView<const std::uint8_t> left,
                           ImageView<const std::uint8_t> right) {
    return usage_error([&] { (void)stereo_sgm(left, right); });
  };
  EXPECT_NE(message(ImageU8(), image).find("empty"), std::string::npos);
  EXPECT_NE(message(image, ImageU8()).find("empty"), std::string::npos);
  EXPECT_NE(message(image, ImageU8(8, 9)).find("left 8 x 8, right 8 x 9"), std::string::npos);
  EXPECT_NE(message({nullptr, 8, 8}, image).find("no pixels"), std::string::npos);
  EXPECT_NE(message({image.pixels.data(), 8, 2, 1, 4}, image).find("overlap"), std::string::npos);
  EXPECT_NE(message(ImageU8(8, 8, 5), ImageU8(8, 8, 5)).find("5 channels"), std::string::npos);
}

}  // namespace
}  // namespace bifocal
