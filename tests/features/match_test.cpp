// SPDX-License-Identifier: BSD-3-Clause
// Matching has to reproduce the naive double loop exactly.
#include <bifocal/error.hpp>
#include <bifocal/features.hpp>
#include <bifocal/device.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "features/matching/match_kernel.hpp"
#include "match_oracle.hpp"
#include "support/targets.hpp"

namespace bifocal::test {
namespace {

// Runs `body(name)` for every SIMD target, and once more without dot products of bytes where the
// target has them.
template <class Body>
void for_each_form(Body body) {
  for_each_target([&](const std::string& target) {
    body(target);
    if (target != "AVX2" && target != "AVX3" && target != "NEON") return;
    features::allow_dot_products(false);
    EXPECT_EQ(features::sums_are_short(), target != "NEON") << target;
    body(target + " without dot products");
    features::allow_dot_products(true);
  });
}

TEST(Match, multiplies_bytes_by_vnni_if_the_processor_has_it) {
  for_each_target([&](const std::string& target) {
    const bool has_it = (target == "AVX2" && features::has_dot_products(32)) ||
                        (target == "AVX3" && features::has_dot_products(64));
    EXPECT_EQ(features::sums_are_short(), !has_it && (target == "AVX2" || target == "AVX3" ||
                                                      target == "SSE4" || target == "SSSE3"))
        << target;
  });
}

TEST(Match, equals_the_naive_double_loop) {
  const int sizes[][2] = {{0, 5},  {5, 0},   {1, 1},     {1, 2},   {2, 1},
                          {3, 64}, {65, 63}, {131, 257}, {300, 31}};
  for (int levels : {2, 256}) {
    for (const auto& size : sizes) {
      const Features a = random_features(size[0], 7, levels),
                     b = random_features(size[1], 8, levels);
      for (const MatchOptions& options : {MatchOptions{0.9, true},
                                          {0.9, false},
                                          {1.0, true},
                                          {1.0, false},
                                          {0.9, true, true},
                                          {0.9, false, true},
                                          {1.0, false, false, 1050.5}}) {
        const std::vector<Match> want = plain_match(a, b, options);
        for_each_form([&](const std::string& target) {
          expect_same(match(a, b, options), want,
                      target + " " + std::to_string(size[0]) + " x " + std::to_string(size[1]));
        });
      }
    }
  }
}

// Small elements, a few large elements, and sums at the limit of 16 bits: 16 * 63 * 63 is below
// 65536, 16 * 64 * 64 is not.
TEST(Match, equals_the_naive_double_loop_near_16_bit_limits) {
  for (const int largest : {63, 64, 90, 127, 128}) {
    Features a = random_features(131, 7, 2), b = random_features(257, 8, 2);
    for (Features* f : {&a, &b}) {
      for (std::size_t k = 0; k < f->descriptors.size(); ++k) {
        std::uint8_t& v = f->descriptors[k];
        if (k % 997 != 0) v = v ? std::uint8_t(largest) : std::uint8_t(k % 61);
        if (k / kDescriptorBytes % 5 == 0) v = std::uint8_t(largest);
        if (k / kDescriptorBytes % 7 == 0) v = std::uint8_t(k % 45);
      }
    }
    for (const MatchOptions& options :
         {MatchOptions{0.95, true}, {1.0, false}, {0.9, true, true}}) {
      const std::vector<Match> want = plain_match(a, b, options), back = plain_match(b, a, options);
      for_each_form([&](const std::string& target) {
        expect_same(match(a, b, options), want, target + " " + std::to_string(largest));
        expect_same(match(b, a, options), back, target + " " + std::to_string(largest) + " back");
      });
    }
  }
}

TEST(Match, finds_matches_in_the_random_features) {
  EXPECT_GT(match(random_features(131, 7, 256), random_features(257, 8, 256)).size(), 20U);
}

TEST(Match, mutual_matches_do_not_depend_on_the_order) {
  const Features a = random_features(131, 7, 256), b = random_features(257, 8, 256);
  const MatchOptions options{0.9, true, true};
  std::vector<Match> swapped = match(b, a, options);
  for (Match& m : swapped) std::swap(m.index1, m.index2);
  std::sort(swapped.begin(), swapped.end(),
            [](const Match& m, const Match& n) { return m.index1 < n.index1; });
  const std::vector<Match> straight = match(a, b, options);
  ASSERT_EQ(straight.size(), swapped.size());
  EXPECT_GT(straight.size(), 5U);
  for (std::size_t i = 0; i < straight.size(); ++i) {
    EXPECT_EQ(straight[i].index1, swapped[i].index1);
    EXPECT_EQ(straight[i].index2, swapped[i].index2);
  }
}

TEST(Match, is_the_same_for_any_number_of_threads) {
  const Features a = random_features(2500, 3, 16), b = random_features(900, 4, 16);
  const std::vector<Match> want = plain_match(a, b, {0.95, true});
  EXPECT_GT(want.size(), 100U);
  for (int threads : {1, 2, 3, 0}) {
    const ThreadLimit limit(threads);
    expect_same(match(a, b, {0.95, true}), want, std::to_string(threads) + " threads");
  }
}

TEST(Match, is_exact_for_the_largest_distances) {
  Features black = random_features(4, 1, 256), white = random_features(5, 1, 256);
  std::fill(black.descriptors.begin(), black.descriptors.end(), std::uint8_t{0});
  std::fill(white.descriptors.begin(), white.descriptors.end(), std::uint8_t{255});
  const auto matches = match(black, white, {1.0, true});
  ASSERT_EQ(matches.size(), 1U);
  EXPECT_EQ(matches[0].distance, 128 * 255 * 255);
  EXPECT_EQ(matches[0].index1, 0);
  EXPECT_EQ(matches[0].index2, 0);
  EXPECT_FLOAT_EQ(matches[0].ratio, 1);
  // Each descriptor equals all in the second set, so no match is distinct.
  EXPECT_TRUE(match(white, white, {0.8, true}).empty());
}

TEST(Match, accepts_the_distance_limit_itself) {
  Features a = random_features(1, 1, 256), b = a;
  b.descriptors[5] = std::uint8_t(b.descriptors[5] ^ 64);  // 64 away
  EXPECT_EQ(match(a, b, {1.0, true, false, 64}).size(), 1U);
  EXPECT_EQ(match(a, b, {1.0, true, false, 63.9}).size(), 0U);
  EXPECT_EQ(match(a, b, {1.0, true, false, 1e300}).size(), 1U);
}

TEST(Match, refuses_wrong_arguments_by_name) {
  const Features a = random_features(3, 1, 256);
  for (double ratio : {0.0, -1.0, std::nan("")}) {
    try {
      (void)match(a, a, {ratio, true});
      ADD_FAILURE() << ratio;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::usage);
      EXPECT_NE(std::string(e.what()).find("max_ratio"), std::string::npos);
    }
  }
  for (double distance : {-1.0, std::nan("")}) {
    try {
      (void)match(a, a, {0.8, true, false, distance});
      ADD_FAILURE() << distance;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::usage);
      EXPECT_NE(std::string(e.what()).find("max_distance"), std::string::npos);
    }
  }
  Features broken = a;
  broken.descriptors.pop_back();
  EXPECT_THROW((void)match(a, broken), Error);
  EXPECT_THROW((void)matched_points(a, a, std::vector<Match>{{0, 3, 0, 0}}), Error);
}

TEST(MatchedPoints, are_the_positions_in_order) {
  const Features a = random_features(5, 1, 256), b = random_features(6, 2, 256);
  const auto points = matched_points(a, b, std::vector<Match>{{4, 1, 0, 0}, {0, 5, 0, 0}});
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].x1, 4);
  EXPECT_EQ(points[0].y1, 8);
  EXPECT_EQ(points[0].x2, 1);
  EXPECT_EQ(points[1].x2, 5);
  EXPECT_EQ(points[1].y2, 10);
}

}  // namespace
}  // namespace bifocal::test
