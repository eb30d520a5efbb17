// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/two_photographs.hpp>

#include <optional>
#include <string>
#include <vector>

#include "pair/self_calibration.hpp"

namespace bifocal::pair {

// Cameras and motion that determine depth.
struct DenseCameras {
  Intrinsics camera1, camera2;
  Pose pose;
  CameraSource source = CameraSource::given;
  double focal_deviation = 0;      // px, if the focal length is estimated
  double median_parallax_deg = 0;  // of the matches
  std::optional<Mat3> F;           // px, if the pose does not represent it exactly
  std::vector<PointPair> matches;  // the inliers
};

// Returns the cameras for a pair with an essential or a fundamental matrix: given cameras, or
// cameras with the estimated focal length; otherwise the usual focal length of 1.2 times the longer
// side is assumed.
[[nodiscard]] DenseCameras dense_cameras(const PinholePair& pair, const PairOptions& options,
                                         const PairResult& result);

}  // namespace bifocal::pair
