// SPDX-License-Identifier: BSD-3-Clause
// The screen counts matches of the largest features like match(), on every device. collect() fully
// matches the pairs that pass, links separate components, and reports the pairs left out.
#include <bifocal/collect.hpp>
#include <bifocal/verify_pairs.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/rectify.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "collection/colmap/sqlite.hpp"
#include "collection/screen.hpp"
#include "io/expect.hpp"
#include "raw_sqlite.hpp"
#include "support/data.hpp"
#include "support/devices.hpp"
#include "support/long_tests.hpp"
#include "support/texture.hpp"

namespace bifocal::test {
namespace {

using ::bifocal::collection::features_at;
using ::bifocal::collection::largest_keypoints;

Features random_features(unsigned seed, int count) {
  std::mt19937 random(seed);
  Features f;
  for (int i = 0; i < count; ++i) {
    const auto x = float(random() % 640), y = float(random() % 480);
    f.keypoints.push_back({x, y, 1 + float(random() % 9), 0, 1});  // many of equal scale
    for (int k = 0; k < kDescriptorBytes; ++k) f.descriptors.push_back(std::uint8_t(random() % 60));
  }
  return f;
}

TEST(LargestKeypoints, follow_a_stable_sort) {
  const Features f = random_features(3, 500);
  for (const int most : {0, 1, 7, 100, 499, 500, 1000}) {
    std::vector<std::int64_t> expected(f.keypoints.size());
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = std::int64_t(i);
    std::stable_sort(expected.begin(), expected.end(), [&](std::int64_t a, std::int64_t b) {
      return f.keypoints[std::size_t(a)].sigma > f.keypoints[std::size_t(b)].sigma;
    });
    expected.resize(std::min(expected.size(), std::size_t(most)));
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(largest_keypoints(f.keypoints, most), expected) << most;
  }
  EXPECT_TRUE(largest_keypoints({}, 5).empty());
}

// Images share random descriptors, with noise, so that some match.
std::vector<Features> images() {
  std::vector<Features> all;
  for (unsigned i = 0; i < 5; ++i) {
    Features f = random_features(i % 2, 120 + 60 * int(i));
    std::mt19937 noise(50 + i);
    for (std::uint8_t& d : f.descriptors) d = std::uint8_t(d + noise() % 4);
    all.push_back(std::move(f));
  }
  all.emplace_back();  // an image without features
  all.push_back(random_features(9, 1));
  return all;
}

TEST(ScreenPairs, counts_matches_of_the_largest_features) {
  const std::vector<Features> all = images();
  const std::vector<ImagePair> pairs = all_pairs(int(all.size()));
  const ScreenOptions options{.features = 100, .min_matches = 5, .max_ratio = 0.8};
  std::vector<int> expected;
  for (const ImagePair& p : pairs) {
    const auto some = [&](int i) {
      const Features& f = all[std::size_t(i)];
      return features_at(f, largest_keypoints(f.keypoints, options.features));
    };
    expected.push_back(int(match(some(p.image1), some(p.image2), {.max_ratio = 0.8}).size()));
  }
  EXPECT_GT(*std::ranges::max_element(expected), 30);
  for_each_device([&](Queue& queue, const std::string& id) {
    FeatureSet set(queue.device());
    for (const Features& f : all) set.add(queue, f);
    EXPECT_EQ(screen_pairs(queue, set, pairs, options), expected) << id;
    EXPECT_TRUE(screen_pairs(queue, set, {}, options).empty()) << id;
    EXPECT_TRUE(screen_pairs(queue, FeatureSet(queue.device()), {}, options).empty()) << id;
    // verify_pairs matches the pairs that pass, with the same result as without the screen.
    std::vector<ImagePair> passed;
    for (std::size_t k = 0; k < pairs.size(); ++k)
      if (expected[k] >= options.min_matches) passed.push_back(pairs[k]);
    EXPECT_LT(passed.size(), pairs.size());
    std::vector<ImagePair> seen;
    verify_pairs(queue, set, pairs, {}, {.kind = ModelKind::homography, .screen = options},
                 [&](const VerifiedPairs& found) {
                   seen.insert(seen.end(), found.pairs.begin(), found.pairs.end());
                 });
    ASSERT_EQ(seen.size(), passed.size()) << id;
    for (std::size_t k = 0; k < seen.size(); ++k) {
      EXPECT_EQ(seen[k].image1, passed[k].image1) << id;
      EXPECT_EQ(seen[k].image2, passed[k].image2) << id;
    }
  });
}

TEST(ScreenPairs, refuses_options_out_of_range) {
  Queue queue;
  const FeatureSet set(queue.device());
  const auto wrong = [&](const ScreenOptions& options, const char* name) {
    expect_error([&] { (void)screen_pairs(queue, set, {}, options); }, name, ErrorCode::usage);
  };
  wrong({.features = 0}, "ScreenOptions::features = 0");
  wrong({.min_matches = -1}, "ScreenOptions::min_matches = -1");
  wrong({.max_ratio = 0}, "ScreenOptions::max_ratio = 0");
  wrong({.max_ratio = std::nan("")}, "ScreenOptions::max_ratio = nan");
}

std::vector<std::pair<int, int>> plain(const std::vector<ImagePair>& pairs) {
  std::vector<std::pair<int, int>> all;
  for (const ImagePair& p : pairs) all.emplace_back(p.image1, p.image2);
  return all;
}

TEST(ImageComponents, grow_together_and_are_named_by_their_lowest_image) {
  ImageComponents components(6);
  EXPECT_TRUE(components.join({4, 5}));
  EXPECT_TRUE(components.join({2, 3}));
  EXPECT_TRUE(components.join({5, 2}));
  EXPECT_FALSE(components.join({3, 4}));
  const std::vector<int> expected = {0, 1, 2, 2, 2, 2};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(components.of(i), expected[std::size_t(i)]);
}

// Images 0 1 2 are one component, 3 4 another, and 5 is alone.
TEST(LinkingPairs, are_the_best_between_components) {
  const std::vector<ImagePair> verified = {{0, 1}, {1, 2}, {3, 4}};
  const std::vector<ScreenedPair> left_out = {{{0, 2}, 7}, {{0, 3}, 5}, {{0, 5}, 2}, {{1, 3}, 6},
                                              {{1, 5}, 3}, {{2, 4}, 6}, {{3, 5}, 0}, {{4, 5}, 1}};
  using Pairs = std::vector<std::pair<int, int>>;
  EXPECT_EQ(plain(linking_pairs(6, verified, left_out, 1)), (Pairs{{1, 3}, {1, 5}}));
  EXPECT_EQ(plain(linking_pairs(6, verified, left_out, 2)),
            (Pairs{{0, 5}, {1, 3}, {1, 5}, {2, 4}}));
  EXPECT_EQ(plain(linking_pairs(6, verified, left_out, 9)),
            (Pairs{{0, 3}, {0, 5}, {1, 3}, {1, 5}, {2, 4}, {3, 5}, {4, 5}}));
  EXPECT_TRUE(linking_pairs(6, verified, left_out, 0).empty());
  EXPECT_TRUE(linking_pairs(0, {}, {}, 3).empty());
  expect_error([&] { (void)linking_pairs(5, verified, left_out, 3); }, "images 0 and 5 of 5",
               ErrorCode::usage);
}

// Views of two planes; each view shows one plane.
class Planes : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder / "in");
    for (int i = 0; i < 8; ++i) {
      const double a = 0.03 * (i / 2);
      const ImageU8 plane = texture(400, 300, 5 + unsigned(i % 2));
      write_png(folder / ("in/" + std::to_string(i) + ".png"),
                warp(plane, {1 - a, a, 5.0 * i, -a, 1, 2.0 * i, 1e-4 * a, 0, 1}, 400, 300));
    }
  }
  CollectResult run(Queue& queue, CollectOptions options) const {
    const std::vector<std::string> in = {(folder / "in").string()};
    return collect(queue, list_photographs(in), folder / "out.db", options);
  }
  // Pairs in a table, which may be COLMAP's or our own.
  [[nodiscard]] std::vector<std::pair<int, int>> in_table(const char* table) const {
    const sqlite::Connection connection(folder / "out.db", sqlite::Mode::read);
    sqlite::Statement all(connection,
                          fmt::format("SELECT pair_id FROM {} ORDER BY pair_id", table));
    std::vector<std::pair<int, int>> pairs;
    while (all.step(table)) {
      const auto [one, two] = colmap::images_of(static_cast<std::uint64_t>(all.number(0)));
      pairs.emplace_back(int(one) - 1, int(two) - 1);
    }
    return pairs;
  }
  TemporaryFolder folder;
};

