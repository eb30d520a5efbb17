// SPDX-License-Identifier: BSD-3-Clause
// Matching against the naive double loop, which has to be reproduced exactly.
#include <bifocal/error.hpp>
#include <bifocal/features.hpp>
#include <bifocal/threads.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "support/targets.hpp"

namespace bifocal::test {
namespace {

// `levels` different values an element: few make ties. Every third descriptor of a set is near to
// one of the set of seed 1.
Features random_features(int count, unsigned seed, int levels) {
  Features f;
  std::mt19937 shared(1), random(seed);
  f.keypoints.resize(std::size_t(count));
  f.descriptors.resize(std::size_t(count) * kDescriptorBytes);
  for (int i = 0; i < count; ++i) {
    f.keypoints[std::size_t(i)] = {float(i), float(2 * i), 1, 0, 0};
    for (int k = 0; k < kDescriptorBytes; ++k) {
      const unsigned common = shared(), own = random();
      const unsigned value = i % 3 == 0 && own % 4 != 0 ? common >> 8 : own >> 8;
      f.descriptors[std::size_t(i * kDescriptorBytes + k)] =
          std::uint8_t(value % unsigned(levels) * unsigned(255 / (levels - 1)));
    }
  }
  return f;
}

int distance(const Features& a, int i, const Features& b, int j) {
  int sum = 0;
  for (int k = 0; k < kDescriptorBytes; ++k) {
    const int d = a.descriptors[std::size_t(i * kDescriptorBytes + k)] -
                  b.descriptors[std::size_t(j * kDescriptorBytes + k)];
    sum += d * d;
  }
  return sum;
}

struct Two {
  int index = -1, nearest = std::numeric_limits<int>::max(),
      second = std::numeric_limits<int>::max();
};
Two nearest_two(const Features& a, int i, const Features& b) {
  Two two;
  for (int j = 0; j < b.size(); ++j) {
    const int d = distance(a, i, b, j);
    if (d < two.nearest) {
      two = {j, d, two.nearest};
    } else {
      two.second = std::min(two.second, d);
    }
  }
  return two;
}

float ratio_of(const Two& two, int candidates) {
  if (candidates < 2) return 0;
  return two.second ? float(std::sqrt(double(two.nearest) / two.second)) : 1.0F;
}
bool distinct(const Two& two, int candidates, const MatchOptions& options) {
  return options.max_ratio >= 1 || ratio_of(two, candidates) < float(options.max_ratio);
}

std::vector<Match> plain_match(const Features& a, const Features& b, const MatchOptions& options) {
  std::vector<Match> matches;
  for (int i = 0; i < a.size() && b.size() > 0; ++i) {
    const Two two = nearest_two(a, i, b);
    if (!distinct(two, b.size(), options)) continue;
    const Two back = nearest_two(b, two.index, a);
    if (options.mutual && back.index != i) continue;
    if (options.ratio_both_ways && !distinct(back, a.size(), options)) continue;
    matches.push_back({i, two.index, two.nearest, ratio_of(two, b.size())});
  }
  return matches;
}

bool operator==(const Match& a, const Match& b) {
  return a.index1 == b.index1 && a.index2 == b.index2 && a.distance == b.distance &&
         a.ratio == b.ratio;
}
void expect_same(const std::vector<Match>& got, const std::vector<Match>& want,
                 const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_TRUE(got[i] == want[i])
        << what << ": match " << i << " is " << got[i].index1 << " - " << got[i].index2
        << ", wanted " << want[i].index1 << " - " << want[i].index2;
  }
}

TEST(Match, is_the_naive_double_loop) {
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
                                          {0.9, false, true}}) {
        const std::vector<Match> want = plain_match(a, b, options);
        for_each_target([&](const std::string& target) {
          expect_same(match(a, b, options), want,
                      target + " " + std::to_string(size[0]) + " x " + std::to_string(size[1]));
        });
      }
    }
  }
}

TEST(Match, finds_something_in_the_test_above) {
  EXPECT_GT(match(random_features(131, 7, 256), random_features(257, 8, 256)).size(), 20U);
}

TEST(Match, both_ways_does_not_depend_on_the_order) {
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

TEST(Match, of_the_largest_distances_is_exact) {
  Features black = random_features(4, 1, 256), white = random_features(5, 1, 256);
  std::fill(black.descriptors.begin(), black.descriptors.end(), std::uint8_t{0});
  std::fill(white.descriptors.begin(), white.descriptors.end(), std::uint8_t{255});
  const auto matches = match(black, white, {1.0, true});
  ASSERT_EQ(matches.size(), 1U);
  EXPECT_EQ(matches[0].distance, 128 * 255 * 255);
  EXPECT_EQ(matches[0].index1, 0);
  EXPECT_EQ(matches[0].index2, 0);
  EXPECT_FLOAT_EQ(matches[0].ratio, 1);
  // Equal to two others: not distinct.
  EXPECT_TRUE(match(white, white, {0.8, true}).empty());
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
