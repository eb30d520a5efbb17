// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "collection/collect/stages.hpp"

namespace bifocal::collection {
namespace {

constexpr double kGuessedFocal = 1.2;  // times the longer side, as COLMAP guesses

// Photographs with the same key share a camera; an empty one is shared with none.
std::string key_of(const PhotographInfo& info, const CollectCameras& options) {
  const std::string size = fmt::format("{}x{}", info.width, info.height);
  if (options.intrinsics || options.sharing == CameraSharing::single) return size;
  return options.sharing == CameraSharing::automatic ? info.camera : std::string();
}

bool has_one_focal(std::string_view model) {
  return model.starts_with("SIMPLE_") || model.starts_with("RADIAL");
}

colmap::Camera camera_of(const PhotographInfo& info, const CollectCameras& options) {
  colmap::Camera camera;
  camera.width = info.width, camera.height = info.height;
  // COLMAP's origin is half a pixel up and left of ours.
  if (const auto& K = options.intrinsics) {
    camera.model = colmap::model_number("PINHOLE");
    camera.params = {K->fx, K->fy, K->cx + 0.5, K->cy + 0.5};
    camera.has_prior_focal_length = true;
    return camera;
  }
  const double focal =
      info.focal_length.value_or(kGuessedFocal * std::max(info.width, info.height));
  camera.model = colmap::model_number(options.model);
  camera.has_prior_focal_length = info.focal_length.has_value();
  camera.params.assign(static_cast<std::size_t>(colmap::parameter_count(camera.model)), 0.0);
  const std::size_t focals = has_one_focal(options.model) ? 1 : 2;
  std::fill_n(camera.params.begin(), focals, focal);
  camera.params[focals] = info.width / 2.0;
  camera.params[focals + 1] = info.height / 2.0;
  return camera;
}

}  // namespace

colmap::Id CameraBook::of(const PhotographInfo& info) {
  const std::string key = key_of(info, options_);
  colmap::Id own = 0;
  colmap::Id& id = key.empty() ? own : shared_[key];
  if (id == 0) {
    cameras_.push_back(camera_of(info, options_));
    id = cameras_.back().id = static_cast<colmap::Id>(cameras_.size());
  }
  return id;
}

}  // namespace bifocal::collection
