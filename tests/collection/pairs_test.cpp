// SPDX-License-Identifier: BSD-3-Clause
// Selection of pairs by position in a sequence, by position on Earth, and from a file.
#include <bifocal/verify_pairs.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/pair_selection.hpp>
#include <bifocal/device.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "support/data.hpp"

namespace bifocal::test {
namespace {

using List = std::vector<std::pair<int, int>>;

List list_of(const std::vector<ImagePair>& pairs) {
  List list;
  for (const ImagePair& p : pairs) list.emplace_back(p.image1, p.image2);
  return list;
}

template <class Body>
std::string error_of(const Body& body, ErrorCode code) {
  try {
    body();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(Pairs, are_brought_into_order) {
  std::vector<ImagePair> pairs = {{3, 1}, {0, 2}, {1, 3}, {2, 2}, {0, 1}, {2, 0}};
  tidy_pairs(pairs);
  EXPECT_EQ(list_of(pairs), (List{{0, 1}, {0, 2}, {1, 3}}));
}

TEST(SequentialPairs, are_within_the_overlap) {
  EXPECT_EQ(list_of(sequential_pairs(4, {.overlap = 2, .quadratic = false})),
            (List{{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}}));
  for (const int images : {0, 1}) EXPECT_TRUE(sequential_pairs(images).empty());
  EXPECT_EQ(list_of(sequential_pairs(2)), (List{{0, 1}}));
}

TEST(SequentialPairs, reach_out_by_powers_of_two) {
  const auto pairs = list_of(sequential_pairs(100, {.overlap = 4, .quadratic = true}));
  std::set<int> steps;
  for (const auto& [a, b] : pairs) steps.insert(b - a);
  EXPECT_EQ(steps, (std::set<int>{1, 2, 3, 4, 8}));
  std::size_t expected = 0;
  for (const int step : steps) expected += static_cast<std::size_t>(100 - step);
  EXPECT_EQ(pairs.size(), expected);
  // A large overlap does not overflow the powers of two.
  EXPECT_EQ(list_of(sequential_pairs(60, {.overlap = 1000})), list_of(all_pairs(60)));
}

TEST(SequentialPairs, need_an_overlap) {
  EXPECT_NE(error_of([] { (void)sequential_pairs(3, {.overlap = 0}); }, ErrorCode::usage)
                .find("overlap = 0"),
            std::string::npos);
}

TEST(NearPairs, distances_are_on_the_sphere) {
  // Distances of a quarter of the sphere along the equator and over the pole, of one degree of
  // latitude, and of zero.
  const double quarter = 6371008.8 * std::acos(-1) / 2;
  EXPECT_NEAR(distance_m({0, 0}, {0, 90}), quarter, 1e-3);
  EXPECT_NEAR(distance_m({0, 10}, {90, -77}), quarter, 1e-3);
  EXPECT_NEAR(distance_m({48, 7}, {49, 7}), quarter / 90, 1e-3);
  EXPECT_NEAR(distance_m({0, 179.5}, {0, -179.5}), quarter / 90, 1e-3);
  EXPECT_NEAR(distance_m({0, 0}, {0, 180}), 2 * quarter, 1);
  EXPECT_NEAR(distance_m({48, 7}, {48, 7}), 0, 1e-6);
}

// Positions near a place, some missing, some twice.
std::vector<std::optional<GeoPosition>> positions_at(double latitude, double longitude) {
  std::mt19937 random(7);
  std::vector<std::optional<GeoPosition>> all;
  for (int i = 0; i < 300; ++i) {
    const double north = random() % 1000 * 1e-5, east = random() % 1000 * 1e-5;
    double around = longitude + east;
    if (around > 180) around -= 360;
    all.push_back(GeoPosition{latitude + north, around});
    if (i % 11 == 0) all.back().reset();
    if (i % 17 == 16) all.back() = all[all.size() - 2];
  }
  return all;
}

// Reference: compares the distances of all pairs of positions.
List near_by_all_distances(const std::vector<std::optional<GeoPosition>>& positions,
                           double max_distance, int most) {
  std::vector<ImagePair> pairs;
  for (int i = 0; i < int(positions.size()); ++i) {
    std::vector<std::pair<double, int>> near;
    for (int k = 0; k < int(positions.size()) && positions[std::size_t(i)]; ++k) {
      if (k == i || !positions[std::size_t(k)]) continue;
      const double d = distance_m(*positions[std::size_t(i)], *positions[std::size_t(k)]);
      if (d <= max_distance) near.emplace_back(d, k);
    }
    std::sort(near.begin(), near.end());
    for (int k = 0; k < std::min(most, int(near.size())); ++k)
      pairs.push_back({i, near[std::size_t(k)].second});
  }
  tidy_pairs(pairs);
  return list_of(pairs);
}

TEST(NearPairs, equal_a_search_over_all_distances) {
  for (const auto& [latitude, longitude] :
       {std::pair{48.58, 7.75}, std::pair{-0.005, 179.995}, std::pair{89.99, 0.0}}) {
    const auto positions = positions_at(latitude, longitude);
    for (const auto& [distance, most] :
         {std::pair{150.0, 50}, std::pair{400.0, 5}, std::pair{1e9, 3}, std::pair{33.0, 1000}}) {
      const auto found = list_of(near_pairs(positions, {distance, most}));
      EXPECT_EQ(found, near_by_all_distances(positions, distance, most))
          << latitude << ' ' << distance << ' ' << most;
      EXPECT_GT(found.size(), 100U);
      const ThreadLimit one(1);
      EXPECT_EQ(list_of(near_pairs(positions, {distance, most})), found);
    }
  }
}

TEST(NearPairs, images_at_one_place_are_near_at_distance_zero) {
  const std::vector<std::optional<GeoPosition>> positions = {
      GeoPosition{48, 7}, std::nullopt, GeoPosition{48, 7}, GeoPosition{48, 7.001}};
  EXPECT_EQ(list_of(near_pairs(positions, {.max_distance_m = 0})), (List{{0, 2}}));
  EXPECT_TRUE(near_pairs({}).empty());
  EXPECT_TRUE(near_pairs(std::vector<std::optional<GeoPosition>>(5)).empty());
}

TEST(NearPairs, name_errors) {
  const std::vector<std::optional<GeoPosition>> wrong = {GeoPosition{1, 2}, GeoPosition{91, 2}};
  EXPECT_NE(error_of([&] { (void)near_pairs(wrong); }, ErrorCode::usage).find("image 1"),
            std::string::npos);
  const std::vector<std::optional<GeoPosition>> nan = {GeoPosition{1, std::nan("")}};
  EXPECT_NE(error_of([&] { (void)near_pairs(nan); }, ErrorCode::usage).find("image 0"),
            std::string::npos);
  for (const double distance : {-1.0, std::nan("")}) {
    EXPECT_NE(
        error_of([&] { (void)near_pairs({}, {.max_distance_m = distance}); }, ErrorCode::usage)
            .find("max_distance_m"),
        std::string::npos);
  }
  EXPECT_NE(error_of([&] { (void)near_pairs({}, {.most = 0}); }, ErrorCode::usage).find("most = 0"),
            std::string::npos);
}

TEST(SuggestedPartners, are_partners_of_verified_partners) {
  // Verified pairs are 0 - 1 - 2 and 1 - 3, of which 1 - 3 is the stronger; 4 was tried with 0
  // without success, 5 was not tried.
  const std::vector<PairInliers> tried = {
      {{0, 1}, 100}, {{2, 1}, 40}, {{1, 3}, 80}, {{0, 4}, 0}, {{4, 3}, 50}};
  // 0 reaches 3 with 80 inliers and 2 with 40; 1 reaches 4; 2 reaches 0 and 3, both with 40; 3
  // reaches 0 and 2; 4, which was tried with 0, reaches 1. Partners are given in rounds, no
  // pair twice:
  const auto found = suggested_partners(6, tried, 2);
  EXPECT_EQ(found[0], (std::vector<int>{3}));
  EXPECT_EQ(found[1], (std::vector<int>{4}));
  EXPECT_EQ(found[2], (std::vector<int>{0}));
  EXPECT_EQ(found[3], (std::vector<int>{2}));
  EXPECT_TRUE(found[4].empty() && found[5].empty());
  EXPECT_TRUE(suggested_partners(6, tried, 0)[0].empty());
  EXPECT_TRUE(suggested_partners(0, {}, 3).empty());
  EXPECT_NE(
      error_of([&] { (void)suggested_partners(4, tried, 1); }, ErrorCode::usage).find("image 4"),
      std::string::npos);
}

class PairsFile : public ::testing::Test {
 protected:
  std::vector<ImagePair> read(const std::string& text) const {
    write_file(folder / "pairs.txt", text);
    return read_pairs(folder / "pairs.txt", names);
  }
  TemporaryFolder folder;
  std::vector<std::string> names = {"a.jpg", "sub/b.jpg", "c d.jpg", "d.jpg", "c",
                                    "x",     "x y",       "y z",     "z"};
};

TEST_F(PairsFile, has_two_names_per_line) {
  EXPECT_EQ(list_of(read("# pairs\n\n a.jpg sub/b.jpg\r\nsub/b.jpg\t a.jpg\nc d.jpg a.jpg\n"
                         "sub/b.jpg c d.jpg")),
            (List{{0, 1}, {0, 2}, {1, 2}}));
  EXPECT_TRUE(read("# none\n").empty());
  // Files as saved by editors on Windows and old Macs.
  EXPECT_EQ(list_of(read("\xef\xbb\xbf"
                         "a.jpg sub/b.jpg")),
            (List{{0, 1}}));
  EXPECT_EQ(list_of(read("\xef\xbb\xbf"
                         "a.jpg sub/b.jpg \r\nc d.jpg a.jpg\t\r\n")),
            (List{{0, 1}, {0, 2}}));
  EXPECT_EQ(list_of(read("a.jpg sub/b.jpg\rc d.jpg a.jpg\r")), (List{{0, 1}, {0, 2}}));
}

TEST_F(PairsFile, errors_name_file_and_line) {
  const auto fails = [&](const std::string& text, const std::string& what) {
    const std::string message = error_of([&] { (void)read(text); }, ErrorCode::input);
    EXPECT_NE(message.find("pairs.txt, line 2: "), std::string::npos) << message;
    EXPECT_NE(message.find(what), std::string::npos) << message;
  };
  fails("# x\na.jpg\n", "is not two names");
  fails("# x\na.jpg b.jpg\n", "no image 'b.jpg'");
  fails("# x\ne.jpg a.jpg\n", "no image 'e.jpg'");
  fails("# x\na.jpg what is this\n", "has no two names");
  fails("# x\na.jpg a.jpg\n", "with itself");
  fails("# x\nx y z\n", "several ways");
  EXPECT_NE(error_of([&] { (void)read_pairs(folder / "none.txt", names); }, ErrorCode::input)
                .find("none.txt"),
            std::string::npos);
}

}  // namespace
}  // namespace bifocal::test
