// SPDX-License-Identifier: BSD-3-Clause
// Self-calibration: the distortion and the focal length of the camera of both images, from their
// matches, if they were not given.
#pragma once

#include <bifocal/two_photographs.hpp>

#include <vector>

#include "pair/photograph.hpp"

namespace bifocal::pair {

// Pinholes see the pair so: in the photographs, or in those without their lens.
struct PinholePair {
  Photograph image1, image2;
  ImageView<const std::uint8_t> inside;  // 255: both images have this pixel; empty: all do
  double scale = 1;                      // px near the middle, by px of the photographs
  std::vector<PointPair> inliers;        // px of image1 and image2
  Mat3 F{};                              // of a pair with a fundamental matrix, likewise
  Intrinsics usual1, usual2;             // assumed if not given or estimated
};
[[nodiscard]] PinholePair pinhole_pair(const Photograph& image1, const Photograph& image2,
                                       const PairResult& result);

// Returns a pinhole with square pixels whose principal point is the middle of the picture.
[[nodiscard]] Intrinsics camera_of(ImageView<const std::uint8_t> image, double focal_length);

// Sets the pose and the scene points of the inliers; `reason` says where the direction of t is not
// certain. focal_length: px of the points that the pose was found from.
void set_pose(RelativePoseResult found, double focal_length, PairResult& result);

// Pairs with depth whose pictures have one size and no camera: where F with the distortion of a
// lens explains the matches better than F alone, it becomes the model of `result`, with undistorted
// images. The same is done where the cameras' lens is unknown, and E of the undistorted images is
// the model, if it explains at least as many matches. fundamental: F, next to E.
void estimate_lens(Queue& queue, const Photograph& image1, const Photograph& image2,
                   const EstimateResult& fundamental, const PairOptions& options,
                   PairResult& result);

// Such pairs without a camera get the focal length and the pose, with their deviations, if the
// matches determine them.
void estimate_focal_length(Queue& queue, const Photograph& image1, const Photograph& image2,
                           const PairOptions& options, PairResult& result);

// Sets the deviation of the pose of an essential matrix.
void add_pose_deviation(const Photograph& image1, const Photograph& image2,
                        const PairOptions& options, PairResult& result);

}  // namespace bifocal::pair
