// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/stereo.hpp>

#include "output_folder.hpp"

namespace bifocal::cli {

// Writes disparity.pfm (filled), disparity_raw.pfm, disparity.png (16 bit, raw) and
// disparity_turbo.png (raw, with legend) and returns the last.
ImageU8 write_disparity_files(const OutputFolder& folder, const DisparityMap& disparity);

}  // namespace bifocal::cli
