// SPDX-License-Identifier: BSD-3-Clause
// Points of matches without lens distortion.
#pragma once

#include <bifocal/camera.hpp>
#include <bifocal/matching.hpp>

#include <functional>
#include <span>
#include <vector>

#include "verify/points.hpp"

namespace bifocal::verify {

// Matches between images of a set. The matches of pair k begin at matches[begins[k]], and their
// points become [offsets[k], offsets[k + 1]).
struct PlacedMatches {
  const FeatureSet& set;
  const Memory<const Match>& matches;
  std::span<const ImagePair> images;
  std::span<const std::int64_t> begins, offsets;
};

// Keeps the undistorted positions of a set's features on its device. Each image is undistorted
// once, and the points of matches are gathered on the device.
class UndistortedPoints {
 public:
  using CameraOf = std::function<const LensCamera&(int image)>;

  explicit UndistortedPoints(Queue& queue) : queue_(queue) {}

  // Returns the points of the matches, in px of the cameras' pinholes. They are valid until
  // the next call.
  [[nodiscard]] Memory<const PointPair> of_matches(const PlacedMatches& placed,
                                                   const CameraOf& camera);

 private:
  void undistort(const FeatureSet& set, std::span<const int> images, const CameraOf& camera);

  Queue& queue_;
  Buffer<Vec2> positions_;  // in the order of FeatureSet::keypoints()
  std::vector<char> has_image_;
  Buffer<PointPair> points_;
};

}  // namespace bifocal::verify
