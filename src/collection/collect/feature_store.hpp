// SPDX-License-Identifier: BSD-3-Clause
// Features that the first stage has found, kept in memory for the later ones as far as there is
// room: they need not be read from the database again.
#pragma once

#include <bifocal/features.hpp>

#include <map>
#include <memory>
#include <mutex>

#include "collection/collect/work_database.hpp"

namespace bifocal::collection {

// Any thread may add and ask.
class FeatureStore {
 public:
  explicit FeatureStore(std::int64_t bytes) : free_bytes_(bytes) {}

  // Keeps an image's features as the database gives them back, where they fit.
  void add(int image, const ImageFeatures& rows);
  // Returns them, from the database where they are not kept.
  [[nodiscard]] std::shared_ptr<const Features> get(int image, const WorkDatabase& work) const;

 private:
  mutable std::mutex mutex_;
  std::int64_t free_bytes_;
  std::map<int, std::shared_ptr<const Features>> features_;
};

}  // namespace bifocal::collection
