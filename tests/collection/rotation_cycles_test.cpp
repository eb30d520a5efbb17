// SPDX-License-Identifier: BSD-3-Clause
// Rotations of pairs that contradict other pairs.
#include <bifocal/colmap/rotation_cycles.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <bifocal/device.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>
#include <random>

#include "collection/raw_sqlite.hpp"
#include "synthetic/random.hpp"

namespace bifocal::test {
namespace {

using colmap::Id;
using colmap::PairRotation;

constexpr double kDegree = 0.017453292519943295;

// Returns the rotations of all pairs of cameras 1 to `count` with random orientations, with errors
// of up to a degree.
std::vector<PairRotation> all_rotations(Id count, std::mt19937_64& random) {
  std::vector<Mat3> world;
  for (Id i = 0; i < count; ++i)
    world.push_back(synthetic::rotation_about(synthetic::random_direction(random),
                                              synthetic::uniform(random, 0, 3)));
  std::vector<PairRotation> pairs;
  for (Id a = 0; a < count; ++a) {
    for (Id b = a + 1; b < count; ++b) {
      const Mat3 error = synthetic::rotation_about(synthetic::random_direction(random),
                                                   synthetic::uniform(random, 0, kDegree));
      pairs.push_back({a + 1, b + 1, times(error, times(world[b], transposed(world[a])))});
    }
  }
  return pairs;
}

TEST(RotationCycles, WrongRotationsAreImprobable) {
  std::mt19937_64 random(3);
  std::vector<PairRotation> pairs = all_rotations(8, random);
  std::vector<bool> is_wrong(pairs.size());
  for (const std::size_t k : {1, 7, 12, 20, 27}) {
    is_wrong[k] = true;
    pairs[k].R = synthetic::rotation_about(synthetic::random_direction(random), 2);
  }
  const std::vector<double> probabilities = rotation_probabilities(pairs);
  for (std::size_t k = 0; k < pairs.size(); ++k)
    EXPECT_EQ(probabilities[k] < 0.5, is_wrong[k]) << k << ": " << probabilities[k];
}

TEST(RotationCycles, ThePairsOrderAndDirectionDoNotMatter) {
  std::mt19937_64 random(4);
  std::vector<PairRotation> pairs = all_rotations(6, random);
  pairs[4].R = synthetic::rotation_about({0, 0, 1}, 1);
  const std::vector<double> expected = rotation_probabilities(pairs);
  for (std::size_t k = 0; k < pairs.size(); k += 2)
    pairs[k] = {pairs[k].image2, pairs[k].image1, transposed(pairs[k].R)};
  const std::vector<double> swapped = rotation_probabilities(pairs);
  for (std::size_t k = 0; k < pairs.size(); ++k) EXPECT_NEAR(swapped[k], expected[k], 1e-6);
}

// Plain mean-field rounds over a list of triplets, in the order of their images.
std::vector<double> reference_probabilities(const std::vector<PairRotation>& pairs) {
  std::map<std::pair<Id, Id>, std::size_t> places;
  for (std::size_t k = 0; k < pairs.size(); ++k) places[{pairs[k].image1, pairs[k].image2}] = k;
  struct Triplet {
    std::array<std::size_t, 3> own;
    double ratio;
  };
  std::vector<Triplet> triplets;
  for (const auto& [ab, first] : places)
    for (const auto& [bc, second] : places) {
      const auto third = places.find({ab.first, bc.second});
      if (bc.first != ab.second || third == places.end()) continue;
      const Mat3 loop =
          times(transposed(pairs[third->second].R), times(pairs[second].R, pairs[first].R));
      const double cosine = std::clamp(0.5 * (loop[0] + loop[4] + loop[8] - 1), -1.0, 1.0);
      const double angle = std::acos(cosine) * 180 / std::numbers::pi;
      triplets.push_back({{first, second, third->second}, 180 / 2.0 * std::exp(-angle / 2.0)});
    }
  std::vector<double> p(pairs.size(), 0.7);
  for (int round = 0; round < 60; ++round) {
    std::vector<double> log_odds(pairs.size(), std::log(0.7 / (1 - 0.7)));
    for (const auto& [own, ratio] : triplets)
      for (std::size_t i = 0; i < 3; ++i) {
        const double others = p[own[(i + 1) % 3]] * p[own[(i + 2) % 3]];
        log_odds[own[i]] += std::log(std::max(1e-9, others * ratio + 1 - others));
      }
    for (std::size_t k = 0; k < p.size(); ++k)
      p[k] = 0.5 * (p[k] + 1 / (1 + std::exp(-log_odds[k])));
  }
  return p;
}

TEST(RotationCycles, EqualAPlainReferenceForAnyNumberOfThreads) {
  std::mt19937_64 random(7);
  std::vector<PairRotation> pairs = all_rotations(24, random);
  for (std::size_t k = 0; k < pairs.size(); k += 5)
    pairs[k].R = synthetic::rotation_about(synthetic::random_direction(random), 1);
  std::erase_if(pairs, [](const PairRotation& p) { return (p.image1 * p.image2) % 7 == 3; });
  const std::vector<double> expected = reference_probabilities(pairs);
  EXPECT_GT(std::ranges::count_if(expected, [](double p) { return p < 0.5; }), 10);
  for (const int threads : {1, 4}) {
    const ThreadLimit limit(threads);
    EXPECT_EQ(rotation_probabilities(pairs), expected) << threads << " threads";
  }
}

TEST(RotationCycles, APairWithoutATripletKeepsThePrior) {
  std::mt19937_64 random(5);
  std::vector<PairRotation> pairs = all_rotations(3, random);
  pairs.push_back({3, 9, synthetic::rotation_about({1, 0, 0}, 1)});
  EXPECT_NEAR(rotation_probabilities(pairs).back(), 0.7, 1e-9);
  EXPECT_TRUE(colmap::rotation_probabilities({}).empty());
}

// Writes a database of images 1 to `count` and the rotations between them.
colmap::Database written(const std::filesystem::path& file, Id count,
                         const std::vector<PairRotation>& pairs) {
  std::filesystem::remove(file);
  colmap::Database database(file, colmap::Access::create);
  database.write(colmap::ModelCamera{
      .id = 1, .model = 1, .width = 100, .height = 100, .params = {100, 100, 50, 50}});
  for (Id i = 1; i <= count; ++i)
    database.write(colmap::Image{.id = i, .name = std::to_string(i) + ".jpg", .camera_id = 1});
  for (const PairRotation& p : pairs) {
    colmap::TwoViewGeometry geometry;
    geometry.configuration = colmap::Configuration::calibrated;
    geometry.inliers = {{0, 0}, {1, 1}};
    geometry.cam2_from_cam1 = Pose{p.R, {1, 0, 0}};
    database.write_geometry(p.image1, p.image2, geometry);
  }
  return database;
}

// A file is read by several connections, a database by one.
TEST(RotationCycles, AreTheSameForAFileAndItsDatabase) {
  std::mt19937_64 random(8);
  std::vector<PairRotation> pairs = all_rotations(30, random);
  for (std::size_t k = 0; k < pairs.size(); k += 40)
    pairs[k].R = synthetic::rotation_about(synthetic::random_direction(random), 1);
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / "rotation_cycles_of_file.db";
  const colmap::Database database = written(file, 30, pairs);
  const auto ids_of = [](const std::vector<colmap::ContradictingPair>& found) {
    std::vector<std::pair<Id, Id>> ids;
    for (const auto& p : found) ids.emplace_back(p.image1, p.image2);
    return ids;
  };
  std::vector<std::pair<Id, Id>> wrong;
  for (std::size_t k = 0; k < pairs.size(); k += 40)
    wrong.emplace_back(pairs[k].image1, pairs[k].image2);
  EXPECT_EQ(ids_of(contradicting_pairs(database)), wrong);
  EXPECT_EQ(ids_of(colmap::contradicting_pairs(file)), wrong);
  // Damaged rows do not count.
  const char* kDamages[] = {"qvec = x'00'", "data = x'00'", "F = x'00'", "rows = 0"};
  for (std::size_t k = 0; k < std::size(kDamages); ++k)
    RawDatabase(file).run(fmt::format("UPDATE two_view_geometries SET {} WHERE pair_id = {}",
                                      kDamages[k],
                                      colmap::pair_id(wrong[k].first, wrong[k].second)));
  wrong.erase(wrong.begin(), wrong.begin() + 4);
  EXPECT_EQ(ids_of(contradicting_pairs(database)), wrong);
  EXPECT_EQ(ids_of(colmap::contradicting_pairs(file)), wrong);
}

TEST(RotationCycles, ContradictingGeometriesOfADatabaseAreErased) {
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / "rotation_cycles.db";
  std::mt19937_64 random(6);
  std::vector<PairRotation> pairs = all_rotations(6, random);
  pairs[2].R = synthetic::rotation_about({0, 1, 0}, 2);
  colmap::Database database = written(file, 6, pairs);
  const auto found = contradicting_pairs(database);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].image1, pairs[2].image1);
  EXPECT_EQ(found[0].image2, pairs[2].image2);
  EXPECT_EQ(found[0].name1, std::to_string(found[0].image1) + ".jpg");
  EXPECT_EQ(found[0].inliers, 2);
  EXPECT_EQ(colmap::contradicting_pairs(file).size(), 1U);
  erase_geometries(database, found);
  EXPECT_FALSE(database.geometry(pairs[2].image1, pairs[2].image2));
  EXPECT_TRUE(contradicting_pairs(database).empty());
}

}  // namespace
}  // namespace bifocal::test
