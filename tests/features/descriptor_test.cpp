// SPDX-License-Identifier: BSD-3-Clause
// Orientation and description against plain double-precision code, for every SIMD target.
#include "features/descriptor.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <numeric>

#include "features/octave.hpp"
#include "features/pictures.hpp"
#include "support/targets.hpp"

namespace bifocal::test {
namespace {

using namespace features;
constexpr double kPi = std::numbers::pi;

// A level of smooth structure: two waves.
struct Waves {
  Plane plane;
  Level level;
  explicit Waves(int width = 64, int height = 64) : plane(width, height) {
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        plane.row(y)[x] = static_cast<float>(0.5 + 0.2 * std::sin(0.31 * x + 0.12 * y) +
                                             0.2 * std::cos(0.23 * y - 0.17 * x));
      }
    }
    level = {plane.data.data(), width, height, plane.stride, 63};
  }
};

// Turned by a vector into [0, turn).
double turned(double x, double y, double turn) {
  const double a = std::atan2(y, x) / (2 * kPi) * turn;
  return a < 0 ? a + turn : a;
}

std::vector<double> plain_histogram(const Level& l, double x, double y, double sigma) {
  std::vector<double> h(kOrientationBins);
  const double spread = SiftRules::sift_orientation_spread() * sigma;
  const int reach = static_cast<int>(std::lround(3 * spread)),
            cx = static_cast<int>(std::lround(x)), cy = static_cast<int>(std::lround(y));
  for (int j = std::max(1, cy - reach); j <= std::min(l.height - 2, cy + reach); ++j) {
    for (int i = std::max(1, cx - reach); i <= std::min(l.width - 2, cx + reach); ++i) {
      const double gx = l.at(i + 1, j) - l.at(i - 1, j), gy = l.at(i, j + 1) - l.at(i, j - 1);
      const double r2 = (i - x) * (i - x) + (j - y) * (j - y);
      const double weight = std::hypot(gx, gy) * std::exp(-0.5 * r2 / (spread * spread));
      const double bin = turned(gx, gy, kOrientationBins);
      const int low = static_cast<int>(bin);
      h[std::size_t(low % kOrientationBins)] += weight * (low + 1 - bin);
      h[std::size_t((low + 1) % kOrientationBins)] += weight * (bin - low);
    }
  }
  return h;
}

double bilinear(const Level& l, double x, double y) {
  x = std::clamp(x, 0.0, l.width - 1.0), y = std::clamp(y, 0.0, l.height - 1.0);
  const int i = std::min(static_cast<int>(x), l.width - 2),
            j = std::min(static_cast<int>(y), l.height - 2);
  const double fx = x - i, fy = y - j;
  return (1 - fy) * ((1 - fx) * l.at(i, j) + fx * l.at(i + 1, j)) +
         fy * ((1 - fx) * l.at(i, j + 1) + fx * l.at(i + 1, j + 1));
}

// Each sample's gradient shared out among all 128 bins by its distance to their centres.
std::vector<double> plain_description(const Level& l, double x, double y, double sigma,
                                      double angle_deg) {
  std::vector<double> d(128);
  const double c = std::cos(angle_deg * kPi / 180), s = std::sin(angle_deg * kPi / 180),
               bin = SiftRules::sift_bin_width() * sigma;
  const auto place = [&](double u, double v) {
    return std::pair(x + bin * (c * u - s * v), y + bin * (s * u + c * v));
  };
  const auto value = [&](double u, double v) {
    return bilinear(l, place(u, v).first, place(u, v).second);
  };
  for (double v = -2.375; v < 2.5; v += 0.25) {
    for (double u = -2.375; u < 2.5; u += 0.25) {
      const auto [px, py] = place(u, v);
      if (px < 0 || py < 0 || px > l.width - 1 || py > l.height - 1) continue;
      const double gx = value(u + 0.25, v) - value(u - 0.25, v),
                   gy = value(u, v + 0.25) - value(u, v - 0.25);
      const double weight = std::hypot(gx, gy) * std::exp(-(u * u + v * v) / 8);
      const double o = turned(gx, gy, 8);
      for (int i = 0; i < 128; ++i) {
        const double turn = std::min(std::abs(o - i % 8), 8 - std::abs(o - i % 8));
        d[std::size_t(i)] += weight * std::max(0.0, 1 - turn) *
                             std::max(0.0, 1 - std::abs(u - (i / 8 % 4 - 1.5))) *
                             std::max(0.0, 1 - std::abs(v - (i / 32 - 1.5)));
      }
    }
  }
  return d;
}

