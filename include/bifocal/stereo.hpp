// SPDX-License-Identifier: BSD-3-Clause
// Rectification of a calibrated pair, and dense stereo by block matching.
//
// Disparity d = x_left - x_right, px: left pixel (x, y) is seen at (x - d, y) on the right. Unknown
// is NaN.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <bifocal/geometry.hpp>
#include <bifocal/image.hpp>
#include <bifocal/io.hpp>

namespace bifocal {

// Turns both cameras about their centres until their rows are parallel to the baseline:
//   A. Fusiello, E. Trucco, A. Verri, A compact algorithm for rectification of stereo pairs, MVA
//   12(1), 2000.
// The rectified cameras share fx = fy and cy; the canvas has the rows that both pictures have, and
// each picture's columns from its own left end. So Z = baseline fx / (d + doffs) with doffs =
// camera2.cx - camera1.cx, d + doffs > 0 for a point in front, and d itself may be negative. Index
// 1 is the left camera: image 1's, or image 2's when `swapped`.
struct Rectification {
  Mat3 H1{}, H2{};              // rectified px ~ H input px
  Mat3 R1{};                    // rectified left camera from left camera
  Intrinsics camera1, camera2;  // of the rectified images; differ in cx only
  int width = 0, height = 0;    // px, of both rectified images; 0 when they can't be rectified
  bool swapped = false;         // camera 2 is the left one
};
struct RectifyOptions {
  double max_scale =
      1.5;  // rectified area at most this times the input's; the focal length is reduced to keep it
};
// Throws Error(usage) when the baseline is zero or an argument is not finite or not positive where
// it has to be. Returns width = 0 when the baseline lies within 30 degrees of a viewing direction
// (the epipole is in or near the image, and rows can't be made parallel to it without extreme
// stretching), when the views differ so much that a corner turns further than 83 degrees from the
// rectified axis, and when the pictures have no row in common.
[[nodiscard]] Rectification rectify(const Intrinsics& camera1, const Intrinsics& camera2,
                                    const Pose& cam2_from_cam1, int width1, int height1, int width2,
                                    int height2, const RectifyOptions& options = {});

// Bilinear, `output` px from `output_from_input` inverted, source positions rounded to 1/256 px.
// Pixels from outside the input are 0, and 0 in `valid` when given (else 255). The input's centre
// counts as in front: pixels across the homography's horizon are outside. Throws Error(usage) when
// the matrix has no inverse or a size is not positive.
[[nodiscard]] ImageU8 warp(ImageView<const std::uint8_t> image, const Mat3& output_from_input,
                           int width, int height, ImageU8* valid = nullptr);

struct SsdOptions {
  int min_disparity = 0;
  int disparities = 64;      // searched: [min_disparity, min_disparity + disparities), 1 to 1024
  int window = 15;           // odd, 3 to 31
  double cross_check = 1.0;  // px: largest difference of the two directions; negative: no check
};

struct DisparityMap {
  ImageF raw;          // cross-checked, unknown NaN
  ImageF filled;       // every pixel has a value, unless `raw` has none at all
  double density = 0;  // per cent of pixels known in `raw`
};

// Sum of squared differences over a square window, both directions in one sweep by running sums
// (cost independent of the window), cross-check, then occlusion fill. Grey images of one size.
// - Windows: rows outside the images are left out; columns outside repeat the border's.
// - Search: disparities whose right pixel is inside the image; the smaller one wins a tie.
// Sub-pixel by a parabola.
// - Cross-check: unknown unless the right image's winner at x - d is within `cross_check` of d.
// - Fill: the smaller of the nearest known disparities left and right in the row (what only one
// camera sees is background). Integers throughout: the same result on every machine and for any
// number of threads. Throws Error(usage) naming the option on a value out of its range or images
// that differ in size.
[[nodiscard]] DisparityMap stereo_ssd(ImageView<const std::uint8_t> left,
                                      ImageView<const std::uint8_t> right,
                                      const SsdOptions& options = {});

// Against truth (unknown NaN), over pixels whose truth is known and whose mask is 255 (no mask:
// all). Raw figures are over pixels with a value; in filled ones a pixel without a value counts as
// bad.
// What there is nothing to count of is NaN.
struct StereoScore {
  double density = 0;                     // per cent
  double bad1 = 0, bad2 = 0, avgerr = 0;  // per cent, per cent, px
  double bad1_filled = 0, bad2_filled = 0, avgerr_filled = 0;
  std::int64_t scored = 0;  // px
};
[[nodiscard]] StereoScore score_disparity(const DisparityMap& disparity,
                                          ImageView<const float> truth,
                                          ImageView<const std::uint16_t> mask = {});

// 3-D points of every known pixel: Z = baseline fx / (d + doffs), with doffs = cx_right - cx_left,
// in the frame of the left camera. `colour` is the left picture (grey or RGB). Points with d +
// doffs <= 0 are left out.
[[nodiscard]] std::vector<CloudPoint> disparity_to_cloud(ImageView<const float> disparity,
                                                         ImageView<const std::uint8_t> colour,
                                                         const Intrinsics& left, double doffs,
                                                         double baseline);

}  // namespace bifocal
