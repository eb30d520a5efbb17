// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/rectify.hpp>
#include <bifocal/two_photographs.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace bifocal {
namespace {

DisparityRange range_of(const Rectification& r, const std::vector<PointPair>& points,
                        const std::vector<std::uint8_t>& inliers) {
  std::vector<PointPair> kept;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (inliers[i]) kept.push_back(points[i]);
  return disparity_range(r, kept);
}

Rectification identity(bool swapped = false) {
  Rectification r;
  r.sides[0].H = r.sides[1].H = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  r.is_swapped = swapped;
  return r;
}

TEST(SearchDoubt, counts_the_matches_outside_of_the_search) {
  RectifiedPairCheck check{.matches = 100, .is_rectified = true, .range = {5, 120}};
  for (int d = 10; d < 110; ++d) check.disparities.push_back(d);
  EXPECT_EQ(search_doubt(check, 0, 128), "");
  EXPECT_EQ(search_doubt(check, 0, 105), "");  // five of 100
  EXPECT_EQ(search_doubt(check, 0, 20),
            "90 of 100 matches have disparities outside of the search of 0 to 19 px; the matches "
            "need 5 to 124 px");
  EXPECT_NE(search_doubt(check, 30, 128), "");
  EXPECT_EQ(search_doubt({}, 0, 20), "");
}

// Makes points with disparities x1 - x2 from lo to hi in steps of 1 px.
std::vector<PointPair> ramp(int lo, int hi) {
  std::vector<PointPair> points;
  for (int d = lo; d <= hi; ++d) points.push_back({500.0 + d, 10.0 * d, 500.0, 10.0 * d});
  return points;
}

TEST(DisparityRange, covers_the_inliers_with_a_margin) {
  const auto points = ramp(20, 60);
  const auto [min, count] =
      range_of(identity(), points, std::vector<std::uint8_t>(points.size(), 1));
  EXPECT_EQ(min, 12);          // a fifth of the span is 8
  EXPECT_EQ(min + count, 69);  // exclusive end
}

TEST(DisparityRange, ignores_outliers_and_the_rarest_inliers) {
  auto points = ramp(20, 219);
  std::vector<std::uint8_t> inliers(points.size(), 1);
  points.push_back({9000, 0, 0, 0});  // an outlier
  inliers.push_back(0);
  points.push_back({0, 0, 5000, 0});  // a wrong inlier, one in 201
  inliers.push_back(1);
  const auto [min, count] = range_of(identity(), points, inliers);
  EXPECT_GT(min, -50);
  EXPECT_LT(min + count, 300);
}

// A near object has fewer than 1 % of the matches.
TEST(DisparityRange, keeps_rare_inliers_that_neighbours_support) {
  Rectification r = identity();
  r.width = 1000;
  r.height = 800;
  auto points = ramp(20, 519);
  for (const double x : {0.0, 12.0, 24.0}) points.push_back({900 + x, 700, 100 + x, 700});
  points.push_back({100, 700, 1500, 700});  // alone
  const auto [min, count] = range_of(r, points, std::vector<std::uint8_t>(points.size(), 1));
  EXPECT_GT(min, -200);
  EXPECT_GT(min + count, 800);
}

// A repeated place, e.g. from a keypoint with two orientations, is no support.
TEST(DisparityRange, does_not_take_repeated_matches_for_support) {
  Rectification r = identity();
  r.width = 1000;
  r.height = 800;
  auto points = ramp(20, 519);
  for (int i = 0; i < 3; ++i) points.push_back({900, 700, -2000, 700});
  const auto [min, count] = range_of(r, points, std::vector<std::uint8_t>(points.size(), 1));
  EXPECT_LT(min + count, 700);
}

TEST(DisparityRange, uses_the_second_image_as_left_if_swapped) {
  const auto points = ramp(-60, -20);
  const auto [min, count] =
      range_of(identity(true), points, std::vector<std::uint8_t>(points.size(), 1));
  EXPECT_EQ(min, 12);
  EXPECT_EQ(min + count, 69);
}

TEST(DisparityRange, is_empty_without_inliers) {
  const auto points = ramp(1, 9);
  EXPECT_EQ(range_of(identity(), points, std::vector<std::uint8_t>(points.size(), 0)).count, 0);
}

TEST(DisparityRange, stays_finite_for_points_at_the_horizon_of_the_warp) {
  Rectification r = identity();
  r.sides[0].H = {1, 0, 0, 0, 1, 0, 1, 0, -510};  // w = 0 at x = 510, nearly 0 next to it
  std::vector<PointPair> points = {{510, 5, 500, 5}, {510 + 1e-12, 5, 500, 5}};
  EXPECT_GT(range_of(r, points, std::vector<std::uint8_t>(2, 1)).count, 1024);
}

}  // namespace
}  // namespace bifocal
