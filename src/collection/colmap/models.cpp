// SPDX-License-Identifier: BSD-3-Clause
// COLMAP's camera models: numbers, names and parameter counts; and construction of cameras.
#include <algorithm>
#include <iterator>

#include <bifocal/camera.hpp>

#include "collection/colmap/pair.hpp"

namespace bifocal::colmap {
namespace {

constexpr double kGuessedFocal = 1.2;  // times the longer side, COLMAP's default

constexpr std::string_view kModels[] = {"SIMPLE_PINHOLE",
                                        "PINHOLE",
                                        "SIMPLE_RADIAL",
                                        "RADIAL",
                                        "OPENCV",
                                        "OPENCV_FISHEYE",
                                        "FULL_OPENCV",
                                        "FOV",
                                        "SIMPLE_RADIAL_FISHEYE",
                                        "RADIAL_FISHEYE",
                                        "THIN_PRISM_FISHEYE",
                                        "RAD_TAN_THIN_PRISM_FISHEYE",
                                        "SIMPLE_DIVISION",
                                        "DIVISION",
                                        "SIMPLE_FISHEYE",
                                        "FISHEYE",
                                        "EUCM",
                                        "EQUIRECTANGULAR"};

}  // namespace

std::string_view model_name(int model) {
  const bool is_known = model >= 0 && model < static_cast<int>(std::size(kModels));
  return is_known ? kModels[model] : std::string_view();
}

int model_number(std::string_view name) {
  const auto* const found = std::find(std::begin(kModels), std::end(kModels), name);
  return found == std::end(kModels) ? -1 : static_cast<int>(found - kModels);
}

int parameter_count(int model) {
  const std::string_view name = model_name(model);
  // LensCamera supports all models except these two.
  if (name == "RAD_TAN_THIN_PRISM_FISHEYE") return 16;
  return name == "EQUIRECTANGULAR" ? 2 : LensCamera::parameter_count(name);
}

Camera camera_without_lens(std::string_view model, std::int64_t width, std::int64_t height,
                           std::optional<double> focal_length) {
  Camera camera{0, model_number(model), width, height, {}, focal_length.has_value()};
  const auto w = static_cast<double>(width), h = static_cast<double>(height);
  camera.params.assign(static_cast<std::size_t>(LensCamera::focal_lengths(model)),
                       focal_length.value_or(kGuessedFocal * std::max(w, h)));
  camera.params.insert(camera.params.end(), {w / 2, h / 2});
  camera.params.resize(static_cast<std::size_t>(parameter_count(camera.model)));
  return camera;
}

}  // namespace bifocal::colmap
