// SPDX-License-Identifier: BSD-3-Clause
// The features of two pictures, their matches and the points of these in the memory of one device,
// where matching, filtering and estimation find them.
#pragma once

#include <bifocal/matching.hpp>
#include <bifocal/two_photographs.hpp>

#include <span>
#include <vector>

namespace bifocal::pair {

class ResidentPair {
 public:
  explicit ResidentPair(const PairOptions& options);

  // Copies both pictures to the device and finds their features, side by side.
  void detect(ImageView<const std::uint8_t> image1, ImageView<const std::uint8_t> image2);
  // Matches them along a guide, where it is not null. Of matches between the same two places one
  // stays.
  void match(const MatchGuide* guide);
  // Finds a model of the matches. Calls from several threads work side by side.
  [[nodiscard]] EstimateResult estimate(ModelKind kind, std::span<const Intrinsics> cameras) const;

  // These copy to the host.
  [[nodiscard]] std::vector<Keypoint> keypoints(int image);
  void download(std::vector<Match>& matches, std::vector<PointPair>& points);

 private:
  const PairOptions& options_;
  Queue queue_;
  FeatureSet features_;  // images 0 and 1
  DeviceMatches found_;
};

}  // namespace bifocal::pair
