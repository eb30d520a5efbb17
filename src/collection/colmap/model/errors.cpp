// SPDX-License-Identifier: BSD-3-Clause
// Reprojection errors of a problem, with the projection of the adjuster.
#include <cmath>

#include <bifocal/colmap/bundle_adjust.hpp>

#include "runtime/parallel.hpp"
#include "scene/projection.hpp"

namespace bifocal::colmap {
namespace {

constexpr std::size_t kBlock = 4096;  // observations of a thread at a time

double error_of(const AdjustObservation& o, const Pose& pose, const scene::Projection& camera,
                const Vec3& point) {
  Vec3 X = times(pose.R, point);
  for (std::size_t k = 0; k < 3; ++k) X[k] += pose.t[k];
  const Vec2 px = camera.px_of(X);
  return std::isnan(px[0]) ? px[0] : std::hypot(px[0] - o.x, px[1] - o.y);
}

}  // namespace

std::vector<double> reprojection_errors(const AdjustProblem& problem) {
  std::vector<scene::Projection> cameras;
  for (const AdjustCamera& camera : problem.cameras)
    cameras.emplace_back(*scene::supported_model(camera.model), camera.params);
  std::vector<double> errors(problem.observations.size());
  runtime::parallel_each(
      errors.size(),
      [&](std::size_t i) {
        const AdjustObservation& o = problem.observations[i];
        const AdjustImage& image = problem.images[static_cast<std::size_t>(o.image)];
        errors[i] =
            error_of(o, image.cam_from_world, cameras[static_cast<std::size_t>(image.camera)],
                     problem.points[static_cast<std::size_t>(o.point)]);
      },
      kBlock);
  return errors;
}

}  // namespace bifocal::colmap
