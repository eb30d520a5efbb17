// SPDX-License-Identifier: BSD-3-Clause
// Reprojection errors of a problem.
#include <cmath>
#include <limits>

#include <bifocal/camera.hpp>
#include <bifocal/colmap/bundle_adjust.hpp>

#include "runtime/parallel.hpp"

namespace bifocal::colmap {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kBlock = 4096;  // observations of a thread at a time

double error_of(const AdjustObservation& o, const Pose& pose, const LensCamera& camera,
                const Vec3& point) {
  const Vec3 moved = times(pose.R, point);
  const double z = moved[2] + pose.t[2];
  if (!(z > 0)) return kNaN;
  const Intrinsics& K = camera.pinhole();
  const Vec2 px = camera.distort(
      {K.fx * (moved[0] + pose.t[0]) / z + K.cx, K.fy * (moved[1] + pose.t[1]) / z + K.cy});
  return std::hypot(px[0] - o.x, px[1] - o.y);
}

}  // namespace

std::vector<double> reprojection_errors(const AdjustProblem& problem) {
  std::vector<LensCamera> cameras;
  for (const AdjustCamera& k : problem.cameras) cameras.emplace_back(k.model, k.params);
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
