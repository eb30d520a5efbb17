// SPDX-License-Identifier: BSD-3-Clause
// The geometry of matched pairs by COLMAP's rules, as it enters the database.
#pragma once

#include <bifocal/colmap_verify.hpp>

namespace bifocal::collection {

// Of cameras, by number - 1, what decisions take.
class ViewCameras {
 public:
  explicit ViewCameras(std::span<const colmap::Camera> cameras);
  [[nodiscard]] const colmap::ViewCamera& operator[](colmap::Id id) const { return views_[id - 1]; }

 private:
  std::vector<colmap::ViewCamera> views_;
};

struct MatchedPairs {
  std::vector<std::int64_t> offsets = {0};  // pair k has [offsets[k], offsets[k + 1])
  std::vector<colmap::IndexPair> matches;
  std::vector<PointPair> points;                       // px, one a match
  std::vector<colmap::ViewCamera> cameras1, cameras2;  // one a pair
};
[[nodiscard]] std::vector<colmap::TwoViewGeometry> geometry_of(
    Queue& queue, const MatchedPairs& pairs, const colmap::VerifyOptions& options);

}  // namespace bifocal::collection
