// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <bifocal/colmap/bundle_adjust.hpp>

#include "collection/colmap/model/reprojection.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::colmap {
namespace {

constexpr std::size_t kBlock = 4096;  // observations of a thread at a time

}  // namespace

model::Reprojection::Reprojection(const AdjustProblem& problem) : problem_(problem) {
  for (const AdjustCamera& camera : problem.cameras)
    cameras_.emplace_back(*scene::supported_model(camera.model), camera.params);
}

double model::Reprojection::error(const AdjustObservation& o, const Vec3& point) const {
  const AdjustImage& image = problem_.images[static_cast<std::size_t>(o.image)];
  const Pose& pose = image.cam_from_world;
  Vec3 X = times(pose.R, point);
  for (std::size_t k = 0; k < 3; ++k) X[k] += pose.t[k];
  const Vec2 px = cameras_[static_cast<std::size_t>(image.camera)].px_of(X);
  return std::isnan(px[0]) ? px[0] : std::hypot(px[0] - o.x, px[1] - o.y);
}

std::vector<double> reprojection_errors(const AdjustProblem& problem) {
  const model::Reprojection reprojection(problem);
  std::vector<double> errors(problem.observations.size());
  runtime::parallel_each(
      errors.size(),
      [&](std::size_t i) {
        const AdjustObservation& o = problem.observations[i];
        errors[i] = reprojection.error(o, problem.points[static_cast<std::size_t>(o.point)]);
      },
      kBlock);
  return errors;
}

}  // namespace bifocal::colmap
