// SPDX-License-Identifier: BSD-3-Clause
#include "collection/collect/geometry.hpp"

#include "collection/colmap/pair.hpp"

namespace bifocal::collection {

ViewCameras::ViewCameras(std::span<const colmap::Camera> cameras) {
  for (const colmap::Camera& camera : cameras) {
    // Coefficients of its lens are 0 here: there is nothing to undistort.
    views_.push_back(colmap::view_camera(camera, colmap::Undistortion(camera)));
  }
}

std::vector<colmap::TwoViewGeometry> geometry_of(Queue& queue, const MatchedPairs& pairs,
                                                 const colmap::VerifyOptions& options) {
  std::vector<colmap::TwoViewGeometry> result(pairs.cameras1.size());
  if (result.empty()) return result;
  colmap::DecidedPairs decided = colmap::decide(
      queue, {pairs.points, {}, pairs.offsets, pairs.cameras1, pairs.cameras2}, options);
  for (std::size_t k = 0; k < result.size(); ++k) {
    colmap::DecidedPair& from = decided.pairs[k];
    result[k] = {from.configuration, {}, from.F, from.E, from.H, from.cam2_from_cam1};
    for (auto m = static_cast<std::size_t>(pairs.offsets[k]);
         m < static_cast<std::size_t>(pairs.offsets[k + 1]); ++m) {
      if (decided.inliers[m] != 0) result[k].inliers.push_back(pairs.matches[m]);
    }
  }
  return result;
}

}  // namespace bifocal::collection
