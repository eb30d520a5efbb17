// SPDX-License-Identifier: BSD-3-Clause
// Rotations of pairs that contradict other pairs.
#include <bifocal/colmap/rotation_cycles.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

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

TEST(RotationCycles, APairWithoutATripletKeepsThePrior) {
  std::mt19937_64 random(5);
  std::vector<PairRotation> pairs = all_rotations(3, random);
  pairs.push_back({3, 9, synthetic::rotation_about({1, 0, 0}, 1)});
  EXPECT_NEAR(rotation_probabilities(pairs).back(), 0.7, 1e-9);
  EXPECT_TRUE(colmap::rotation_probabilities({}).empty());
}

TEST(RotationCycles, ContradictingGeometriesOfADatabaseAreErased) {
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / "rotation_cycles.db";
  std::filesystem::remove(file);
  colmap::Database database(file, colmap::Access::create);
  database.write(colmap::Camera{
      .id = 1, .model = 1, .width = 100, .height = 100, .params = {100, 100, 50, 50}});
  for (Id i = 1; i <= 6; ++i)
    database.write(colmap::Image{.id = i, .name = std::to_string(i) + ".jpg", .camera_id = 1});
  std::mt19937_64 random(6);
  std::vector<PairRotation> pairs = all_rotations(6, random);
  pairs[2].R = synthetic::rotation_about({0, 1, 0}, 2);
  for (const PairRotation& p : pairs) {
    colmap::TwoViewGeometry geometry;
    geometry.configuration = colmap::Configuration::calibrated;
    geometry.inliers = {{0, 0}, {1, 1}};
    geometry.cam2_from_cam1 = Pose{p.R, {1, 0, 0}};
    database.write_geometry(p.image1, p.image2, geometry);
  }
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