TEST_F(Planes, are_matched_if_they_pass_or_may_link) {
  for_each_device([&](Queue& queue, const std::string& id) {
    std::string first;
    for (const int block : test::short_or_long<std::vector<int>>({2}, {2, 0})) {
      CollectOptions options{.links = 2, .block_size = block, .overwrite = true};
      const CollectResult result = run(queue, options);
      EXPECT_EQ(result.verified, 12) << id;  // six of each plane
      EXPECT_EQ(result.pairs, 14) << id;     // and two that might link them
      EXPECT_EQ(result.screened_out, 14) << id;
      EXPECT_EQ(in_table("bifocal_screened").size(), 16U) << id;  // including the two links
      EXPECT_EQ(in_table("matches").size(), 14U) << id;
      for (const auto& [one, two] : in_table("bifocal_screened")) EXPECT_NE(one % 2, two % 2);
      const std::string bytes = read_file(folder / "out.db");
      if (first.empty()) first = bytes;
      EXPECT_TRUE(first == bytes) << id << ' ' << block;
      // The run is complete but stopped before its database was renamed.
      std::filesystem::rename(folder / "out.db", folder / "out.db.part");
      options.overwrite = false;
      (void)run(queue, options);
      EXPECT_TRUE(first == read_file(folder / "out.db")) << id;
      const CollectResult again = run(queue, options);
      EXPECT_TRUE(again.was_complete) << id;
      EXPECT_EQ(again.screened_out, 14) << id;
    }
    const CollectResult all = run(queue, {.pairs = PairChoice::exhaustive, .overwrite = true});
    EXPECT_EQ(all.pairs, 28) << id;
    EXPECT_EQ(all.verified, 12) << id;
    EXPECT_EQ(all.screened_out, 0) << id;
    EXPECT_TRUE(in_table("bifocal_screened").empty()) << id;
  });
}

