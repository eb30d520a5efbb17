// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "verify/policies.hpp"

namespace bifocal::verify {

void ColmapModels::estimate(const MatchedPairs& pairs, std::vector<colmap::DecidedPair>& results,
                            std::vector<std::uint8_t>& inliers) {
  std::vector<colmap::ViewCamera> cameras1, cameras2;
  for (const std::size_t k : pairs.numbers) {
    cameras1.push_back(cameras1_[k]);
    cameras2.push_back(cameras2_[k]);
  }
  colmap::DecidedPairs decided = decider_.decide(
      {pairs.points, pairs.undistorted, pairs.offsets, cameras1, cameras2}, options_, min_matches_);
  results = std::move(decided.pairs);
  inliers = std::move(decided.inliers);
}

std::optional<MatchGuide> ColmapModels::guide(const ImagePair&,
                                              const colmap::DecidedPair& pair) const {
  using colmap::Configuration;
  if (!pair.F && !pair.H) return {};
  const bool is_plane = pair.H && (!pair.F || pair.configuration == Configuration::planar ||
                                   pair.configuration == Configuration::panoramic ||
                                   pair.configuration == Configuration::planar_or_panoramic);
  return MatchGuide{is_plane ? GuideKind::homography : GuideKind::epipolar,
                    is_plane ? *pair.H : *pair.F, options_.threshold};
}

}  // namespace bifocal::verify
