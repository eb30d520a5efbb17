// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/two_photographs.hpp>

#include <optional>
#include <string>
#include <vector>

#include "pair/self_calibration.hpp"

namespace bifocal::pair {

// The cameras and the motion that depth is made with.
struct DenseCameras {
  Intrinsics camera1, camera2;
  Pose pose;
  CameraSource source = CameraSource::given;
  double focal_deviation = 0;      // px, where the focal length is estimated
  double median_parallax_deg = 0;  // of the matches
  std::optional<Mat3> F;           // px, where the pose does not hold it exactly
  std::vector<PointPair> matches;  // the inliers
};

// Finds them for a pair with an essential or a fundamental matrix: those that are given, or whose
// focal length was estimated; else a usual one is assumed, 1.2 times the longer side.
[[nodiscard]] DenseCameras dense_cameras(const PinholePair& pair, const PairOptions& options,
                                         const PairResult& result);

}  // namespace bifocal::pair