// No pair passes the screen. The links alone find each plane, round by round, and end after a round
// without a verified pair.
TEST_F(Planes, are_found_by_links_alone) {
  Queue queue;
  const CollectResult result = run(queue, {.screen = {.min_matches = 10000}, .links = 1});
  EXPECT_GE(result.verified, 6);  // enough pairs to connect four views of each plane
  EXPECT_LT(result.pairs, 28);
  EXPECT_EQ(result.pairs + result.screened_out, 28);
}

TEST_F(Planes, have_more_inliers_after_a_guided_round) {
  const auto counts = [&](const char* table) {
    const sqlite::Connection connection(folder / "out.db", sqlite::Mode::read);
    sqlite::Statement all(connection, fmt::format("SELECT pair_id, rows FROM {}", table));
    std::map<std::int64_t, std::int64_t> rows;
    while (all.step(table)) rows[all.number(0)] = all.number(1);
    return rows;
  };
  for_each_device([&](Queue& queue, const std::string& id) {
    run(queue, {.overwrite = true});
    const auto before = counts("two_view_geometries");
    run(queue, {.guided = true, .overwrite = true});
    const auto after = counts("two_view_geometries"), matches = counts("matches");
    ASSERT_EQ(before.size(), after.size()) << id;
    int more = 0;
    for (const auto& [pair, inliers] : after) {
      EXPECT_GE(inliers, before.at(pair)) << id << ' ' << pair;
      EXPECT_LE(inliers, matches.at(pair)) << id << ' ' << pair;
      more += inliers > before.at(pair);
    }
    EXPECT_GE(more, 6) << id;
  });
}

// A run that was stopped in any stage and resumed gives the same bytes.
TEST_F(Planes, have_the_same_database_after_stops) {
  Queue queue;
  const CollectOptions options{.screen = {.min_matches = 60}, .links = 1};
  run(queue, options);
  const std::string expected = read_file(folder / "out.db");
  int told = 0;
  CollectOptions counted = options;
  counted.overwrite = true;
  counted.progress = [&](const CollectProgress&) { ++told; };
  run(queue, counted);
  EXPECT_GE(told, 10);
  for (int stop = 0; stop < told; stop += 3) {
    std::filesystem::remove(folder / "out.db");
    CollectOptions stopped = options;
    int calls = 0;
    stopped.progress = [&](const CollectProgress&) {
      if (calls++ == stop) throw Error(ErrorCode::input, "stopped");
    };
    try {
      run(queue, stopped);
    } catch (const Error&) {
    }
    run(queue, options);
    EXPECT_TRUE(read_file(folder / "out.db") == expected) << stop;
  }
}

TEST_F(Planes, damaged_list_of_screened_pairs_is_refused) {
  Queue queue;
  CollectOptions stopped;
  stopped.progress = [](const CollectProgress& p) {
    if (p.stage == "matches") throw Error(ErrorCode::input, "stopped");
  };
  expect_error([&] { run(queue, stopped); }, "stopped");
  const std::string work = read_file(folder / "out.db.part");
  for (const auto& [sql, why] :
       {std::pair("UPDATE bifocal_screened SET matches = -1", "table bifocal_screened, pair_id"),
        std::pair("INSERT INTO bifocal_screened VALUES(99, 1)",
                  "table bifocal_screened, pair_id 99: is no pair"),
        std::pair("INSERT INTO bifocal_screened VALUES(2147483656, 1)",
                  "table bifocal_screened, pair_id 2147483656: is no pair")}) {
    for (const char* end : {"", "-wal", "-shm"})
      std::filesystem::remove(folder / (std::string("out.db.part") + end));
    write_file(folder / "out.db.part", work);
    RawDatabase(folder / "out.db.part").run(sql);
    expect_error([&] { run(queue, {}); }, why);
    EXPECT_FALSE(std::filesystem::exists(folder / "out.db"));
  }
}

}  // namespace
}  // namespace bifocal::test
