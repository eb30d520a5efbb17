// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/colmap/verify.hpp>
#include <bifocal/error.hpp>
#include <bifocal/camera.hpp>

#include <string>

#include "collection/colmap/pair.hpp"

namespace bifocal::colmap {
namespace {

// Converts a COLMAP camera to a lens camera. Error messages name the camera.
LensCamera lens_camera_of(const Camera& camera) {
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

}  // namespace

Undistortion::Undistortion(const Camera& camera) : lens_(lens_camera_of(camera)) {}

ViewCamera view_camera(const Camera& camera, const Undistortion& lens) {
  constexpr int kSimplePinhole = 0, kPinhole = 1;
  const bool is_pinhole = camera.model == kSimplePinhole || camera.model == kPinhole;
  return {lens.pinhole(),
          camera.has_prior_focal_length,
          lens.is_fisheye(),
          camera.width,
          camera.height,
          is_pinhole && !camera.has_prior_focal_length ? std::int64_t{camera.id} : -1};
}

}  // namespace bifocal::colmap
