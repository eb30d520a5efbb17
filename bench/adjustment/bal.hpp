// SPDX-License-Identifier: BSD-3-Clause
// Problems in the text format of "Bundle adjustment in the large".
#pragma once

#include <bifocal/adjust.hpp>

#include <filesystem>

namespace bifocal::bench {

// Reads a BAL file: three counts; lines "camera point x y"; 9 numbers a camera (rotation vector,
// translation, focal length, k1, k2); 3 numbers a point. BAL's cameras look along -z and its images
// have y upwards: y and z of camera axes and y of observations change their signs, and the cameras
// become RADIAL with the principal point (0, 0). Throws Error(input) that names file and line.
[[nodiscard]] AdjustProblem read_bal(const std::filesystem::path& file);

// The inverse. Numbers are written in full precision; a rotation changes by rounding.
// Throws Error(usage) if a camera is shared, is not RADIAL or has another principal point, and
// Error(output) if the file cannot be written.
void write_bal(const std::filesystem::path& file, const AdjustProblem& problem);

}  // namespace bifocal::bench
