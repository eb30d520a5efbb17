// SPDX-License-Identifier: BSD-3-Clause
// Memory cache for the features of the first stage. Later stages need not read them from the
// database again. The capacity is limited.
#pragma once

#include <bifocal/features.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "collection/collect/work_database.hpp"

namespace bifocal::collection {

// Returns the keypoints of an image as the database returns them.
[[nodiscard]] std::vector<Keypoint> stored_keypoints(const ImageFeatures& rows);
// Returns the descriptors of an image, as the database returns them.
[[nodiscard]] std::span<const std::uint8_t> descriptors_of(const ImageFeatures& rows);

// Thread-safe.
class FeatureStore {
 public:
  explicit FeatureStore(std::int64_t bytes) : free_bytes_(bytes) {}

  // Keeps an image's features, rounded as the database returns them, if the capacity suffices.
  void add(int image, const ImageFeatures& rows);
  // Returns the features of an image from memory, or else from the database.
  [[nodiscard]] std::shared_ptr<const Features> get(int image, const WorkDatabase& work) const;

 private:
  mutable std::mutex mutex_;
  std::int64_t free_bytes_;
  std::map<int, std::shared_ptr<const Features>> features_;
};

}  // namespace bifocal::collection
