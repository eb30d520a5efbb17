// SPDX-License-Identifier: BSD-3-Clause
// Removes islands: small regions of depth that their surroundings do not continue.
#pragma once

#include <bifocal/two_photographs.hpp>

#include <span>

#include "pair/dense_cameras.hpp"

namespace bifocal::pair {

// Planes of the pixels in image 1.
struct PlaneGrid {
  ImageF w, wx, wy;  // inverse depth, in the unit of 1 / t, and its slopes by x and y, per px
  ImageU8 known;     // 1 if the pixel has a plane, else 0
  ImageF motion;     // px that the point moves in view 2 per unit of inverse depth

  // Returns the inverse depth of the plane of (x, y) at the offset (dx, dy) in px.
  [[nodiscard]] float value(int x, int y, int dx, int dy) const {
    return w.at(x, y) + static_cast<float>(dx) * wx.at(x, y) + static_cast<float>(dy) * wy.at(x, y);
  }
};

// A match at pixel (x, y) of image 1, with its inverse depth.
struct GridPoint {
  int x, y;
  float w;
};

// Makes connected regions of less than 400 px unknown, or of less than 60 px if a point lies on
// them. Neighbours up to 3 px apart are connected if their planes agree to 1 px.
void remove_islands(std::span<const GridPoint> points, PlaneGrid& grid);

// Makes islands of the matches at pixels of image 1 unknown: remove_islands() in images reduced to
// 1024 px, with the inliers as points. Requires an exact pose (no cameras.F).
void remove_islands(ImageView<const std::uint8_t> image1, ImageView<const std::uint8_t> image2,
                    const DenseCameras& cameras, DenseMatches& matches);

}  // namespace bifocal::pair
