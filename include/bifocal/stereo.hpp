// SPDX-License-Identifier: BSD-3-Clause
// Dense stereo by block matching, of a rectified pair (rectify.hpp).
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
#include <bifocal/rectify.hpp>

namespace bifocal {

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
