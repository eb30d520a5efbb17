// SPDX-License-Identifier: BSD-3-Clause
// Camera models as the two stages of lens_terms.lane.h.
#pragma once

#include <span>

#include "adjust/lanes.hpp"
#include "scene/camera_models.hpp"

namespace bifocal::adjustment {

using scene::CameraModel;

// COLUMN_... of a parameter.
[[nodiscard]] int column_of(const CameraModel& model, int parameter);
// FIRST_... of a model.
[[nodiscard]] int first_of(const CameraModel& model);

// Writes the numbers CAMERA_FX to CAMERA_SLOTS - 1 of a record.
void write_camera(const CameraModel& model, std::span<const double> params, double* record);

// The lane of plain numbers that kernels make of a record.
[[nodiscard]] LensLanes::camera_lane camera_lane_of(const double* record);

}  // namespace bifocal::adjustment
