// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/image.hpp>

#include <algorithm>
#include <cmath>
#include <random>

namespace bifocal::test {

// Makes a grey image of smooth random blobs of several sizes.
inline ImageU8 texture(int width, int height, unsigned seed) {
  std::mt19937 random(seed);
  ImageF sum(width, height);
  for (int blob = 0; blob < width * height / 60; ++blob) {
    const double x = random() % 65536 / 65536.0 * width, y = random() % 65536 / 65536.0 * height;
    const double sigma = 1.5 + random() % 256 / 64.0, weight = random() % 2 ? 60 : -60;
    const int reach = static_cast<int>(3 * sigma);
    for (int j = std::max(0, int(y) - reach); j < std::min(height, int(y) + reach); ++j) {
      for (int i = std::max(0, int(x) - reach); i < std::min(width, int(x) + reach); ++i) {
        const double r2 = (i - x) * (i - x) + (j - y) * (j - y);
        sum.at(i, j) += static_cast<float>(weight * std::exp(-r2 / (2 * sigma * sigma)));
      }
    }
  }
  ImageU8 image(width, height);
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    image.pixels[i] = static_cast<std::uint8_t>(std::clamp(sum.pixels[i] + 128.0F, 0.0F, 255.0F));
  }
  return image;
}

}  // namespace bifocal::test
