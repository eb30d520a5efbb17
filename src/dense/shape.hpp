// SPDX-License-Identifier: BSD-3-Clause
// Arrays of images with margins, as the kernels of dense depth have them.
#pragma once

#include <cstddef>
#include <vector>

#include "dense/patch_match.kernels.hpp"

namespace bifocal::dense {

inline const kernels::patch_match::launch<float>& patch_kernels() {
  static const kernels::patch_match::launch<float> launch(kernels::patch_match::PATCH_THREADS, {});
  return launch;
}

// Shape of the padded array of an image.
struct Shape {
  int width = 0, height = 0;  // px

  bool operator==(const Shape&) const = default;
  [[nodiscard]] int across() const {
    constexpr int kAcross = kernels::patch_match::PATCH_ACROSS;
    return (width + kAcross - 1) / kAcross * kAcross;
  }
  [[nodiscard]] int pitch() const { return across() + 2 * kernels::patch_match::PATCH_MARGIN; }
  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(pitch()) *
           static_cast<std::size_t>(height + 2 * kernels::patch_match::PATCH_MARGIN);
  }
  [[nodiscard]] std::size_t row(int y) const {
    constexpr int kMargin = kernels::patch_match::PATCH_MARGIN;
    return static_cast<std::size_t>((y + kMargin) * pitch() + kMargin);
  }
  // The levels of a pyramid, the finest first: halves until a side would be shorter than
  // kLeastSide.
  [[nodiscard]] std::vector<Shape> levels() const {
    constexpr int kLeastSide = 100;  // px
    std::vector<Shape> all{*this};
    while (all.back().width >= 2 * kLeastSide && all.back().height >= 2 * kLeastSide)
      all.push_back({all.back().width / 2, all.back().height / 2});
    return all;
  }
  // Words of all levels.
  [[nodiscard]] std::size_t pyramid_size() const {
    std::size_t sum = 0;
    for (const Shape& level : levels()) sum += level.size();
    return sum;
  }
};

}  // namespace bifocal::dense
