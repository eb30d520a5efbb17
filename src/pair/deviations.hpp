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
  double focal_length = 0;     // as a fraction of the focal length
  double aspect_ratio = 0;     // of fx / fy
  double principal_point = 0;  // px, of each coordinate
};
// Returns the deviations of given cameras, from EXIF or a calibration. scale: px of the undistorted
// image per px of the photograph.
[[nodiscard]] CameraDeviation given_deviation(const PairOptions& options,
                                              ImageView<const std::uint8_t> photograph,
                                              double scale);
// Returns the deviations of a camera that is not given: it is assumed to have square pixels and its
// principal point at the image centre.
[[nodiscard]] CameraDeviation assumed_deviation(const PairOptions& options,
                                                ImageView<const std::uint8_t> photograph,
                                                double scale);
// Returns cameras with one independent quantity one standard deviation off. Principal points are
// moved in both directions, by two quantities of half the variance.
[[nodiscard]] std::vector<Intrinsics> deviating_cameras(const Intrinsics& camera,
                                                        const CameraDeviation& deviation);

// A calibrated pair with the inliers of its pose.
struct CalibratedInliers {
  std::vector<PointPair> inliers;
  Intrinsics camera1, camera2;
  Pose pose;
};
// Returns the deviation of the pose of an essential matrix. Equal cameras count as one camera.
[[nodiscard]] PoseDeviation pose_deviation(const CalibratedInliers& pair,
                                           const CameraDeviation& deviation1,
                                           const CameraDeviation& deviation2);

// Deviation of the focal length and the pose that matches determine together.
struct FocalDeviation {
  double px = 0;  // infinity if a refit has no focal length
  PoseDeviation pose;
};
// Returns the deviation of the focal length and the pose. relative: deviation / focal length from
// independent noise. more: the inliers with one further quantity each, such as the lens distortion,
// one deviation off.
[[nodiscard]] FocalDeviation focal_deviation(const CalibratedInliers& pair, double relative,
                                             const CameraDeviation& assumed,
                                             std::span<const std::vector<PointPair>> more);

}  // namespace bifocal::pair
