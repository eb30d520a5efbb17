// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/stereo.hpp>
#include <bifocal/device.hpp>

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "support/targets.hpp"

namespace bifocal {
namespace {

constexpr Mat3 kIdentity = {1, 0, 0, 0, 1, 0, 0, 0, 1};

ImageU8 smooth_image(int width, int height, int channels) {
  ImageU8 image(width, height, channels);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < channels; ++c)
        image.at(x, y, c) =
            static_cast<std::uint8_t>(127.5 + 100 * std::sin(0.1 * x + c) * std::cos(0.13 * y));
  return image;
}

TEST(Warp, identity_in_any_scale_and_sign_gives_the_picture) {
  for (const auto& [w, h] :
       {std::pair{37, 11}, std::pair{1, 1}, std::pair{1, 9}, std::pair{9, 1}}) {
    const ImageU8 image = smooth_image(w, h, 3);
    for (double scale : {1.0, -3.0, 1e-6}) {
      Mat3 H = kIdentity;
      for (double& v : H) v *= scale;
      ImageU8 valid;
      EXPECT_EQ(warp(image, H, w, h, &valid).pixels, image.pixels);
      EXPECT_EQ(valid.pixels, std::vector<std::uint8_t>(image.pixels.size() / 3, 255));
    }
  }
}

TEST(Warp, half_a_pixel_averages_and_the_outside_is_invalid) {
  ImageU8 image(2, 1);
  image.pixels = {10, 21};
  ImageU8 valid;
  const ImageU8 out = warp(image, {1, 0, 0.5, 0, 1, 0, 0, 0, 1}, 4, 2, &valid);
  EXPECT_EQ(out.pixels, (std::vector<std::uint8_t>{0, 16, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(valid.pixels, (std::vector<std::uint8_t>{0, 255, 0, 0, 0, 0, 0, 0}));
}

// Interpolates in doubles the input value at the source of an output pixel; negative outside.
double plain(const ImageU8& image, const Mat3& input_from_output, double x, double y) {
  const Mat3& m = input_from_output;
  const double w = m[6] * x + m[7] * y + m[8];
  const double u = (m[0] * x + m[1] * y + m[2]) / w, v = (m[3] * x + m[4] * y + m[5]) / w;
  if (w <= 0 || u < 0 || v < 0 || u > image.width - 1 || v > image.height - 1) return -1;
  const int x0 = std::min(static_cast<int>(u), image.width - 2),
            y0 = std::min(static_cast<int>(v), image.height - 2);
  const double a = u - x0, b = v - y0;
  return (1 - b) * ((1 - a) * image.at(x0, y0) + a * image.at(x0 + 1, y0)) +
         b * ((1 - a) * image.at(x0, y0 + 1) + a * image.at(x0 + 1, y0 + 1));
}

TEST(Warp, equals_plain_bilinear_sampling_on_every_target_and_thread_count) {
  const ImageU8 image = smooth_image(90, 70, 1);
  // A strong perspective whose horizon crosses the output: input_from_output and its inverse
  // (integers, determinant 1).
  const Mat3 back = {1, 0.25, -8, 0.125, 1, -6, 0.002, -0.012, 1};
  const double det = back[0] * (back[4] * back[8] - back[5] * back[7]) -
                     back[1] * (back[3] * back[8] - back[5] * back[6]) +
                     back[2] * (back[3] * back[7] - back[4] * back[6]);
  const Mat3 H = {
      (back[4] * back[8] - back[5] * back[7]) / det, (back[2] * back[7] - back[1] * back[8]) / det,
      (back[1] * back[5] - back[2] * back[4]) / det, (back[5] * back[6] - back[3] * back[8]) / det,
      (back[0] * back[8] - back[2] * back[6]) / det, (back[2] * back[3] - back[0] * back[5]) / det,
      (back[3] * back[7] - back[4] * back[6]) / det, (back[1] * back[6] - back[0] * back[7]) / det,
      (back[0] * back[4] - back[1] * back[3]) / det};
  test::for_each_target([&](const std::string& target) {
    ImageU8 valid;
    const ImageU8 out = warp(image, H, 120, 130, &valid);
    int inside = 0;
    for (int y = 0; y < out.height; ++y) {
      for (int x = 0; x < out.width; ++x) {
        const double expected = plain(image, back, x, y);
        if (valid.at(x, y) == 0) {
          ASSERT_EQ(out.at(x, y), 0);
          continue;
        }
        if (expected < 0) continue;  // within the rounding of the border
        ++inside;
        ASSERT_NEAR(out.at(x, y), expected, 0.8) << target << " " << x << " " << y;
      }
    }
    EXPECT_GT(inside, 2000);
    ThreadLimit one(1);
    EXPECT_EQ(warp(image, H, 120, 130).pixels, out.pixels) << target;
  });
}

// Input positions are (30 + y / 10w, 20 + 3 / 10w) with w = 1 - x / 50. Without a test of w, pixels
// beyond x = 50 would also be sampled inside the input.
TEST(Warp, pixels_across_the_horizon_are_outside) {
  const Mat3 input_from_output = {-0.6, 0.1, 30, -0.4, 0, 20.3, -0.02, 0, 1};
  Mat3 H;
  Eigen::Map<Eigen::Matrix3d>(H.data()) =
      Eigen::Map<const Eigen::Matrix3d>(input_from_output.data()).inverse();
  test::for_each_target([&](const std::string& target) {
    const SamplingMap map = sampling_map(H, 64, 48, 120, 40);
    int inside = 0;
    for (int y = 0; y < 40; ++y) {
      for (int x = 0; x < 120; ++x) {
        // In 1/256 px, to be rounded down.
        const double w = 1 - x / 50.0, u = 256 * (30 + y / (10 * w)) + 0.5,
                     v = 256 * (20 + 3 / (10 * w)) + 0.5;
        if (std::abs(u - std::nearbyint(u)) < 1e-6 || std::abs(v - std::nearbyint(v)) < 1e-6)
          continue;
        const bool in = w > 1e-9 && u >= 0 && v >= 0 && u < 256 * 63 + 1 && v < 256 * 47 + 1;
        const auto at = static_cast<std::size_t>(y * 120 + x);
        ASSERT_EQ(map.x[at], in ? static_cast<int>(u) : -1) << target << ' ' << x << ' ' << y;
        inside += in ? 1 : 0;
      }
    }
    EXPECT_GT(inside, 1000);
  });
}

TEST(Warp, bad_arguments_throw) {
  const ImageU8 image(4, 4);
  EXPECT_THROW((void)warp(image, Mat3{}, 4, 4), Error);
  EXPECT_THROW((void)warp(image, kIdentity, 0, 4), Error);
  EXPECT_THROW((void)warp(ImageU8(), kIdentity, 4, 4), Error);
  EXPECT_THROW((void)warp(image, {std::nan(""), 0, 0, 0, 1, 0, 0, 0, 1}, 4, 4), Error);
}

}  // namespace
}  // namespace bifocal
