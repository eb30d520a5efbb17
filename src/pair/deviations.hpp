// SPDX-License-Identifier: BSD-3-Clause
// Standard deviations of the pose and the focal length of a pair: noise, correlated errors, and
// assumed cameras. The inliers are fitted again with each assumed quantity one deviation off.
#pragma once

#include <bifocal/two_photographs.hpp>
#include <bifocal/two_view.hpp>

#include <span>
#include <vector>

namespace bifocal::pair {

// Standard deviations of assumed intrinsics.
struct CameraDeviation {
  double focal_length = 0;     // as a fraction of it
  double aspect_ratio = 0;     // of fx / fy
  double principal_point = 0;  // px, of each coordinate
};
// Returns the deviations of given cameras, from EXIF or a calibration. `scale`: px of the
// undistorted image per px of the photograph.
[[nodiscard]] CameraDeviation given_deviation(const PairOptions& options,
                                              ImageView<const std::uint8_t> photograph,
                                              double scale);
// Returns the deviations of a camera that is not given: square pixels, principal point in the
// middle.
[[nodiscard]] CameraDeviation assumed_deviation(const PairOptions& options,
                                                ImageView<const std::uint8_t> photograph,
                                                double scale);
// Returns cameras with one independent quantity one standard deviation off. Principal points are
// moved to both sides, by two quantities of half the variance.
[[nodiscard]] std::vector<Intrinsics> deviating_cameras(const Intrinsics& camera,
                                                        const CameraDeviation& deviation);

// The inliers of a pose.
struct CalibratedPair {
  std::vector<PointPair> inliers;
  Intrinsics camera1, camera2;
  Pose pose;
};
// Returns the deviation of the pose of an essential matrix. Cameras that are equal are one camera.
[[nodiscard]] PoseDeviation pose_deviation(const CalibratedPair& pair,
                                           const CameraDeviation& deviation1,
                                           const CameraDeviation& deviation2);

// The focal length and the pose that matches determine together.
struct FocalDeviation {
  double px = 0;  // infinity if a refit has no focal length
  PoseDeviation pose;
};
// relative: deviation / focal length from independent noise. more: the inliers with another
// quantity one deviation off each, such as the distortion of the lens.
[[nodiscard]] FocalDeviation focal_deviation(const CalibratedPair& pair, double relative,
                                             const CameraDeviation& assumed,
                                             std::span<const std::vector<PointPair>> more);

}  // namespace bifocal::pair