TEST(Orientation, histogram_is_the_plain_one) {
  const Waves waves;
  for_each_target([&](const std::string& target) {
    for (const auto& [x, y, sigma] :
         {std::array{30.3F, 31.8F, 2.0F}, {3.2F, 60.4F, 3.4F}, {31.0F, 1.0F, 1.7F}}) {
      const OrientationHistogram got = orientation_histogram(waves.level, x, y, sigma);
      const std::vector<double> want = plain_histogram(waves.level, x, y, sigma);
      const double scale = *std::max_element(want.begin(), want.end());
      for (std::size_t i = 0; i < want.size(); ++i)
        EXPECT_NEAR(got[i], want[i], 1e-3 * scale) << target << " bin " << i;
    }
  });
}

TEST(Orientation, of_a_ramp_is_its_direction) {
  for (double degrees = 0; degrees < 360; degrees += 17) {
    Waves ramp;
    for (int y = 0; y < 64; ++y) {
      for (int x = 0; x < 64; ++x) {
        ramp.plane.row(y)[x] = static_cast<float>(
            0.005 * (x * std::cos(degrees * kPi / 180) + y * std::sin(degrees * kPi / 180)));
      }
    }
    const auto directions = dominant_directions(orientation_histogram(ramp.level, 32, 32, 2));
    ASSERT_EQ(directions.size(), 1U) << degrees;
    const double off = std::abs(directions[0] - degrees);
    EXPECT_LT(std::min(off, 360 - off), 1.5) << degrees;
  }
}

TEST(Orientation, has_secondary_peaks_from_80_per_cent) {
  OrientationHistogram h{};
  h[10] = 1;
  h[0] = 0.81F;
  h[20] = 0.79F;
  const auto directions = dominant_directions(h);
  ASSERT_EQ(directions.size(), 2U);
  EXPECT_FLOAT_EQ(directions[0], 100);
  EXPECT_FLOAT_EQ(directions[1], 0);
  EXPECT_TRUE(dominant_directions(OrientationHistogram{}).empty());
}

TEST(Description, is_the_plain_one) {
  const Waves waves;
  for_each_target([&](const std::string& target) {
    for (const auto& [x, y, sigma, angle] : {std::array{32.3F, 31.8F, 1.6F, 0.0F},
                                             {30.1F, 33.0F, 2.4F, 77.0F},
                                             {5.5F, 58.0F, 3.0F, 213.0F},
                                             {1.0F, 1.0F, 3.5F, 341.0F}}) {
      const Description got = describe(waves.level, x, y, sigma, angle);
      const std::vector<double> want = plain_description(waves.level, x, y, sigma, angle);
      const double scale = *std::max_element(want.begin(), want.end());
      for (std::size_t i = 0; i < want.size(); ++i)
        EXPECT_NEAR(got[i], want[i], 2e-3 * scale) << target << " bin " << i;
    }
  });
}

TEST(Quantise, gives_vectors_of_length_512) {
  Description d;
  for (std::size_t i = 0; i < d.size(); ++i) d[i] = static_cast<float>((i * 37) % 61);
  std::uint8_t root[128], plain[128];
  quantise(d, true, root);
  quantise(d, false, plain);
  for (const std::uint8_t* q : {root, plain}) {
    EXPECT_NEAR(std::sqrt(std::inner_product(q, q + 128, q, 0.0)), 512, 4);
  }
  // The root of a value is in proportion to the root of another: 36 times the value, six times the
  // result.
  d.fill(1);
  d[0] = 36;
  d[1] = 1e4F;  // clipped
  quantise(d, true, root);
  EXPECT_NEAR(root[0], 6 * root[2], 4);
  EXPECT_LT(root[1], 100 * root[2] / 2);
}

TEST(Quantise, of_nothing_is_zero) {
  std::uint8_t q[128];
  quantise(Description{}, true, q);
  for (std::uint8_t v : q) EXPECT_EQ(v, 0);
}

}  // namespace
}  // namespace bifocal::test
