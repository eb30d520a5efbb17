// SPDX-License-Identifier: BSD-3-Clause
// Selects the points of a detector that are kept, and puts them in order.
#pragma once

#include <bifocal/features.hpp>

#include <vector>

namespace bifocal::features {

// Cells of a grid over an image, `balance` cells along its longer side; balance 0: no cells.
struct Grid {
  int width, height, side, columns, rows;  // px, px, px of a cell, cells
  Grid(int width, int height, int balance);
  [[nodiscard]] int cells() const { return columns * rows; }
  [[nodiscard]] int cell_of(const Keypoint& point) const;
};

// Criteria of a selection in an image of width x height px.
struct Selection {
  int width, height;
  int max_features;  // 0: all
  int balance;       // SiftOptions::balance
  ImageView<const std::uint8_t> mask;
};
// Returns the indices of the points to keep, in their final order: by response times sigma, then by
// y, x, sigma and angle. Drops points where the mask is 0, and weaker copies of a point.
[[nodiscard]] std::vector<int> select(const std::vector<Keypoint>& points,
                                      const Selection& selection);

// Throws Error(usage) if a mask is given that does not have the size of the image.
void check_mask(const char* function, ImageView<const std::uint8_t> mask, int width, int height);

}  // namespace bifocal::features
