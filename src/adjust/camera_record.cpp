// SPDX-License-Identifier: BSD-3-Clause
#include "adjust/camera_record.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace bifocal::adjustment {
namespace {

constexpr int kTerms = COLUMN_TERMS;
constexpr int kN1 = kTerms + TERM_N1, kN2 = kN1 + 1, kN3 = kN1 + 2, kN4 = kN1 + 3;
constexpr int kD1 = kTerms + TERM_D1, kD2 = kD1 + 1, kD3 = kD1 + 2;
constexpr int kP1 = kTerms + TERM_P1, kP2 = kTerms + TERM_P2;
constexpr int kSx = kTerms + TERM_SX, kSy = kTerms + TERM_SY;

// COLUMN_... of the coefficients of each LENS_..., and FIRST_....
struct Stages {
  int first;
  std::array<int, 8> columns;
};
constexpr Stages kStages[scene::LENS_COUNT] = {
    {FIRST_NONE, {}},
    {FIRST_NONE, {kN1, kN2, kP1, kP2, kN3, kD1, kD2, kD3}},
    {FIRST_ARCTANGENT, {kN1, kN2, kN3, kN4, kP1, kP2, kSx, kSy}},
    {FIRST_FOV, {COLUMN_FIRST}},
    {FIRST_DIVISION, {COLUMN_FIRST}},
    {FIRST_EUCM, {COLUMN_FIRST, COLUMN_FIRST + 1}},
};

}  // namespace

int column_of(const CameraModel& model, int parameter) {
  if (parameter < model.principal_point())
    return model.focal_lengths == 1 ? COLUMN_F : COLUMN_FX + parameter;
  const int coefficient = parameter - model.first_coefficient();
  if (coefficient < 0) return COLUMN_CX + parameter - model.principal_point();
  const int place = model.places.at(static_cast<std::size_t>(coefficient));
  return kStages[model.kind].columns.at(static_cast<std::size_t>(place));
}

int first_of(const CameraModel& model) { return kStages[model.kind].first; }

void write_camera(const CameraModel& model, std::span<const double> params, double* record) {
  std::fill(record, record + CAMERA_SLOTS, 0.0);
  record[CAMERA_KIND] = first_of(model);
  for (int i = 0; i < model.parameter_count(); ++i) {
    const double value = params[static_cast<std::size_t>(i)];
    const int column = column_of(model, i);
    if (column == COLUMN_F) {
      record[CAMERA_FX] = record[CAMERA_FY] = value;
    } else if (column < COLUMN_FIRST) {
      record[CAMERA_FX + column - COLUMN_FX] = value;
    } else if (column < COLUMN_TERMS) {
      record[CAMERA_FIRST + column - COLUMN_FIRST] = value;
    } else {
      record[CAMERA_TERMS + column - COLUMN_TERMS] = value;
    }
  }
  if (first_of(model) != FIRST_FOV) return;
  const double tangent = std::tan(record[CAMERA_FIRST] / 2);
  record[CAMERA_FIRST + 2] = 2 * tangent;
  record[CAMERA_FIRST + 3] = 1 + tangent * tangent;
}

LensLanes::camera_lane camera_lane_of(const double* record) {
  LensLanes::camera_lane camera{.fx = record[CAMERA_FX],
                                .fy = record[CAMERA_FY],
                                .cx = record[CAMERA_CX],
                                .cy = record[CAMERA_CY],
                                .kind = record[CAMERA_KIND],
                                .first = {},
                                .terms = {}};
  std::copy_n(record + CAMERA_FIRST, 4, camera.first);
  std::copy_n(record + CAMERA_TERMS, int{TERM_COUNT}, camera.terms);
  return camera;
}

}  // namespace bifocal::adjustment
