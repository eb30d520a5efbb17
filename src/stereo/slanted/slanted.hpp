// SPDX-License-Identifier: BSD-3-Clause
// Depth of an unrectified pair from its pose: PatchMatch with slanted planes, on all devices.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/geometry.hpp>
#include <bifocal/image.hpp>

namespace bifocal::stereo {

// A plane of the scene for each pixel: inverse depth w, in the unit of 1 / t, and its slopes by x
// and y, per px. [height][width]; unknown NaN.
struct PlaneMap {
  ImageF w, wx, wy;
};

// A grey image of at most kMostSlantedPixels px with its camera and the planes to start from.
struct SlantedView {
  const ImageU8& grey;
  Intrinsics camera;
  const PlaneMap& seeds;
};
inline constexpr int kMostSlantedPixels = 4'000'000;

struct SlantedOptions {
  double farthest = 0, nearest = 1;  // range of inverse depth of random planes
};

struct SlantedPlanes {
  PlaneMap planes;  // of every pixel of view 1
  ImageF cost;      // 1 - correlation with view 2; 2: not seen there
  ImageF distance;  // px between the pixel and where the planes of view 2 bring it back to
};

// Finds the planes of both views, independently of each other, and compares them. Planes start from
// the seeds and from random depths at a quarter of the size, and are raised to half and full size.
[[nodiscard]] SlantedPlanes match_slanted(Queue& queue, const SlantedView& view1,
                                          const SlantedView& view2, const Pose& cam2_from_cam1,
                                          const SlantedOptions& options);

}  // namespace bifocal::stereo
