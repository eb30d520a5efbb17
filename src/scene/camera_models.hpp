// SPDX-License-Identifier: BSD-3-Clause
// COLMAP's camera models: the table of bifocal/camera_models.def and its functions.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "scene/lens_model.hpp"

namespace bifocal::scene {

// Names separated by blanks.
class Names {
 public:
  constexpr explicit Names(std::string_view text) : text_(text) {}
  [[nodiscard]] constexpr int count() const {
    return text_.empty() ? 0 : 1 + static_cast<int>(std::ranges::count(text_, ' '));
  }
  [[nodiscard]] constexpr std::string_view operator[](int index) const {
    std::string_view rest = text_;
    for (; index > 0; --index) rest.remove_prefix(rest.find(' ') + 1);
    return rest.substr(0, rest.find(' '));
  }
  // Index of a name, or -1.
  [[nodiscard]] constexpr int index_of(std::string_view name) const {
    for (int i = 0; i < count(); ++i)
      if ((*this)[i] == name) return i;
    return -1;
  }

 private:
  std::string_view text_;
};

// Names of the coefficients in lens_model::k, for each LENS_...
#define LENS_KIND_NAMES_(NAME, name, coefficients) Names(coefficients),
inline constexpr Names kLensCoefficients[] = {LENS_KINDS(LENS_KIND_NAMES_)};
#undef LENS_KIND_NAMES_

struct CameraModel {
  std::string_view name;
  int number;                   // COLMAP's
  int kind;                     // LENS_..., or LENS_NONE if LensCamera lacks the model
  Names parameters;             // in COLMAP's order
  int focal_lengths;            // 1 or 2; 0 if LensCamera lacks the model
  std::array<int, 8> places{};  // index in lens_model::k of each coefficient

  [[nodiscard]] constexpr bool is_supported() const { return kind != LENS_NONE; }
  [[nodiscard]] constexpr int parameter_count() const { return parameters.count(); }
  // Indices of parameters: cx, followed by cy, or -1 without them; the first coefficient of the
  // lens.
  [[nodiscard]] constexpr int principal_point() const { return parameters.index_of("cx"); }
  [[nodiscard]] constexpr int first_coefficient() const { return focal_lengths + 2; }
  [[nodiscard]] constexpr int coefficient_count() const {
    return parameter_count() - first_coefficient();
  }
  // COLUMN_... of a parameter.
  [[nodiscard]] constexpr int column(int parameter) const {
    if (parameter < principal_point())
      return focal_lengths == 1 ? int{COLUMN_F} : COLUMN_FX + parameter;
    if (parameter < first_coefficient()) return COLUMN_CX + parameter - principal_point();
    return COLUMN_LENS + places.at(static_cast<std::size_t>(parameter - first_coefficient()));
  }
};

constexpr CameraModel camera_model_row(std::string_view name, int number, int kind,
                                       std::string_view parameters) {
  const Names names(parameters);
  CameraModel model{name, number, kind, names, 0};
  if (kind == LENS_NONE) return model;
  model.focal_lengths = names[0] == "f" ? 1 : 2;
  for (int i = 0; i < model.coefficient_count(); ++i) {
    const int place = kLensCoefficients[kind].index_of(names[model.first_coefficient() + i]);
    if (place < 0) throw "camera_models.def: the kind of lens has no coefficient of this name";
    model.places.at(static_cast<std::size_t>(i)) = place;
  }
  return model;
}

#define CAMERA_MODEL(name, number, kind, parameters) \
  camera_model_row(#name, number, LENS_##kind, parameters),
inline constexpr CameraModel kCameraModels[] = {
#include <bifocal/camera_models.def>
};

// Return null for a name or a number that COLMAP lacks.
constexpr const CameraModel* camera_model(std::string_view name) {
  for (const CameraModel& model : kCameraModels)
    if (model.name == name) return &model;
  return nullptr;
}
constexpr const CameraModel* camera_model(int number) {
  for (const CameraModel& model : kCameraModels)
    if (model.number == number) return &model;
  return nullptr;
}
// Returns null also for a model that LensCamera lacks.
constexpr const CameraModel* supported_model(std::string_view name) {
  const CameraModel* const model = camera_model(name);
  return model && model->is_supported() ? model : nullptr;
}

}  // namespace bifocal::scene
