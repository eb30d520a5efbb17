// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/stereo.hpp>

#include "output_folder.hpp"

namespace bifocal::cli {

// Returns the value of 1 px in disparity.png: 256, as in KITTI, or the largest power of two for
// which 16 bits hold the largest disparity.
[[nodiscard]] double disparity_png_scale(const ImageF& disparity);

// Draws the raw disparities in the turbo colours, with a legend. The highest disparity is red, of a
// reversed pair the lowest one.
[[nodiscard]] ImageU8 disparity_picture(const DisparityMap& disparity, bool is_reversed);
// Writes disparity.png (16 bit, raw). has_raw: disparity_raw.pfm is written as well.
void write_disparity_png(const OutputFolder& folder, const DisparityMap& disparity, bool has_raw);
// Writes disparity.pfm (filled), disparity_raw.pfm, disparity.png (16 bit, raw) and
// disparity_turbo.png (raw, with legend). Returns the image of disparity_turbo.png.
ImageU8 write_disparity_files(const OutputFolder& folder, const DisparityMap& disparity,
                              bool is_reversed = false);

}  // namespace bifocal::cli
