// SPDX-License-Identifier: BSD-3-Clause
// Marks of control points in the images of a model, and the points that they determine.
#pragma once

#include <bifocal/control.hpp>

#include <limits>
#include <vector>

#include "mapping/place/similarity.hpp"

namespace bifocal::mapping {

inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

[[nodiscard]] inline Vec3 deviations_of(const ControlPoint& point, const ControlOptions& options) {
  const double d = options.deviation;
  return point.deviations.value_or(Vec3{d, d, d});
}

// Place of the image of each mark in the model; -1: not in the model. Throws as
// check_control_points() for marks.
[[nodiscard]] std::vector<int> images_of_marks(const colmap::Model& model,
                                               const ControlPoints& control);

// Fills points and marks of the report by triangulation: use, marks, position, rms_px, agrees and
// error_px. Check points have the use `check`, all others `control`, if they are determined.
void triangulate(const colmap::Model& model, const ControlPoints& control,
                 const ControlOptions& options, const std::vector<int>& images,
                 ControlReport& report);

// Throws Error(input) for points that are far away from the origin.
void check_places(const ControlPoints& control, const TangentPlane& plane);

// Adds the similarity, the residuals and the doubts to a report with triangulated points and their
// final uses.
void complete(const ControlPoints& control, const ControlOptions& options,
              const Similarity& similarity, ControlReport& report);

}  // namespace bifocal::mapping
