// SPDX-License-Identifier: BSD-3-Clause
// Compares each SIMD kernel of the scale space with plain loops, for every SIMD target.
#include "features/sift/space.hpp"

#include <gtest/gtest.h>

#include "features/sift/octave.hpp"
#include "features/pictures.hpp"
#include "support/targets.hpp"

namespace bifocal::test {
namespace {

using namespace features;

Plane random_plane(int width, int height, unsigned seed, int steps) {
  std::mt19937 random(seed);
  Plane plane(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x)
      plane.row(y)[x] = static_cast<float>(random() % unsigned(steps)) / float(steps);
  }
  return plane;
}

TEST(Kernel, has_sum_one_and_the_exact_variance) {
  for (double sigma : {0.5, 0.8, 1.226, 1.6, 2.45, 3.1, 8.0}) {
    const Kernel k = gaussian_kernel(sigma);
    double sum = 0, mean = 0, variance = 0;
    for (int i = -k.radius; i <= k.radius; ++i) {
      const double tap = k.taps[std::size_t(i + k.radius)];
      EXPECT_EQ(tap, k.taps[std::size_t(k.radius - i)]);
      sum += tap, mean += tap * i, variance += tap * i * i;
    }
    EXPECT_NEAR(sum, 1, 1e-6);
    EXPECT_NEAR(mean, 0, 1e-6);
    EXPECT_NEAR(variance, sigma * sigma, 1e-5 * sigma * sigma);
  }
}

TEST(Kernel, at_a_quarter_pixel_has_its_mean_there) {
  const Kernel k = quarter_pixel_kernel(0.8);
  double sum = 0, mean = 0;
  for (int i = -k.radius; i <= k.radius; ++i) {
    sum += k.taps[std::size_t(i + k.radius)];
    mean += k.taps[std::size_t(i + k.radius)] * double(i);
  }
  EXPECT_NEAR(sum, 1, 1e-6);
  EXPECT_NEAR(mean, -0.25, 1e-4);
}

TEST(Mirror, has_no_double_edge) {
  EXPECT_EQ(mirrored(-1, 5), 1);
  EXPECT_EQ(mirrored(5, 5), 3);
  EXPECT_EQ(mirrored(9, 5), 1);
  EXPECT_EQ(mirrored(-7, 3), 1);
  EXPECT_EQ(mirrored(123, 1), 0);
}

TEST(Blur, equals_the_plain_convolution) {
  const Kernel kernel = gaussian_kernel(2.1);
  const int r = kernel.radius;
  for (int width : {1, 2, 7, 16, 31, 33, 130}) {
    const Plane in = random_plane(width, 2 * r + kBlurRows, 3, 256);
    std::vector<const float*> rows;
    for (int y = 0; y < in.height; ++y) rows.push_back(in.row(y));
    Plane out(width, kBlurRows);
    float* results[kBlurRows];
    for (int m = 0; m < kBlurRows; ++m) results[m] = out.row(m);
    for_each_target([&](const std::string& target) {
      blur_rows(rows.data(), kernel, results, width);
      for (int m = 0; m < kBlurRows; ++m) {
        for (int x = 0; x < width; ++x) {
          double sum = 0;
          for (int j = -r; j <= r; ++j) {
            for (int i = -r; i <= r; ++i) {
              sum += double(kernel.taps[std::size_t(j + r)]) * kernel.taps[std::size_t(i + r)] *
                     in.row(m + j + r)[mirrored(x + i, width)];
            }
          }
          ASSERT_NEAR(out.row(m)[x], sum, 2e-6)
              << target << " width " << width << " at " << x << ", " << m;
        }
      }
    });
  }
}

TEST(Doubling, equals_the_plain_convolution_at_quarter_pixels) {
  const Kernel kernel = quarter_pixel_kernel(0.8);
  const int r = kernel.radius, taps = 2 * r + 1;
  for (int width : {1, 2, 9, 16, 47, 100}) {
    const ImageU8 in = noise(width, taps, 5);
    std::vector<const std::uint8_t*> rows;
    for (int y = 0; y < taps; ++y) rows.push_back(in.row(y));
    Plane out(2 * width, 2);
    for_each_target([&](const std::string& target) {
      double_rows(rows.data(), kernel, out.row(0), out.row(1), width);
      for (int y = 0; y < 2; ++y) {
        for (int x = 0; x < 2 * width; ++x) {
          double sum = 0;
          for (int j = 0; j < taps; ++j) {
            for (int i = 0; i < taps; ++i) {
              const double down = kernel.taps[std::size_t(y ? taps - 1 - j : j)];
              const double across = kernel.taps[std::size_t(x % 2 ? taps - 1 - i : i)];
              sum += down * across * in.at(mirrored(x / 2 + i - r, width), j) / 255.0;
            }
          }
          ASSERT_NEAR(out.row(y)[x], sum, 2e-6)
              << target << " width " << width << " at " << x << ", " << y;
        }
      }
    });
  }
}

// Compares with all 26 neighbours; among equal values the first is the extremum.
bool is_extremum(const std::vector<Level>& levels, int scale, int x, int y, float threshold) {
  const auto D = [&](int s, int yy, int xx) {
    return levels[std::size_t(s + 1)].at(xx, yy) - levels[std::size_t(s)].at(xx, yy);
  };
  const float v = D(scale, y, x);
  if (!(std::abs(v) > threshold)) return false;
  for (int sign : {1, -1}) {
    bool extreme = true;
    for (int i = 0; i < 27; ++i) {
      const float other = D(scale + i / 9 - 1, y + i / 3 % 3 - 1, x + i % 3 - 1);
      const float lead = static_cast<float>(sign) * (v - other);
      extreme = extreme && (i == 13 || (i < 13 ? lead > 0 : lead >= 0));
    }
    if (extreme) return true;
  }
  return false;
}

TEST(Extrema, equal_the_plain_search) {
  for (int steps : {4, 1000}) {  // with and without many ties
    for (int width : {11, 12, 26, 27, 90}) {
      std::vector<Plane> planes;
      std::vector<Level> levels;
      for (unsigned s = 0; s < 4; ++s) planes.push_back(random_plane(width, 8, 10 + s, steps));
      for (const Plane& p : planes) levels.push_back({p.data.data(), width, 8, p.stride, 7});
      int found = 0;
      for_each_target([&](const std::string& target) {
        for (int y = 1; y < 7; ++y) {
          std::vector<int> columns, expected;
          find_extrema(levels.data(), 1, y, 5, 0.1F, columns);
          for (int x = 5; x < width - 5; ++x) {
            if (is_extremum(levels, 1, x, y, 0.1F)) expected.push_back(x);
          }
          EXPECT_EQ(columns, expected) << target << " width " << width << " row " << y;
          found += static_cast<int>(expected.size());
        }
      });
      EXPECT_TRUE(width < 90 || found > 0);
    }
  }
}

}  // namespace
}  // namespace bifocal::test
