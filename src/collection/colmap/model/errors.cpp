// SPDX-License-Identifier: BSD-3-Clause
// Reprojection errors of a problem, with the projection of the adjuster.
#include <cmath>
#include <limits>

#include <bifocal/colmap/bundle_adjust.hpp>

#include "adjust/camera_record.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::colmap {
namespace {

using adjustment::LensLanes;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kBlock = 4096;  // observations of a thread at a time

std::vector<LensLanes::camera_lane> lanes_of(const std::vector<AdjustCamera>& cameras) {
  std::vector<LensLanes::camera_lane> lanes;
  for (const AdjustCamera& camera : cameras) {
    double record[adjustment::CAMERA_SIZE];
    adjustment::write_camera(*scene::supported_model(camera.model), camera.params, record);
    lanes.push_back(adjustment::camera_lane_of(record));
  }
  return lanes;
}

double error_of(const AdjustObservation& o, const Pose& pose, const LensLanes::camera_lane& camera,
                const Vec3& point) {
  Vec3 X = times(pose.R, point);
  for (std::size_t k = 0; k < 3; ++k) X[k] += pose.t[k];
  LensLanes::lens_image seen;
  double derivative[6];
  LensLanes::lens_project(&camera, 1 << static_cast<int>(camera.kind),
                          (1 << adjustment::TERM_COUNT) - 1, X.data(), &seen, derivative);
  if (!seen.is_seen) return kNaN;
  return std::hypot(camera.fx * seen.x + camera.cx - o.x, camera.fy * seen.y + camera.cy - o.y);
}

}  // namespace

std::vector<double> reprojection_errors(const AdjustProblem& problem) {
  const std::vector<LensLanes::camera_lane> cameras = lanes_of(problem.cameras);
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
