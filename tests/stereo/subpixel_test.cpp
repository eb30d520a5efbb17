// SPDX-License-Identifier: BSD-3-Clause
// Disparities between whole pixels, compared with textures of exactly known shift.
#include <bifocal/stereo.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <iostream>
#include <random>
#include <vector>

#include "stereo/rules.hpp"

namespace bifocal {
namespace {

// A random texture of waves no shorter than `shortest` px.
class Texture {
 public:
  Texture(std::mt19937& random, double shortest) {
    std::uniform_real_distribution<double> unit(0, 1);
    for (Wave& w : waves_) {
      const double frequency = 2 * M_PI / shortest * std::sqrt(unit(random)) + 0.05;
      const double direction = 2 * M_PI * unit(random);
      w = {frequency * std::cos(direction), frequency * std::sin(direction),
           2 * M_PI * unit(random)};
    }
  }
  [[nodiscard]] double at(double x, double y) const {
    double sum = 0;
    for (const Wave& w : waves_) sum += std::sin(w.x * x + w.y * y + w.phase);
    return sum / std::sqrt(0.5 * static_cast<double>(waves_.size()));  // variance 1
  }

 private:
  struct Wave {
    double x, y, phase;
  };
  std::array<Wave, 60> waves_{};
};

struct Bias {
  double mean = 0, rms = 0;  // mean over fractions of |mean error|; rms of all errors; px
};

// Matches pairs of every fraction k / 32 px, without filters.
Bias measured(const SgmOptions& options, double shortest, double noise) {
  constexpr int width = 140, height = 40;
  std::mt19937 random(11);
  std::normal_distribution<double> error(0, noise);
  Bias bias;
  double squares = 0, count = 0;
  for (int k = 0; k < 32; ++k) {
    const Texture texture(random, shortest);
    const double shift = 6 + k / 32.0;
    ImageU8 left(width, height), right(width, height);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const auto level = [&](double at) {
          return static_cast<std::uint8_t>(
              std::lround(std::clamp(127 + 50 * texture.at(at, y) + error(random), 0.0, 255.0)));
        };
        left.at(x, y) = level(x);
        right.at(x, y) = level(x + shift);
      }
    }
    const DisparityMap map = stereo_sgm(left, right, options);
    double sum = 0, pixels = 0;
    for (int y = 4; y < height - 4; ++y) {
      for (int x = 24; x < width - 6; ++x) {
        const double e = map.raw.at(x, y) - shift;
        if (!(std::abs(e) < 1.2)) continue;
        sum += e;
        squares += e * e;
        pixels += 1;
      }
    }
    EXPECT_GT(pixels, 0.95 * (width - 30) * (height - 8)) << shift;
    bias.mean += std::abs(sum / pixels) / 32;
    count += pixels;
  }
  bias.rms = std::sqrt(squares / count);
  return bias;
}

TEST(Subpixel, bias_against_the_true_fraction_stays_small) {
  for (int paths : {4, 8}) {
    for (double shortest : {10.0, 4.0}) {
      SgmOptions o{.disparities = 16, .paths = paths};
      o.filter.median = 0;
      const Bias bias = measured(o, shortest, 1.0);
      std::cout << paths << " paths, waves from " << shortest << " px: mean bias " << bias.mean
                << " px, rms error " << bias.rms << " px\n";
      // Measured: 0.087 to 0.095 and 0.16 to 0.20; a mean of lines and parabola had 0.13 to 0.145.
      EXPECT_LT(bias.mean, 0.105) << paths << " " << shortest;
      EXPECT_LT(bias.rms, 0.22) << paths << " " << shortest;
    }
  }
}

TEST(Subpixel, offsets_are_odd_monotonic_and_within_half_a_pixel) {
  for (int step_cost : {0, 36, 72, 1520}) {
    for (int high = 0; high <= 2016; high += 7) {
      int before = stereo::Rules::SUBPIXELS;
      for (int low = 0; low <= high; low += 5) {
        const int best = 100;
        const int up = stereo::Rules::subpixel_offset(best + high, best, best + low, step_cost);
        const int down = stereo::Rules::subpixel_offset(best + low, best, best + high, step_cost);
        ASSERT_EQ(up, low < high ? -down : up);
        ASSERT_GE(up, 0);
        ASSERT_LE(up, 15);
        ASSERT_LE(up, before) << low << " " << high;  // similar sides: small offset
        before = up;
      }
      if (high > 0 && step_cost == 0) {
        ASSERT_EQ(stereo::Rules::subpixel_offset(high, 0, 0, step_cost), 15);
      }
      ASSERT_EQ(stereo::Rules::subpixel_offset(high, 0, high, step_cost), 0);
    }
  }
}

}  // namespace
}  // namespace bifocal
