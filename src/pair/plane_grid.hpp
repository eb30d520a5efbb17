// SPDX-License-Identifier: BSD-3-Clause
// Planes of the pixels in image 1, with the filters for slanted matches.
#pragma once

#include <bifocal/geometry.hpp>
#include <bifocal/image.hpp>

#include <span>

#include "stereo/slanted/slanted.hpp"

namespace bifocal::pair {

// Projects the point at inverse depth w of pixel (x, y) in view 1 to (u, v) in view 2. SeenPoint::w
// is its inverse depth in view 2.
struct SeenPoint {
  double u, v, w;
};
[[nodiscard]] SeenPoint seen_point(const Intrinsics& from, const Intrinsics& to, const Pose& pose,
                                   double x, double y, double w);

struct PlaneGrid {
  stereo::PlaneMap planes;
  ImageU8 known;  // 1 if the plane is accepted, else 0
  ImageF motion;  // px that the point moves in view 2 per unit of inverse depth

  // Returns the inverse depth of the plane of (x, y) at the offset (dx, dy) in px.
  [[nodiscard]] float value(int x, int y, int dx, int dy) const {
    return planes.w.at(x, y) + static_cast<float>(dx) * planes.wx.at(x, y) +
           static_cast<float>(dy) * planes.wy.at(x, y);
  }
};

// Sets grid.motion.
void set_motion(const Intrinsics& from, const Intrinsics& to, const Pose& pose, PlaneGrid& grid);

// Assigns the plane of its neighbours to an unknown pixel if most neighbours within 2 px are known
// and their planes agree to 1 px. Every round grows known regions by a pixel or two.
void fill_holes(int rounds, PlaneGrid& grid);

// A match at pixel (x, y) of image 1, with its inverse depth.
struct GridPoint {
  int x, y;
  float w;
};
struct SmallestRegion {
  int area;    // px
  int points;  // a smaller region of at least 60 px is kept if it contains this number of points
};
// Makes small connected regions unknown. Neighbours up to 3 px apart are connected if their planes
// agree to 1 px.
void remove_islands(std::span<const GridPoint> points, const SmallestRegion& smallest,
                    PlaneGrid& grid);

// Makes pixels near edges of depth unknown, because the patch of a pixel behind an edge correlates
// with the surface in front. A pixel lies near an edge if more than 5 % of the pixels at most
// 9 columns and rows away are known and differ from its plane by more than 2 % and 3 px.
void remove_edges(PlaneGrid& grid);

}  // namespace bifocal::pair
