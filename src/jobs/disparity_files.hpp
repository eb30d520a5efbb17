// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/stereo.hpp>

#include <cstdint>

#include "jobs/output_folder.hpp"

namespace bifocal::jobs {

// Returns the value of 1 px in disparity.png: 256, as in KITTI, or the largest power of two for
// which 16 bits hold the largest disparity.
[[nodiscard]] double disparity_png_scale(const ImageF& disparity);

// Draws the raw disparities in the turbo colours, with a legend. The highest disparity is red, of a
// reversed pair the lowest one.
[[nodiscard]] ImageU8 disparity_picture(const DisparityMap& disparity, bool is_reversed);
// Writes disparity.png (16 bit, raw). Returns the number of negative disparities, which the file
// stores as unknown.
std::int64_t write_disparity_png(const OutputFolder& folder, const DisparityMap& disparity);
// Writes disparity.pfm (filled), disparity_raw.pfm, disparity.png (16 bit, raw) and
// disparity_turbo.png. turbo: of disparity_picture(). Returns what write_disparity_png() returns.
std::int64_t write_disparity_files(const OutputFolder& folder, const DisparityMap& disparity,
                                   const ImageU8& turbo);

}  // namespace bifocal::jobs
