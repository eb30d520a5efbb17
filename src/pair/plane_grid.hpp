// SPDX-License-Identifier: BSD-3-Clause
// Planes of the pixels of image 1, as the filters of slanted matches see them.
#pragma once

#include <bifocal/geometry.hpp>
#include <bifocal/image.hpp>

#include <span>

#include "stereo/slanted/slanted.hpp"

namespace bifocal::pair {

// The point at inverse depth w of pixel (x, y) of view 1 is seen at (u, v) of view 2, at inverse
// depth w there.
struct SeenPoint {
  double u, v, w;
};
[[nodiscard]] SeenPoint seen_point(const Intrinsics& from, const Intrinsics& to, const Pose& pose,
                                   double x, double y, double w);

struct PlaneGrid {
  stereo::PlaneMap planes;
  ImageU8 known;  // 1 if a plane is believed, else 0
  ImageF motion;  // px that the point moves in view 2 per unit of inverse depth

  // Inverse depth of the plane of (x, y), dx and dy px away.
  [[nodiscard]] float value(int x, int y, int dx, int dy) const {
    return planes.w.at(x, y) + static_cast<float>(dx) * planes.wx.at(x, y) +
           static_cast<float>(dy) * planes.wy.at(x, y);
  }
};

// Sets grid.motion.
void set_motion(const Intrinsics& from, const Intrinsics& to, const Pose& pose, PlaneGrid& grid);

// Gives a pixel the plane of its neighbours where most of those within 2 px are known and their
// planes agree to 1 px. Every round lets known regions grow by a pixel or two.
void fill_holes(int rounds, PlaneGrid& grid);

// A match of image 1 and its inverse depth.
struct GridPoint {
  int x, y;
  float w;
};
// Makes connected regions of less than `smallest` px unknown, unless a point lies on one of at
// least 60 px. Neighbours up to 3 px apart are connected if their planes agree to 1 px.
void remove_islands(std::span<const GridPoint> points, int smallest, PlaneGrid& grid);

}  // namespace bifocal::pair
