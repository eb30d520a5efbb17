// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "collection/collect/stages.hpp"
#include "collection/colmap/pair.hpp"

namespace bifocal::collection {
namespace {

// Returns the sharing key of a photograph: photographs with equal keys share a camera. An empty key
// means a camera for this photograph only.
std::string key_of(const PhotographInfo& info, const CollectCameras& options) {
  const std::string size = fmt::format("{}x{}", info.width, info.height);
  if (options.intrinsics || options.sharing == CameraSharing::single) return size;
  return options.sharing == CameraSharing::automatic ? info.camera : std::string();
}

colmap::Camera camera_of(const PhotographInfo& info, const CollectCameras& options) {
  if (const auto& K = options.intrinsics) {
    return {0,           colmap::model_number("PINHOLE"), info.width,
            info.height, {K->fx, K->fy, K->cx, K->cy},    true};
  }
  return colmap::camera_without_lens(options.model, info.width, info.height, info.focal_length);
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
