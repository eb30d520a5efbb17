// SPDX-License-Identifier: BSD-3-Clause
// Focal lengths that were taken for one are divided by fundamental matrices.
#include "collection/colmap/focal_factors.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace bifocal::test {
namespace {

using colmap::FocalPair;

// Pairs of images in general motion with the given true focal lengths, px, all taken for 1000 px.
// Entries of F have an error of `noise` of its norm.
std::vector<FocalPair> made_pairs(const std::vector<double>& focal_lengths, double noise) {
  std::mt19937 bits(7);
  const auto uniform = [&](double most) {
    return most * (static_cast<double>(bits()) / 2147483648.0 - 1);
  };
  std::vector<FocalPair> pairs;
  for (std::size_t a = 0; a < focal_lengths.size(); ++a)
    for (std::size_t b = a + 1; b < focal_lengths.size(); ++b) {
      const Vec3 t = {uniform(1), uniform(1), uniform(1)};
      const double x = uniform(0.4), y = uniform(0.4);
      const Mat3 Rx = {1, 0, 0, 0, std::cos(x), -std::sin(x), 0, std::sin(x), std::cos(x)},
                 Ry = {std::cos(y), 0, std::sin(y), 0, 1, 0, -std::sin(y), 0, std::cos(y)},
                 cross = {0, -t[2], t[1], t[2], 0, -t[0], -t[1], t[0], 0};
      Mat3 E = times(cross, times(Rx, Ry));
      const Mat3 one = {1000 / focal_lengths[a], 0, 0, 0, 1000 / focal_lengths[a], 0, 0, 0, 1},
                 two = {1000 / focal_lengths[b], 0, 0, 0, 1000 / focal_lengths[b], 0, 0, 0, 1};
      E = times(two, times(E, one));
      double norm = 0;
      for (const double e : E) norm += e * e;
      for (double& e : E) e += noise * std::sqrt(norm) * uniform(1);
      pairs.push_back({a, b, E, 1});
    }
  return pairs;
}

TEST(FocalGroups, AreThoseOfTheTruth) {
  for (const double noise : {0.0, 0.01}) {
    EXPECT_EQ(colmap::focal_groups(8, made_pairs(std::vector<double>(8, 760), noise)).groups,
              std::vector<int>(8, 0));
    EXPECT_EQ(
        colmap::focal_groups(8, made_pairs({1400, 1000, 1400, 1000, 1000, 1000, 1000, 1400}, noise))
            .groups,
        (std::vector<int>{1, 0, 1, 0, 0, 0, 0, 1}));
  }
}

TEST(FocalGroups, HaveTheLogarithmsOfTheirFocalLengths) {
  const colmap::FocalGroups found =
      colmap::focal_groups(6, made_pairs({1000, 1000, 1400, 1000, 1000, 1400}, 0));
  ASSERT_EQ(found.logs.size(), 2U);
  EXPECT_NEAR(std::exp(found.logs[0]), 1, 0.03);
  EXPECT_NEAR(std::exp(found.logs[1]), 1.4, 0.04);
}

TEST(FocalGroups, WithoutPairsAreOne) {
  EXPECT_EQ(colmap::focal_groups(3, {}).groups, std::vector<int>(3, 0));
  EXPECT_EQ(colmap::focal_groups(0, {}).groups, std::vector<int>());
}

// A difference of 5 % is left to the adjustment.
TEST(FocalGroups, OfSmallDifferencesAreOne) {
  EXPECT_EQ(colmap::focal_groups(6, made_pairs({1000, 1050, 1000, 1050, 1000, 1000}, 0)).groups,
            std::vector<int>(6, 0));
}

}  // namespace
}  // namespace bifocal::test
