// SPDX-License-Identifier: BSD-3-Clause
// Conversion of points of a polar rectification for epipoles at infinity and within one image:
// there and back, equal rows of matches, and no place beyond an epipole.
#include <bifocal/rectify.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "synthetic/random.hpp"

namespace bifocal {
namespace {

using synthetic::uniform;

constexpr int kWidth = 640, kHeight = 480;
const Camera kCamera{{600, 600, 319.5, 239.5}, {}, kWidth, kHeight};

Vec2 random_pixel(std::mt19937_64& random) {
  return {uniform(random, 0, kWidth - 1), uniform(random, 0, kHeight - 1)};
}

bool is_inside(const Vec2& p) {
  return p[0] >= 0 && p[1] >= 0 && p[0] <= kWidth - 1 && p[1] <= kHeight - 1;
}

// Returns matches of points at depths of 4 to 12 that both cameras see.
std::vector<PointPair> matches_of(const Pose& pose, std::mt19937_64& random) {
  std::vector<PointPair> matches;
  for (int i = 0; i < 2000; ++i) {
    const Vec2 p = random_pixel(random);
    const double z = uniform(random, 4, 12);
    const Vec3 X = {(p[0] - 319.5) / 600 * z, (p[1] - 239.5) / 600 * z, z};
    const Vec3 Y = times(pose.R, X);
    const double depth = Y[2] + pose.t[2];
    const Vec2 q = {600 * (Y[0] + pose.t[0]) / depth + 319.5,
                    600 * (Y[1] + pose.t[1]) / depth + 239.5};
    if (depth > 0.5 && is_inside(q)) matches.push_back({p[0], p[1], q[0], q[1]});
  }
  return matches;
}

// Returns how many random pixels of a side have a place, after a test of the way back.
int places_and_back(const Rectification& r, int side, std::mt19937_64& random) {
  int placed = 0;
  for (int i = 0; i < 100; ++i) {
    const Vec2 px = random_pixel(random), place = rectified_point(r, side, px);
    if (std::isnan(place[0])) continue;
    const Vec2 back = photograph_point(r, side, place);
    if (std::isnan(back[0])) continue;  // half a row beyond the first or the last
    ++placed;
    EXPECT_NEAR(back[0], px[0], 1e-3);
    EXPECT_NEAR(back[1], px[1], 1e-3);
  }
  return placed;
}

TEST(PolarPoints, keep_their_place_if_the_epipole_of_image_2_is_at_infinity) {
  const double angle = 5 * std::numbers::pi / 180;
  const Pose pose{synthetic::rotation_about({1, 0, 0}, angle), {-1, 0, 0}};
  const Rectification r = rectify_polar(kCamera, kCamera, pose, {});
  ASSERT_EQ(r.outcome, RectifyOutcome::ok);
  std::mt19937_64 random(1);
  for (const int side : {0, 1}) EXPECT_GT(places_and_back(r, side, random), 50);
  const VerticalDisparity rows = vertical_disparity(r, matches_of(pose, random));
  EXPECT_GT(rows.counted, 500);
  EXPECT_LT(rows.percentile95, 0.01);
}

TEST(PolarPoints, keep_their_place_wherever_the_epipole_is) {
  std::mt19937_64 random(2);
  int rectified = 0, counted = 0;
  double worst = 0;
  for (const double ahead : {0.0, 1e-16, 1e-13, -1e-11, 1e-9, -1e-7, 1e-4, 0.1, 1.0, -1.0}) {
    for (int k = 0; k < 10; ++k) {
      const Mat3 R =
          synthetic::rotation_about(synthetic::random_direction(random), uniform(random, 0, 0.3));
      const double angle = uniform(random, 0, 2 * std::numbers::pi);
      const Vec3 t = {std::cos(angle), std::sin(angle), ahead};
      // With t itself, epipole 2 is at infinity for ahead = 0; with R t, epipole 1.
      const Pose pose{R, k % 2 ? t : times(R, t)};
      const Rectification r = rectify_polar(kCamera, kCamera, pose, {});
      if (r.outcome != RectifyOutcome::ok) continue;
      ++rectified;
      for (const int side : {0, 1}) EXPECT_GT(places_and_back(r, side, random), 20) << ahead;
      const VerticalDisparity rows = vertical_disparity(r, matches_of(pose, random));
      if (rows.counted < 50) continue;
      ++counted;
      worst = std::max(worst, rows.percentile95);
    }
  }
  std::printf("%d rectified, %d with matches; rows differ by at most %.2g px (95 %%)\n", rectified,
              counted, worst);
  EXPECT_GT(counted, 70);
  EXPECT_LT(worst, 0.01);
}

// The epipole is inside of one image only, so that the rows cover less than half of the circle
// about it. The other side of the epipole has no row.
TEST(PolarPoints, have_no_place_beyond_an_epipole) {
  std::mt19937_64 random(3);
  int beyond = 0;
  for (int k = 0; k < 10; ++k) {
    const double angle = uniform(random, 0, 2 * std::numbers::pi);
    const Vec3 axis = {std::cos(angle), std::sin(angle), 0};
    const Mat3 R = synthetic::rotation_about(axis, 35 * std::numbers::pi / 180);
    const Pose pose{R, times(R, Vec3{0.05, -0.1, -1})};
    const Rectification r = rectify_polar(kCamera, kCamera, pose, {});
    if (r.outcome != RectifyOutcome::ok || r.is_cyclic) continue;
    for (const int side : {0, 1}) {
      const RectifiedSide& s = r.sides[std::size_t(side)];
      if (!is_inside(s.epipole)) continue;
      const PolarRow &first = s.rows.front(), &last = s.rows.back();
      for (int i = 0; i < 200; ++i) {
        const Vec2 px = random_pixel(random);
        const double dx = px[0] - s.epipole[0], dy = px[1] - s.epipole[1];
        const double sign = s.is_inward ? -1 : 1;
        // All rows lie between the first and the last: a point behind both is beyond the epipole.
        if (sign * (first.dx * dx + first.dy * dy) > -2 ||
            sign * (last.dx * dx + last.dy * dy) > -2)
          continue;
        ++beyond;
        EXPECT_TRUE(std::isnan(rectified_point(r, side, px)[0])) << px[0] << " " << px[1];
      }
    }
  }
  EXPECT_GT(beyond, 50);
}

}  // namespace
}  // namespace bifocal
