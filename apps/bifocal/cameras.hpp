// SPDX-License-Identifier: BSD-3-Clause
// Intrinsics of both cameras, from options or from EXIF.
#pragma once

#include <bifocal/jobs.hpp>

#include <string>

#include "cli.hpp"

namespace bifocal::cli {

struct CameraOptions {
  std::string intrinsics, intrinsics2, calib;
};
inline constexpr const char* kCamerasGroup = "Cameras";  // heading in --help
void add_camera_options(const Command& command, CameraOptions& options);

// Returns the cameras given by the options; empty if no option was given.
[[nodiscard]] Cameras given_cameras(const CameraOptions& options);

// Returns the cameras given by the options, otherwise those from EXIF if both photographs have one.
// Throws Error(input) if the options belong to images of another size.
[[nodiscard]] Cameras cameras_of(const CameraOptions& options, const PairPhotograph& first,
                                 const PairPhotograph& second);

}  // namespace bifocal::cli
