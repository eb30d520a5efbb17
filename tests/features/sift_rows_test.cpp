// SPDX-License-Identifier: BSD-3-Clause
// A CPU keeps only the rows of an image that descriptions read.
#include <bifocal/features.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "features/pictures.hpp"

namespace bifocal::test {
namespace {

// Makes blobs as large as the largest points of an octave, stretched vertically by `stretch`, faint
// except in every third band of 256 rows.
ImageU8 high_blobs(int width, int height, double stretch) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(0, 1);
  const int squeezed = static_cast<int>(height / stretch);
  std::vector<Blob> blobs;
  for (int i = 0; i < width * squeezed / 120; ++i)
    blobs.push_back({unit(random) * width, unit(random) * squeezed, 2.2 + 1.4 * unit(random),
                     (unit(random) < 0.5 ? -1 : 1) * (25 + 35 * unit(random))});
  ImageU8 image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      double v = 0;
      for (const Blob& b : blobs) {
        const double dx = x - b.x, dy = y / stretch - b.y, variance = b.sigma * b.sigma;
        const double far = (dx * dx + dy * dy) / variance;
        if (far < 25) v += b.height * std::exp(-0.5 * far);
      }
      if (y % 768 >= 256) v *= 0.25;
      image.at(x, y) = static_cast<std::uint8_t>(std::clamp(std::lround(128 + v), 0L, 255L));
    }
  }
  return image;
}

// A tall image is processed in parts of 64 rows, and only the rows within reach of descriptions are
// kept. An image that begins 544 rows later has other parts but the same descriptions. (With half
// the reach 18 of 919 pooled descriptions differ, and without the reach of shapes 19 of 319.)
TEST(Sift, keeps_the_rows_in_reach) {
  constexpr int kShift = 544, kMargin = 250;
  for (const bool affine : {false, true}) {
    const ImageU8 image = high_blobs(90, 2000, affine ? 4 : 1);
    const ImageView<const std::uint8_t> part(image.row(kShift), 90, 2000 - kShift);
    for (const bool pooled : {false, true}) {
      const SiftOptions options{.contrast_threshold = 0.004,
                                .edge_threshold = 1e4,
                                .upsample = false,
                                .domain_size_pooling = pooled,
                                .affine_shape = affine};
      const Features f = detect_sift(image, options), g = detect_sift(part, options);
      int all = 0, found = 0, alike = 0;
      for (std::size_t i = 0; i < f.keypoints.size(); ++i) {
        const Keypoint& a = f.keypoints[i];
        if (a.y < kShift + kMargin) continue;
        ++all;
        for (std::size_t j = 0; j < g.keypoints.size(); ++j) {
          const Keypoint& b = g.keypoints[j];
          if (std::hypot(a.x - b.x, a.y - kShift - b.y) > 0.01 ||
              std::abs(a.sigma - b.sigma) > 0.01 ||
              std::abs(std::remainder(a.angle_deg - b.angle_deg, 360)) > 0.1)
            continue;
          int largest = 0;
          for (std::size_t k = 0; k < 128; ++k)
            largest = std::max(largest,
                               std::abs(f.descriptors[128 * i + k] - g.descriptors[128 * j + k]));
          ++found;
          alike += largest <= 2;
          break;
        }
      }
      std::printf("%d points, %d in both, %d alike\n", all, found, alike);
      EXPECT_GT(all, 200);
      EXPECT_EQ(found, all);
      EXPECT_EQ(alike, all);
    }
  }
}

}  // namespace
}  // namespace bifocal::test
