// SPDX-License-Identifier: BSD-3-Clause
#include "adjust/camera_record.hpp"

#include <algorithm>
#include <cmath>

namespace bifocal::adjustment {
namespace {

constexpr int kTerms = COLUMN_TERMS;
constexpr int kN1 = kTerms + TERM_N1, kN2 = kN1 + 1, kN3 = kN1 + 2, kN4 = kN1 + 3;
constexpr int kD1 = kTerms + TERM_D1, kD2 = kD1 + 1, kD3 = kD1 + 2;
constexpr int kP1 = kTerms + TERM_P1, kP2 = kTerms + TERM_P2;
constexpr int kSx = kTerms + TERM_SX, kSy = kTerms + TERM_SY;

const CameraModel kModels[] = {
    {"SIMPLE_PINHOLE", FIRST_NONE, 1, 0},
    {"PINHOLE", FIRST_NONE, 2, 0},
    {"SIMPLE_RADIAL", FIRST_NONE, 1, 1, {kN1}},
    {"RADIAL", FIRST_NONE, 1, 2, {kN1, kN2}},
    {"OPENCV", FIRST_NONE, 2, 4, {kN1, kN2, kP1, kP2}},
    {"FULL_OPENCV", FIRST_NONE, 2, 8, {kN1, kN2, kP1, kP2, kN3, kD1, kD2, kD3}},
    {"SIMPLE_FISHEYE", FIRST_ARCTANGENT, 1, 0},
    {"FISHEYE", FIRST_ARCTANGENT, 2, 0},
    {"SIMPLE_RADIAL_FISHEYE", FIRST_ARCTANGENT, 1, 1, {kN1}},
    {"RADIAL_FISHEYE", FIRST_ARCTANGENT, 1, 2, {kN1, kN2}},
    {"OPENCV_FISHEYE", FIRST_ARCTANGENT, 2, 4, {kN1, kN2, kN3, kN4}},
    {"THIN_PRISM_FISHEYE", FIRST_ARCTANGENT, 2, 8, {kN1, kN2, kP1, kP2, kN3, kN4, kSx, kSy}},
    {"FOV", FIRST_FOV, 2, 1, {COLUMN_FIRST}},
    {"SIMPLE_DIVISION", FIRST_DIVISION, 1, 1, {COLUMN_FIRST}},
    {"DIVISION", FIRST_DIVISION, 2, 1, {COLUMN_FIRST}},
    {"EUCM", FIRST_EUCM, 2, 2, {COLUMN_FIRST, COLUMN_FIRST + 1}},
};

}  // namespace

int CameraModel::column(int parameter) const {
  const int behind_focal = parameter - focal_lengths;
  if (behind_focal < 0) return focal_lengths == 1 ? COLUMN_F : COLUMN_FX + parameter;
  if (behind_focal < 2) return COLUMN_CX + behind_focal;
  return columns.at(static_cast<std::size_t>(behind_focal - 2));
}

const CameraModel* camera_model(std::string_view name) {
  const auto* const found =
      std::ranges::find_if(kModels, [&](const CameraModel& model) { return name == model.name; });
  return found == std::end(kModels) ? nullptr : found;
}

void write_camera(const CameraModel& model, std::span<const double> params, double* record) {
  std::fill(record, record + CAMERA_SLOTS, 0.0);
  record[CAMERA_KIND] = model.first;
  for (int i = 0; i < model.parameters(); ++i) {
    const double value = params[static_cast<std::size_t>(i)];
    const int column = model.column(i);
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
  if (model.first != FIRST_FOV) return;
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
