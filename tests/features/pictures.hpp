// SPDX-License-Identifier: BSD-3-Clause
// Synthetic images for the tests of features, and comparisons of features.
#pragma once

#include <bifocal/features.hpp>
#include <bifocal/image.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

namespace bifocal::test {

// Compares to the last bit.
inline bool same(const Features& a, const Features& b) {
  return a.size() == b.size() && a.descriptors == b.descriptors &&
         a.shapes.size() == b.shapes.size() &&
         (a.shapes.empty() || std::memcmp(a.shapes.data(), b.shapes.data(),
                                          a.shapes.size() * sizeof(KeypointShape)) == 0) &&
         (a.size() == 0 || std::memcmp(a.keypoints.data(), b.keypoints.data(),
                                       std::size_t(a.size()) * sizeof(Keypoint)) == 0);
}

struct Blob {
  double x, y, sigma, height;  // px; grey values
};

// Gaussian blobs on grey 128, rounded to 8 bits.
inline ImageU8 blob_image(int width, int height, const std::vector<Blob>& blobs) {
  ImageU8 image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      double v = 128;
      for (const Blob& b : blobs) {
        const double dx = x - b.x, dy = y - b.y;
        v += b.height * std::exp(-0.5 * (dx * dx + dy * dy) / (b.sigma * b.sigma));
      }
      image.at(x, y) = static_cast<std::uint8_t>(std::clamp(std::lround(v), 0L, 255L));
    }
  }
  return image;
}

// Random blobs of all sizes and both signs: structure with known scales and without edges.
inline std::vector<Blob> random_blob_list(int width, int height, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<Blob> blobs;
  for (int i = 0; i < width * height / 150; ++i) {
    const double sigma = 1.2 * std::pow(5.0, unit(random));
    blobs.push_back({unit(random) * width, unit(random) * height, sigma,
                     (unit(random) < 0.5 ? -1 : 1) * (20 + 40 * unit(random))});
  }
  return blobs;
}
inline ImageU8 random_blobs(int width, int height, unsigned seed) {
  return blob_image(width, height, random_blob_list(width, height, seed));
}

inline ImageU8 noise(int width, int height, unsigned seed) {
  std::mt19937 random(seed);
  ImageU8 image(width, height);
  for (std::uint8_t& p : image.pixels) p = static_cast<std::uint8_t>(random() >> 24);
  return image;
}

// Rotates by a quarter clockwise: pixel (x, y) goes to (height - 1 - y, x).
template <class T>
Image<T> quarter_turn(const Image<T>& in) {
  Image<T> out(in.height, in.width);
  for (int y = 0; y < in.height; ++y) {
    for (int x = 0; x < in.width; ++x) out.at(in.height - 1 - y, x) = in.at(x, y);
  }
  return out;
}

}  // namespace bifocal::test
