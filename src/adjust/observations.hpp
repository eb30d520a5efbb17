// SPDX-License-Identifier: BSD-3-Clause
// Arranged observations and points on a device.
#pragma once

#include <bifocal/device.hpp>

#include <vector>

#include "adjust/arrangement.hpp"
#include "adjust/unknowns.hpp"

namespace bifocal::adjustment {

struct DeviceRows {
  Buffer<int> rows, other;
  Buffer<double> px, py;  // NaN: not used
};

struct DeviceObservations {
  // Points are given in the world's frame and kept in the local one.
  DeviceObservations(Queue& queue, const Arrangement& arrangement, const std::vector<Vec3>& points,
                     const LocalFrame& frame);

  int point_lanes, chunk_lanes;
  DeviceRows by_point, by_view;
  Buffer<double> points;  // a PointRecord per lane
  Buffer<double> is_free;
  Buffer<int> chunk_images, first_chunk, chunk_lane;
};

}  // namespace bifocal::adjustment
