// SPDX-License-Identifier: BSD-3-Clause
#include "pair/upright.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "rectify/upright.hpp"

namespace bifocal::pair {
namespace {

// Returns the image rotated by 180 degrees, with `before` columns of `outside` added on its left
// and `after` on its right; negative numbers remove columns.
template <class T>
Image<T> rotated(const Image<T>& image, int before, int after, std::type_identity_t<T> outside) {
  if (image.empty()) return {};
  Image<T> out(image.width + before + after, image.height, image.channels, outside);
  const int begin = std::max(0, before), end = std::min(out.width, image.width + before);
  for (int y = 0; y < out.height; ++y)
    for (int x = begin; x < end; ++x)
      for (int c = 0; c < image.channels; ++c)
        out.at(x, y, c) = image.at(image.width - 1 - (x - before), image.height - 1 - y, c);
  return out;
}

// Returns the least and the largest known disparity, widened to whole px; the ends of the search
// range without known disparities.
std::pair<int, int> ends_of(const DensePair& dense) {
  float least = std::numeric_limits<float>::infinity(), largest = -least;
  for (const ImageF* map : {&dense.disparity.raw, &dense.disparity.filled}) {
    for (const float d : map->pixels) {
      if (!std::isfinite(d)) continue;
      least = std::min(least, d), largest = std::max(largest, d);
    }
  }
  if (least > largest) return {dense.min_disparity, dense.min_disparity + dense.disparities - 1};
  return {static_cast<int>(std::floor(least)), static_cast<int>(std::ceil(largest))};
}

}  // namespace

// A disparity d becomes shift - d. With d from `least` to `shift`, no column is cropped that
// both images show.
void put_upright(DensePair& dense) {
  Rectification& r = dense.rectification;
  if (!rectification::is_upside_down(r)) return;
  const auto [least, largest] = ends_of(dense);
  const int shift = std::max(0, largest), crop = std::clamp(least, 0, (r.width - 1) / 2);
  const int width = r.width;
  rotate_by_180(r);
  if (shift > 0) shift_left_image(r, shift);
  rectification::crop_columns(r, crop);
  dense.left = rotated(dense.left, shift - crop, -crop, 0);
  dense.right = rotated(dense.right, -crop, shift - crop, 0);
  DisparityMap& map = dense.disparity;
  for (ImageF* disparity : {&map.raw, &map.filled}) {
    *disparity = rotated(*disparity, shift - crop, -crop, std::numeric_limits<float>::quiet_NaN());
    for (float& d : disparity->pixels) d = static_cast<float>(shift) - d;
  }
  map.confidence = rotated(map.confidence, shift - crop, -crop, 0);
  map.density *= static_cast<double>(width) / r.width;
  dense.min_disparity = shift - largest;
  dense.disparities = largest - least + 1;
}

}  // namespace bifocal::pair
