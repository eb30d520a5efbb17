// SPDX-License-Identifier: BSD-3-Clause
// StereoMatcher on every device of this machine gives the maps of stereo_sgm on the CPU, to
// the bit.
#include <bifocal/stereo.hpp>
#include <bifocal/device.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <optional>
#include <random>
#include <string>

#include "stereo/matcher_devices.hpp"

namespace bifocal {
namespace {

using test::DeviceMaps;
using test::for_each_device;

using Random = std::mt19937;

int pick(Random& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

template <class T>
struct Pair {
  Image<T> left, right;
};

// Makes a right image that repeats the left image with noise, moved by a few px that differ
// between parts.
template <class T>
Pair<T> random_pair(Random& random, int width, int height) {
  Pair<T> pair{Image<T>(width, height), Image<T>(width, height)};
  const int white = sizeof(T) == 1 ? 255 : 65535;
  for (T& v : pair.left.pixels) v = static_cast<T>(pick(random, 0, white));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int seen = x + 3 + (y / 9 + x / 13) % 4 * 2;
      const bool copied = seen < width && pick(random, 0, 7) > 0;
      pair.right.at(x, y) = copied ? pair.left.at(seen, y) : static_cast<T>(pick(random, 0, white));
    }
  }
  return pair;
}

SgmOptions random_options(Random& random) {
  SgmOptions o;
  o.disparities = 32;  // one shape: kernels take long to compile on some devices
  o.min_disparity = pick(random, -9, 6);
  o.paths = pick(random, 0, 1) == 0 ? 4 : 8;
  DisparityFilter& f = o.filter;
  f.cross_check = pick(random, -1, 4) * 0.5;
  f.uniqueness = pick(random, 0, 1) * 10;
  f.median = std::array{0, 3, 5}[static_cast<std::size_t>(pick(random, 0, 2))];
  f.speckle_size = std::array{0, 1, 2, 7, 40, 2000}[static_cast<std::size_t>(pick(random, 0, 5))];
  f.speckle_range = pick(random, 0, 8) * 0.5;
  f.fill = static_cast<Fill>(pick(random, 0, 2));
  f.fill_window = 3 + 2 * pick(random, 0, 14);
  return o;
}

std::string text_of(int width, int height, const SgmOptions& o) {
  const DisparityFilter& f = o.filter;
  return testing::PrintToString(
      std::vector<double>{1. * width, 1. * height, 1. * o.min_disparity, 1. * o.paths,
                          f.cross_check, 1. * f.uniqueness, 1. * f.median, 1. * f.speckle_size,
                          f.speckle_range, static_cast<double>(f.fill), 1. * f.fill_window});
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
Buffer<T> uploaded(Queue& queue, const Image<T>& image) {
  Buffer<T> buffer(queue.device(), image.pixels.size());
  buffer.upload(queue, image.pixels);
  queue.wait();
  return buffer;
}

template <class T>
void check_random(Queue& queue, unsigned seed, int trials) {
  Random random(seed);
  int some_known = 0;  // the trials must have known pixels
  for (int trial = 0; trial < trials; ++trial) {
    const int width = pick(random, 1, 110), height = pick(random, 1, 50);
    const SgmOptions o = random_options(random);
    const auto [left, right] = random_pair<T>(random, width, height);
    const DisparityMap expected = stereo_sgm(left, right, o);
    some_known += expected.density > 20 ? 1 : 0;
    StereoMatcher matcher(queue, width, height, o, 8 * sizeof(T));
    expect_same(matcher(left, right), expected, "host " + text_of(width, height, o));
    const DeviceMaps maps(queue.device(), width, height);
    const auto l = uploaded(queue, left), r = uploaded(queue, right);
    matcher.run(l, r, maps.output());
    expect_same(maps.download(queue, expected.density), expected,
                "resident " + text_of(width, height, o));
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(some_known, trials / 5);
}

TEST(Matcher, maps_equal_the_cpu_maps_for_random_sizes_and_options) {
  for_each_device([](Queue& queue) { check_random<std::uint8_t>(queue, 1, 30); });
}

TEST(Matcher, maps_equal_the_cpu_maps_on_16_bits) {
  for_each_device([](Queue& queue) { check_random<std::uint16_t>(queue, 2, 8); });
}

// Pairs without any known disparity alternate with pairs that can be matched.
TEST(Matcher, unmatchable_pairs_do_not_affect_later_pairs) {
  for_each_device([](Queue& queue) {
    Random random(8);
    const auto [left, right] = random_pair<std::uint8_t>(random, 110, 120);
    ImageU8 board(110, 120);
    for (int y = 0; y < 120; ++y) {
      for (int x = 0; x < 110; ++x) board.at(x, y) = (x / 4 + y / 4) % 2 == 0 ? 60 : 90;
    }
    for (const Census census : {Census::sparse, Census::full}) {
      const SgmOptions o{.min_disparity = -2, .disparities = 32, .census = census};
      StereoMatcher matcher(queue, 110, 120, o);
      for (int round = 0; round < 2; ++round) {
        EXPECT_EQ(matcher(board, board).density, 0);
        const DisparityMap map = matcher(left, right);
        EXPECT_GT(map.density, 20);
        expect_same(map, stereo_sgm(left, right, o), "after a board");
      }
    }
  });
}

// New images arrive in the same memory more often than it takes to record the work.
TEST(Matcher, takes_new_frames_in_the_same_memory) {
  for_each_device([](Queue& queue) {
    Random random(3);
    const SgmOptions o{.disparities = 32, .filter = {.speckle_size = 20}};
    StereoMatcher matcher(queue, 75, 41, o);
    const DeviceMaps maps(queue.device(), 75, 41);
    Buffer<std::uint8_t> left(queue.device(), 75 * 41), right(queue.device(), 75 * 41);
    for (int frame = 0; frame < 6; ++frame) {
      const auto pair = random_pair<std::uint8_t>(random, 75, 41);
      const DisparityMap expected = stereo_sgm(pair.left, pair.right, o);
      left.upload(queue, pair.left.pixels);
      right.upload(queue, pair.right.pixels);
      matcher.run(left, right, maps.output());
      expect_same(maps.download(queue, expected.density), expected, std::to_string(frame));
      if (testing::Test::HasFatalFailure()) return;
    }
    // Single maps, and other memory.
    const auto pair = random_pair<std::uint8_t>(random, 75, 41);
    const DisparityMap expected = stereo_sgm(pair.left, pair.right, o);
    const auto l = uploaded(queue, pair.left), r = uploaded(queue, pair.right);
    matcher.run(l, r, {.raw = maps.raw});
    matcher.run(l, r, {.filled = maps.filled});
    matcher.run(l, r, {.confidence = maps.confidence});
    expect_same(maps.download(queue, expected.density), expected, "one by one");
  });
}

TEST(Matcher, streams_and_single_pairs_alternate) {
  for_each_device([](Queue& queue) {
    Random random(4);
    const SgmOptions o{.disparities = 32, .filter = {.speckle_size = 20}};
    StereoMatcher matcher(queue, 75, 41, o);
    std::vector<Pair<std::uint8_t>> pairs;
    std::vector<DisparityMap> expected;
    for (int frame = 0; frame < 7; ++frame) {
      pairs.push_back(random_pair<std::uint8_t>(random, 75, 41));
      expected.push_back(stereo_sgm(pairs.back().left, pairs.back().right, o));
    }
    DisparityMap map;
    for (int turn = 0; turn < 2; ++turn) {
      matcher.submit(pairs[0].left, pairs[0].right);
      for (std::size_t frame = 1; frame < pairs.size(); ++frame) {
        matcher.submit(pairs[frame].left, pairs[frame].right);
        EXPECT_EQ(matcher.pending(), 2);
        matcher.next(map);
        expect_same(map, expected[frame - 1], "stream " + std::to_string(frame - 1));
      }
      matcher.next(map);
      expect_same(map, expected.back(), "the last one");
      EXPECT_EQ(matcher.pending(), 0);
      expect_same(matcher(pairs[2].left, pairs[2].right), expected[2], "single");
      if (testing::Test::HasFatalFailure()) return;
    }
    const float* kept = map.raw.pixels.data();
    for (int i = 0; i < 4; ++i) {
      matcher.submit(pairs[0].left, pairs[0].right);
      matcher.next(map);
    }
    if (queue.device().info().kind != DeviceKind::cpu) {
      EXPECT_EQ(map.raw.pixels.data(), kept);  // no new memory
    }
  });
}

TEST(Matcher, ssd_maps_equal_the_cpu_maps) {
  for_each_device([](Queue& queue) {
    Random random(9);
    for (int trial = 0; trial < 20; ++trial) {
      const int width = pick(random, 1, 110), height = pick(random, 1, 80);
      const SsdOptions o{.min_disparity = pick(random, -9, 6),
                         .disparities = pick(random, 1, 60),
                         .window = 3 + 2 * (trial % 3),  // few shapes: each is compiled
                         .filter = {.cross_check = pick(random, -1, 4) * 0.5,
                                    .median = trial % 8 < 4 ? 0 : 3,
                                    .speckle_size = trial % 5 == 0 ? 12 : 0,
                                    .fill = static_cast<Fill>(trial % 3)}};
      StereoMatcher matcher(queue, width, height, o);
      EXPECT_GT(matcher.memory(), static_cast<std::size_t>(width) * height * 4);
      const DeviceMaps maps(queue.device(), width, height);
      std::vector<DisparityMap> expected;
      for (int frame = 0; frame < 4; ++frame) {
        const auto [left, right] = random_pair<std::uint8_t>(random, width, height);
        expected.push_back(stereo_ssd(left, right, o));
        expect_same(matcher(left, right), expected.back(), "host " + std::to_string(trial));
        const auto l = uploaded(queue, left), r = uploaded(queue, right);
        matcher.run(l, r, {maps.raw, maps.filled});
        DisparityMap resident = maps.download(queue, expected.back().density);
        resident.confidence = {};
        expect_same(resident, expected.back(), "resident " + std::to_string(trial));
        matcher.run(l, r, {.filled = maps.filled});
      }
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

TEST(Matcher, frames_of_ssd_are_streamed) {
  for_each_device([](Queue& queue) {
    Random random(10);
    const SsdOptions o{.disparities = 30, .window = 7};
    StereoMatcher matcher(queue, 75, 41, o);
    DisparityMap map{ImageF(3, 3), ImageF(), ImageU8(75, 41), 0};  // its contents are not kept
    DisparityMap before;
    for (int frame = 0; frame < 7; ++frame) {
      const auto [left, right] = random_pair<std::uint8_t>(random, 75, 41);
      matcher.submit(left, right);
      if (frame > 0) {
        matcher.next(map);
        expect_same(map, before, std::to_string(frame));
      }
      before = stereo_ssd(left, right, o);
    }
    matcher.next(map);
    expect_same(map, before, "the last one");
    EXPECT_GT(map.density, 40);
  });
}

TEST(Matcher, several_matchers_share_a_queue_or_use_two) {
  for_each_device([](Queue& queue) {
    Random random(5);
    Queue other_queue(queue.device());
    const SgmOptions options[] = {{.disparities = 32},
                                  {.min_disparity = -5, .disparities = 30, .paths = 4}};
    StereoMatcher a(queue, 60, 30, options[0]), b(queue, 75, 41, options[1]),
        c(other_queue, 60, 30, options[1]);
    StereoMatcher* matchers[] = {&a, &b, &c};
    std::vector<DisparityMap> expected;
    for (int i = 0; i < 3; ++i) {
      const auto [left, right] =
          random_pair<std::uint8_t>(random, i == 1 ? 75 : 60, i == 1 ? 41 : 30);
      expected.push_back(stereo_sgm(left, right, options[i == 0 ? 0 : 1]));
      matchers[i]->submit(left, right);
    }
    for (std::size_t i = 0; i < 3; ++i) {
      DisparityMap map;
      matchers[i]->next(map);
      expect_same(map, expected[i], std::to_string(i));
    }
  });
}

TEST(Matcher, colour_becomes_grey_and_rows_may_have_gaps) {
  for_each_device([](Queue& queue) {
    Random random(6);
    const SgmOptions o{.disparities = 32};
    ImageU8 left(60, 30, 3), right(60, 30, 4);
    for (std::uint8_t& v : left.pixels) v = static_cast<std::uint8_t>(pick(random, 0, 255));
    for (std::uint8_t& v : right.pixels) v = static_cast<std::uint8_t>(pick(random, 0, 255));
    const ImageView<const std::uint8_t> part(left.pixels.data() + 15, 50, 30, 3, 180),
        other(right.pixels.data() + 8, 50, 30, 4, 240);
    const DisparityMap expected = stereo_sgm(to_grey(part), to_grey(other), o);
    expect_same(stereo_sgm(queue, part, other, o), expected, "colour");
  });
}

// The stated memory is sufficient; with less memory, work in bands gives the same maps.
TEST(Matcher, respects_max_memory) {
  const ThreadLimit two(2);  // each CPU thread needs memory
  for_each_device([](Queue& queue) {
    Random random(8);
    const auto [left, right] = random_pair<std::uint8_t>(random, 75, 60);
    SgmOptions o{.disparities = 32};
    const DisparityMap expected = stereo_sgm(left, right, o);
    const std::size_t all = StereoMatcher(queue, 75, 60, o).memory();
    o.max_memory = all;
    EXPECT_EQ(StereoMatcher(queue, 75, 60, o).memory(), all);
    o.max_memory = all / 4 * 3;
    StereoMatcher matcher(queue, 75, 60, o);
    EXPECT_LE(matcher.memory(), o.max_memory);
    expect_same(matcher(left, right), expected, "three quarters");
  });
}

}  // namespace
}  // namespace bifocal
