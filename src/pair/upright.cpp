// SPDX-License-Identifier: BSD-3-Clause
#include "pair/upright.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "rectify/upright.hpp"

namespace bifocal::pair {
namespace {

// The image rotated by 180 degrees, with `before` columns of `outside` added on its left and
// `after` on its right.
template <class T>
Image<T> rotated(const Image<T>& image, int before, int after, std::type_identity_t<T> outside) {
  if (image.empty()) return {};
  Image<T> out(image.width + before + after, image.height, image.channels, outside);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x)
      for (int c = 0; c < image.channels; ++c)
        out.at(x + before, y, c) = image.at(image.width - 1 - x, image.height - 1 - y, c);
  return out;
}

// Disparities after the rotation, with `shift` px added.
ImageF reversed(const ImageF& disparity, int shift) {
  ImageF out = rotated(disparity, shift, 0, std::numeric_limits<float>::quiet_NaN());
  for (float& d : out.pixels) d = static_cast<float>(shift) - d;
  return out;
}

}  // namespace

void put_upright(DensePair& dense) {
  Rectification& r = dense.rectification;
  if (!rectification::is_upside_down(r)) return;
  const int last = dense.min_disparity + dense.disparities - 1, shift = std::max(0, last);
  const int width = r.width;
  rotate_by_180(r);
  if (shift > 0) shift_left_image(r, shift);
  dense.left = rotated(dense.left, shift, 0, 0);
  dense.right = rotated(dense.right, 0, shift, 0);
  DisparityMap& map = dense.disparity;
  map.raw = reversed(map.raw, shift);
  map.filled = reversed(map.filled, shift);
  map.confidence = rotated(map.confidence, shift, 0, 0);
  map.density *= static_cast<double>(width) / r.width;
  dense.min_disparity = shift - last;
}

}  // namespace bifocal::pair
