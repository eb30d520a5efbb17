// SPDX-License-Identifier: BSD-3-Clause
// Camera models as the two stages of lens_terms.lane.h.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "adjust/lanes.hpp"

namespace bifocal::adjustment {

struct CameraModel {
  const char* name;
  int first;                        // FIRST_...
  int focal_lengths, coefficients;  // numbers of parameters
  std::array<int, 8> columns = {};  // COLUMN_... of each coefficient

  [[nodiscard]] int parameters() const { return focal_lengths + 2 + coefficients; }
  // COLUMN_... of a parameter.
  [[nodiscard]] int column(int parameter) const;
};

// Returns null for a name that LensCamera lacks.
[[nodiscard]] const CameraModel* camera_model(std::string_view name);

// Writes the numbers CAMERA_FX to CAMERA_SLOTS - 1 of a record.
void write_camera(const CameraModel& model, std::span<const double> params, double* record);

// The lane of plain numbers that kernels make of a record.
[[nodiscard]] LensLanes::camera_lane camera_lane_of(const double* record);

}  // namespace bifocal::adjustment
