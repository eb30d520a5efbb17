// SPDX-License-Identifier: BSD-3-Clause
// Where the intrinsics of the two cameras come from.
#pragma once

#include <bifocal/io.hpp>

#include "cli.hpp"

namespace bifocal::cli {

struct CameraOptions {
  std::string intrinsics, intrinsics2, calib;
};
void add_camera_options(CLI::App& command, CameraOptions& options);

struct Cameras {
  std::optional<Intrinsics> camera1, camera2;
  std::string source;  // in words, for the report

  [[nodiscard]] bool known() const { return camera1 && camera2; }
};
// The cameras given by the options; none when no option was given.
[[nodiscard]] Cameras given_cameras(const CameraOptions& options);
// The same, else from the EXIF focal lengths when both files have one.
[[nodiscard]] Cameras cameras_of(const CameraOptions& options, const std::string& file1,
                                 const std::string& file2);

}  // namespace bifocal::cli
