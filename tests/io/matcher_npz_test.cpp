// SPDX-License-Identifier: BSD-3-Clause
// Reads NPZ files of matches from other tools.
#include <gtest/gtest.h>

#include <bifocal/io.hpp>

#include "io/expect.hpp"
#include "support/data.hpp"

namespace bifocal {
namespace {

using test::expect_error;

const NamedArray kFirst{"keypoints0", {{3, 2}, std::vector<float>{1, 2, 3, 4, 5, 6}}};
const NamedArray kSecond{"keypoints1", {{2, 2}, std::vector<double>{10, 20, 30, 40}}};

Correspondences read(std::vector<NamedArray> arrays) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "matches.npz";
  write_npz(file, arrays);
  return read_correspondences(file);
}

TEST(MatcherNpz, reads_an_index_for_each_point_of_image_1) {
  const Correspondences c = read({kFirst,
                                  kSecond,
                                  {"matches", {{3}, std::vector<std::int64_t>{1, -1, 0}}},
                                  {"match_confidence", {{3}, std::vector<float>{0.5F, 0, 0.75F}}}});
  ASSERT_EQ(c.points.size(), 2U);
  EXPECT_EQ(c.points[0].x1, 1);
  EXPECT_EQ(c.points[0].y2, 40);
  EXPECT_EQ(c.points[1].x1, 5);
  EXPECT_EQ(c.points[1].x2, 10);
  EXPECT_EQ(c.qualities, (std::vector<double>{0.5, 0.75}));
  EXPECT_TRUE(c.weights.empty());
}

TEST(MatcherNpz, reads_index_pairs_and_a_batch_of_one) {
  const Correspondences c = read({{"keypoints0", {{1, 3, 2}, std::vector<float>{1, 2, 3, 4, 5, 6}}},
                                  kSecond,
                                  {"matches", {{1, 2, 2}, std::vector<std::int32_t>{2, 1, 0, 0}}},
                                  {"scores", {{1, 2}, std::vector<double>{0.25, 1}}}});
  ASSERT_EQ(c.points.size(), 2U);
  EXPECT_EQ(c.points[0].x1, 5);
  EXPECT_EQ(c.points[0].x2, 30);
  EXPECT_EQ(c.points[1].y1, 2);
  EXPECT_EQ(c.qualities, (std::vector<double>{0.25, 1}));
}

TEST(MatcherNpz, names_errors) {
  const auto refuses = [](std::vector<NamedArray> arrays, const char* part) {
    expect_error([&] { (void)read(std::move(arrays)); }, part);
  };
  const auto flat = [](std::vector<std::int64_t> indices) {
    return NamedArray{"matches", {{std::int64_t(indices.size())}, std::move(indices)}};
  };
  refuses({kFirst, kSecond}, "holds no array matches");
  refuses({kFirst, kSecond, flat({0, 1})}, "matches has 2 numbers for 3 keypoints0");
  refuses({kFirst, kSecond, flat({0, 2, -1})}, "matches, row 1: 2 is no index of the 2 keypoints1");
  refuses({kFirst, kSecond, flat({-2, 1, -1})}, "matches, row 0: -2 is no index");
  refuses({kFirst, kSecond, flat({-1, -1, -1})}, "holds no matches");
  refuses({kFirst, kSecond, {"matches", {{1, 2}, std::vector<double>{0.5, 1}}}}, "0.5 is no index");
  refuses({kFirst, kSecond, {"matches", {{2, 3}, std::vector<std::int64_t>(6)}}},
          "expected [points of 0] or [matches, 2]");
  refuses({{"keypoints0", {{6}, std::vector<float>(6)}}, kSecond, flat({0})},
          "array keypoints0 is");
  refuses({{"keypoints0", {{}, std::string("no")}}, kSecond, flat({0})}, "array keypoints0 is");
  refuses({kFirst, kSecond, flat({0, 1, -1}), {"scores", {{2}, std::vector<float>(2)}}},
          "scores has 2 numbers for 3 rows of matches");
  const test::TemporaryFolder folder;
  write_file(folder.path() / "no.npz", "1 2 3 4\n");
  expect_error([&] { (void)read_correspondences(folder.path() / "no.npz"); }, "no.npz");
}

}  // namespace
}  // namespace bifocal
