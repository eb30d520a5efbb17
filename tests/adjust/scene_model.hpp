// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>
#include <bifocal/adjust.hpp>
#include <bifocal/colmap/model.hpp>

namespace bifocal::test {

// Returns a scene as a model. Numbers of cameras, images and points are one more than in the
// problem.
inline colmap::Model model_of(const AdjustProblem& problem) {
  using colmap::Id;
  colmap::Model model;
  for (const AdjustCamera& k : problem.cameras) {
    model.cameras.push_back(
        {Id(model.cameras.size() + 1), colmap::model_number(k.model), 1000, 800, k.params});
  }
  for (const AdjustImage& image : problem.images) {
    const Id id = Id(model.images.size() + 1);
    model.images.push_back({id, fmt::format("image {}.jpg", id), Id(image.camera + 1),
                            colmap::model_pose(image.cam_from_world)});
  }
  for (const Vec3& xyz : problem.points) model.points.push_back({model.points.size() + 1, xyz});
  for (const AdjustObservation& o : problem.observations) {
    auto& seen = model.images[std::size_t(o.image)].observations;
    auto& point = model.points[std::size_t(o.point)];
    point.track.push_back({Id(o.image + 1), std::uint32_t(seen.size())});
    seen.push_back({o.x, o.y, point.id});
  }
  return model;
}

}  // namespace bifocal::test
