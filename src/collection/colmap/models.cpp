// SPDX-License-Identifier: BSD-3-Clause
// COLMAP's camera models: numbers, names and parameter counts; and construction of cameras.
#include <fmt/format.h>
#include <bifocal/camera.hpp>
#include <bifocal/error.hpp>

#include <algorithm>
#include <string>

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

LensCamera lens_camera_of(const ModelCamera& camera) {
  const std::string name(model_name(camera.model));
  try {
    return {name.empty() ? fmt::format("number {}", camera.model) : name, camera.params,
            camera.width, camera.height};
  } catch (const Error& e) {
    const std::string text = e.what(), own = "LensCamera: ";
    throw Error(e.code(), fmt::format("camera {}: {}", camera.id,
                                      text.starts_with(own) ? text.substr(own.size()) : text));
  }
}

ModelCamera camera_without_lens(std::string_view model, std::int64_t width, std::int64_t height,
                                std::optional<double> focal_length) {
  ModelCamera camera{0, model_number(model), width, height, {}, focal_length.has_value()};
  const auto w = static_cast<double>(width), h = static_cast<double>(height);
  camera.params.assign(static_cast<std::size_t>(LensCamera::focal_lengths(model)),
                       focal_length.value_or(kGuessedFocal * std::max(w, h)));
  camera.params.insert(camera.params.end(), {(w - 1) / 2, (h - 1) / 2});
  camera.params.resize(static_cast<std::size_t>(parameter_count(camera.model)));
  return camera;
}

}  // namespace bifocal::colmap
