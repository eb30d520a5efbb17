// SPDX-License-Identifier: BSD-3-Clause
#include "collection/collect/feature_store.hpp"

#include <algorithm>

#include "scene/pixel.hpp"

namespace bifocal::collection {
namespace {

// Rounds a keypoint as a round trip through the database does: the file stores float coordinates
// relative to the corner of the first pixel.
void round_as_stored(Keypoint& k) {
  scene::to_colmap(k.x, k.y);
  scene::from_colmap(k.x, k.y);
}

}  // namespace

void FeatureStore::add(int image, const ImageFeatures& rows) {
  const auto bytes =
      static_cast<std::int64_t>(rows.keypoints.size() * (sizeof(Keypoint) + kDescriptorBytes));
  {
    const std::lock_guard lock(mutex_);
    if (bytes > free_bytes_) return;
    free_bytes_ -= bytes;
  }
  auto features = std::make_shared<Features>(features_of(
      rows.keypoints, rows.descriptors ? rows.descriptors->data : rows.own_descriptors));
  std::ranges::for_each(features->keypoints, round_as_stored);
  const std::lock_guard lock(mutex_);
  features_[image] = std::move(features);
}

std::shared_ptr<const Features> FeatureStore::get(int image, const WorkDatabase& work) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto kept = features_.find(image); kept != features_.end()) return kept->second;
  }
  return std::make_shared<const Features>(work.features(image));
}

}  // namespace bifocal::collection
