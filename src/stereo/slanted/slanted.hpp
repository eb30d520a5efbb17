// SPDX-License-Identifier: BSD-3-Clause
// Estimates the depth of an unrectified pair with known pose: PatchMatch with slanted planes, on
// all devices.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/geometry.hpp>
#include <bifocal/image.hpp>

namespace bifocal::stereo {

// Plane of the scene at each pixel: inverse depth w, in the unit of 1 / t, and its slopes by x and
// y, per px. Maps are [height][width]; unknown values are NaN.
struct PlaneMap {
  ImageF w, wx, wy;
};

// A grey image of at most kMostSlantedPixels px, with its camera and with initial planes.
struct SlantedView {
  const ImageU8& grey;
  Intrinsics camera;
  const PlaneMap& seeds;
};
inline constexpr int kMostSlantedPixels = 4'000'000;

struct SlantedOptions {
  double farthest = 0, nearest = 1;  // range of inverse depths of random planes
};

struct SlantedPlanes {
  PlaneMap planes;  // at every pixel of view 1
  ImageF cost;      // 1 - correlation with view 2; 2: not visible there
  ImageF distance;  // px between a pixel and the point to which the planes of view 2 project
                    // it back
};

// Estimates the planes of both views independently and compares them. Planes start from the seeds
// and from random depths at a quarter of the size, and are upsampled to half and full size.
[[nodiscard]] SlantedPlanes match_slanted(Queue& queue, const SlantedView& view1,
                                          const SlantedView& view2, const Pose& cam2_from_cam1,
                                          const SlantedOptions& options);

}  // namespace bifocal::stereo
