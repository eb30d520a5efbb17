// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <bifocal/adjust.hpp>

#include "scene/projection.hpp"

namespace bifocal::colmap::model {

// Reprojection errors in the images of a problem, with the projection of the adjuster. The problem
// must live as long.
class Reprojection {
 public:
  explicit Reprojection(const AdjustProblem& problem);
  // Distance of an observation from the projection of the point, px. NaN if the camera does not see
  // the point. AdjustObservation::point is not used.
  [[nodiscard]] double error(const AdjustObservation& o, const Vec3& point) const;

 private:
  const AdjustProblem& problem_;
  std::vector<scene::Projection> cameras_;
};

}  // namespace bifocal::colmap::model
