// SPDX-License-Identifier: BSD-3-Clause
#include "collection/collect/feature_store.hpp"

#include "collection/colmap/pair.hpp"

namespace bifocal::collection {

std::vector<Keypoint> stored_keypoints(const ImageFeatures& rows) {
  std::vector<Keypoint> keypoints = features_of(rows.keypoints, {}).keypoints;
  for (Keypoint& k : keypoints) k = colmap::as_stored(k);
  return keypoints;
}

std::span<const std::uint8_t> descriptors_of(const ImageFeatures& rows) {
  return rows.descriptors ? rows.descriptors->data : rows.own_descriptors;
}

void FeatureStore::add(int image, const ImageFeatures& rows) {
  const auto bytes =
      static_cast<std::int64_t>(rows.keypoints.size() * (sizeof(Keypoint) + kDescriptorBytes));
  {
    const std::lock_guard lock(mutex_);
    if (bytes > free_bytes_) return;
    free_bytes_ -= bytes;
  }
  const auto descriptors = descriptors_of(rows);
  auto features = std::make_shared<Features>(
      Features{stored_keypoints(rows), {descriptors.begin(), descriptors.end()}, {}});
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
