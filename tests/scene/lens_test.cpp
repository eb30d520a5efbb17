// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "scene/lens.hpp"

namespace bifocal {
namespace {

using scene::Lens;

// Distorts a normalised point by the formulas in the header (camera.hpp).
Vec2 plain(const Distortion& d, double x, double y) {
  const double q = x * x + y * y;
  const double s = (1 + d.k1 * q + d.k2 * q * q + d.k3 * q * q * q) /
                   (1 + d.k4 * q + d.k5 * q * q + d.k6 * q * q * q);
  return {s * x + 2 * d.p1 * x * y + d.p2 * (q + 2 * x * x),
          s * y + d.p1 * (q + 2 * y * y) + 2 * d.p2 * x * y};
}

// Typical calibrated lenses: none, barrel, pincushion, weak barrel without decentring, and wide
// with the rational model.
const Distortion kReal[] = {{},
                            {.k1 = -0.28, .k2 = 0.07, .p1 = 2e-4, .p2 = 1.8e-5},
                            {.k1 = 0.12, .k2 = -0.05, .p1 = -1e-3, .p2 = 2e-3, .k3 = 0.01},
                            {.k1 = -0.05},
                            {.k1 = 0.42,
                             .k2 = 0.08,
                             .p1 = 1e-4,
                             .p2 = -5e-5,
                             .k3 = 0.002,
                             .k4 = 0.75,
                             .k5 = 0.21,
                             .k6 = 0.012}};

TEST(Lens, is_the_model_and_its_inverse_over_the_picture) {
  for (const Distortion& d : kReal) {
    const Lens lens(d);
    double worst = 0;
    for (int j = -30; j <= 30; ++j) {
      for (int i = -40; i <= 40; ++i) {  // a field of view of 77 x 62 degrees
        const double x = 0.02 * i, y = 0.02 * j;
        ASSERT_LT(std::hypot(x, y), lens.radius());
        const Vec2 moved = lens.distort({x, y}), expected = plain(d, x, y);
        ASSERT_NEAR(moved[0], expected[0], 1e-15);
        ASSERT_NEAR(moved[1], expected[1], 1e-15);
        const Vec2 back = lens.undistort(moved);
        worst = std::max({worst, std::abs(back[0] - x), std::abs(back[1] - y)});
        ASSERT_FALSE(std::isnan(back[0])) << x << " " << y;
      }
    }
    EXPECT_LT(worst, 1e-13) << d.k1;
  }
}

TEST(Lens, without_coefficients_moves_no_point) {
  const Lens lens;
  EXPECT_TRUE(std::isinf(lens.radius()));
  for (const Vec2 p : {Vec2{0, 0}, Vec2{1e-300, 0}, Vec2{3, -4}, Vec2{1e6, 1e6}}) {
    EXPECT_EQ(lens.distort(p), p);
    EXPECT_EQ(lens.undistort(p), p);
  }
}

// The profile r (1 - r^2 / 3) has its maximum 2/3 at r = 1. Points with r > 1 have no image, and
// points with r > 2/3 in the image have no origin.
TEST(Lens, ends_where_the_profile_turns_back) {
  const Lens lens({.k1 = -1.0 / 3});
  EXPECT_NEAR(lens.radius(), 1, 1e-12);
  EXPECT_FALSE(std::isnan(lens.distort({0.999, 0})[0]));
  EXPECT_TRUE(std::isnan(lens.distort({1.001, 0})[0]));
  EXPECT_TRUE(std::isnan(lens.distort({0.8, -0.8})[1]));
  const double r = lens.undistort({0, 0.666})[1];
  EXPECT_LT(r, 1);
  EXPECT_NEAR(r * (1 - r * r / 3), 0.666, 1e-15);
  EXPECT_TRUE(std::isnan(lens.undistort({0, 0.667})[1]));
  EXPECT_TRUE(std::isnan(lens.undistort({5, 5})[0]));
}

TEST(Lens, a_pole_ends_the_disc) {
  const Lens lens({.k4 = -4});  // 1 / (1 - 4 q): infinite at r = 0.5
  EXPECT_NEAR(lens.radius(), 0.5, 1e-12);
  EXPECT_TRUE(std::isnan(lens.distort({0.51, 0})[0]));
  EXPECT_NEAR(lens.undistort(lens.distort({0.49, 0}))[0], 0.49, 1e-12);
}

TEST(Lens, non_finite_points_have_no_image) {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  for (const Distortion& d : {Distortion{.k1 = -0.1}, Distortion{.k1 = 0.3, .p1 = 0.01}}) {
    const Lens lens(d);
    for (const Vec2 p : {Vec2{nan, 0}, Vec2{0, nan}, Vec2{inf, 0}, Vec2{0, -inf}, Vec2{inf, inf}}) {
      EXPECT_TRUE(std::isnan(lens.distort(p)[0]) && std::isnan(lens.distort(p)[1]));
      EXPECT_TRUE(std::isnan(lens.undistort(p)[0]) && std::isnan(lens.undistort(p)[1]));
    }
  }
  EXPECT_THROW(Lens({.k3 = nan}), Error);
  EXPECT_THROW(Lens({.p1 = inf}), Error);
}

// For any coefficients, undistort() recovers a distorted point of the disc; at most one point in
// 1,000 gives NaN. Any other point gives an origin whose image it is, or NaN.
TEST(Lens, adversarial_coefficients_give_the_origin_or_nan) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> angle(0, 6.283185307179586), share(0, 1);
  int lost = 0, points = 0, wrong = 0, strays = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const double size = std::pow(10.0, 2 * share(random) - 2), skew = 0.1 * size;
    const Distortion d{size * normal(random), size * normal(random), skew * normal(random),
                       skew * normal(random), size * normal(random), size * normal(random),
                       size * normal(random), size * normal(random)};
    const Lens lens(d);
    for (int k = 0; k < 20; ++k) {
      const double r = 0.98 * share(random) * std::min(lens.radius(), 3.0), a = angle(random);
      const Vec2 p = {r * std::cos(a), r * std::sin(a)}, back = lens.undistort(lens.distort(p));
      ++points;
      if (std::isnan(back[0])) {
        ++lost;
      } else if (std::hypot(back[0] - p[0], back[1] - p[1]) > 1e-10 * (1 + r)) {
        ++wrong;
      }
      const Vec2 far = {4 * normal(random), 4 * normal(random)}, origin = lens.undistort(far);
      if (std::isnan(origin[0])) continue;
      const Vec2 again = lens.distort(origin);
      strays += !(std::hypot(again[0] - far[0], again[1] - far[1]) <
                  1e-12 * (1 + std::hypot(far[0], far[1])));
    }
  }
  RecordProperty("points", points);
  RecordProperty("lost", lost);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(strays, 0);
  EXPECT_LE(lost, points / 1000) << "of " << points;
}

}  // namespace
}  // namespace bifocal
