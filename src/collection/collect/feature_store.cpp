// SPDX-License-Identifier: BSD-3-Clause
#include "collection/collect/feature_store.hpp"

#include "collection/colmap/pair.hpp"

namespace bifocal::collection {

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
  for (Keypoint& k : features->keypoints) k = colmap::as_stored(k);
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
