// SPDX-License-Identifier: BSD-3-Clause
#include "adjust/observations.hpp"

#include <algorithm>

#include "adjust/layout.hpp"
#include "runtime/integers.hpp"
#include "runtime/uploaded.hpp"

namespace bifocal::adjustment {
namespace {

using runtime::uploaded;

DeviceRows uploaded_rows(Queue& queue, const Rows& rows) {
  return {.rows = uploaded(queue, rows.rows),
          .other = uploaded(queue, rows.other),
          .px = uploaded(queue, rows.px),
          .py = uploaded(queue, rows.py)};
}

std::vector<PointRecord> lanes_of(const Arrangement& arrangement, const std::vector<Vec3>& points,
                                  const LocalFrame& frame) {
  std::vector<PointRecord> lanes(arrangement.lane_point.size());
  for (std::size_t l = 0; l < arrangement.lane_point.size(); ++l)
    if (arrangement.lane_point[l] >= 0)
      lanes[l].X = frame.local(points[at(arrangement.lane_point[l])]);
  return lanes;
}

}  // namespace

DeviceObservations::DeviceObservations(Queue& queue, const Arrangement& arrangement,
                                       const std::vector<Vec3>& world_points,
                                       const LocalFrame& frame)
    : point_lanes(arrangement.by_point.lanes),
      chunk_lanes(arrangement.by_view.lanes),
      by_point(uploaded_rows(queue, arrangement.by_point)),
      by_view(uploaded_rows(queue, arrangement.by_view)),
      points(uploaded(queue, numbers_of(lanes_of(arrangement, world_points, frame)))),
      is_free(uploaded(queue, arrangement.is_free)),
      chunk_images(uploaded(queue, arrangement.chunk_images)),
      first_chunk(uploaded(queue, arrangement.first_chunk)),
      chunk_lane(uploaded(queue, arrangement.chunk_lane)) {}

}  // namespace bifocal::adjustment
