// SPDX-License-Identifier: BSD-3-Clause
// COLMAP's camera models: numbers, names and parameter counts; and construction of cameras.
#include <algorithm>

#include <bifocal/camera.hpp>

#include "collection/colmap/pair.hpp"
#include "scene/camera_models.hpp"

namespace bifocal::colmap {
namespace {

constexpr double kGuessedFocal = 1.2;  // times the longer side, COLMAP's default

}  // namespace

std::string_view model_name(int model) {
  const scene::CameraModel* const found = scene::camera_model(model);
  return found ? found->name : std::string_view();
}

int model_number(std::string_view name) {
  const scene::CameraModel* const found = scene::camera_model(name);
  return found ? found->number : -1;
}

int parameter_count(int model) {
  const scene::CameraModel* const found = scene::camera_model(model);
  return found ? found->parameter_count() : 0;
}

Camera camera_without_lens(std::string_view model, std::int64_t width, std::int64_t height,
                           std::optional<double> focal_length) {
  Camera camera{0, model_number(model), width, height, {}, focal_length.has_value()};
  const auto w = static_cast<double>(width), h = static_cast<double>(height);
  camera.params.assign(static_cast<std::size_t>(LensCamera::focal_lengths(model)),
                       focal_length.value_or(kGuessedFocal * std::max(w, h)));
  camera.params.insert(camera.params.end(), {(w - 1) / 2, (h - 1) / 2});
  camera.params.resize(static_cast<std::size_t>(parameter_count(camera.model)));
  return camera;
}

}  // namespace bifocal::colmap
