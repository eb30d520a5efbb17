// SPDX-License-Identifier: BSD-3-Clause
// Which of the points that a detector found are kept, and in which order.
#pragma once

#include <bifocal/features.hpp>

#include <vector>

namespace bifocal::features {

// Cells of a grid over a picture, `balance` of them along its longer side; balance 0: none.
struct Grid {
  int width, height, side, columns, rows;  // px, px, px of a cell, cells
  Grid(int width, int height, int balance);
  [[nodiscard]] int cells() const { return columns * rows; }
  [[nodiscard]] int cell_of(const Keypoint& point) const;
};

// Of a picture of width x height.
struct Selection {
  int width, height;
  int max_features;  // 0: all
  int balance;       // SiftOptions::balance
  ImageView<const std::uint8_t> mask;
};
// Indices of the points to keep, in their final order: by response times sigma, of equals by y, x,
// sigma, angle; none where the mask is 0, no weaker copies of a point.
[[nodiscard]] std::vector<int> select(const std::vector<Keypoint>& points,
                                      const Selection& selection);

// Throws Error(usage) where a mask is there and not of the picture's size.
void check_mask(const char* function, ImageView<const std::uint8_t> mask, int width, int height);

}  // namespace bifocal::features
