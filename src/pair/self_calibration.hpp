// SPDX-License-Identifier: BSD-3-Clause
// Self-calibration: estimates the distortion and the focal length of the camera of both images from
// their matches, if they were not given.
#pragma once

#include <bifocal/two_photographs.hpp>

#include <vector>

#include "pair/photograph.hpp"

namespace bifocal::pair {

// A pair as seen by pinhole cameras: the photographs, or the undistorted images.
struct PinholePair {
  Photograph image1, image2;
  ImageView<const std::uint8_t> inside;  // 255: both images have this pixel; empty: all do
  double scale = 1;                      // px near the image centre per px of the photographs
  std::vector<PointPair> inliers;        // px of image1 and image2
  Mat3 F{};                              // px; for a pair with a fundamental matrix
  Intrinsics usual1, usual2;             // assumed if not given or estimated
};
[[nodiscard]] PinholePair pinhole_pair(const Photograph& image1, const Photograph& image2,
                                       const PairResult& result);
// Undistorts the grey values of photographs of 16 bits, if the pair has undistorted images.
void add_deep(Queue& queue, const Photograph& image1, const Photograph& image2,
              const PairResult& result, PinholePair& pair);

// Returns a pinhole camera with square pixels and its principal point at the image centre.
[[nodiscard]] Intrinsics camera_of(ImageView<const std::uint8_t> image, double focal_length);

// Sets the pose and the scene points of the inliers; `reason` mentions an uncertain direction of t.
// focal_length: in px of the points that the pose was estimated from.
void set_pose(RelativePoseResult found, double focal_length, PairResult& result);

// Estimates the lens distortion of pairs with depth whose images have the same size. Without
// cameras, F with the distortion of a lens becomes the model of `result`, with undistorted images,
// if it explains the matches better than F alone. With two given cameras of equal fx and unknown
// lens distortion, E of the undistorted images becomes the model if it explains at least as many
// matches. fundamental: F, estimated in addition to E. points: result.points in memory of the
// queue's device.
void estimate_lens(Queue& queue, const Photograph& image1, const Photograph& image2,
                   const EstimateResult& fundamental, const Memory<const PointPair>& points,
                   const PairOptions& options, PairResult& result);

// Estimates the focal length and the pose, with their deviations, of pairs with depth whose images
// have the same size and no given camera. Sets them only if the matches determine them.
void estimate_focal_length(Queue& queue, const Photograph& image1, const Photograph& image2,
                           const PairOptions& options, PairResult& result);

// Sets the deviation of the pose of an essential matrix.
void add_pose_deviation(const Photograph& image1, const Photograph& image2,
                        const PairOptions& options, PairResult& result);

}  // namespace bifocal::pair
