// SPDX-License-Identifier: BSD-3-Clause
// The intrinsics of the two cameras come from here.
#pragma once

#include <bifocal/io.hpp>

#include "cli.hpp"

namespace bifocal::cli {

struct CameraOptions {
  std::string intrinsics, intrinsics2, calib;
};
void add_camera_options(const Command& command, CameraOptions& options);

struct Cameras {
  std::optional<Intrinsics> camera1, camera2;
  std::string source;         // in words, for the report
  int width = 0, height = 0;  // px, of the pictures they are for; 0: any
  bool is_exif = false;

  [[nodiscard]] bool known() const { return camera1 && camera2; }
};
// The cameras given by the options; none when no option was given.
[[nodiscard]] Cameras given_cameras(const CameraOptions& options);

// A photograph and the camera that its EXIF tells, from one reading of the file.
// Throws Error(input) naming the file, also when a side is longer than features can be found in.
struct Photograph {
  std::string file;
  ImageU8 image;
  std::optional<Intrinsics> exif;
  std::string exif_doubt;  // empty without one
};
[[nodiscard]] Photograph read_photograph(const std::string& file);

// The cameras of two photographs that both have an EXIF focal length.
[[nodiscard]] Cameras exif_cameras(const Intrinsics& first, const Intrinsics& second);

// The cameras given by the options, else by EXIF when both photographs have one. Throws
// Error(input) when the options' are for pictures of another size.
[[nodiscard]] Cameras cameras_of(const CameraOptions& options, const Photograph& first,
                                 const Photograph& second);

}  // namespace bifocal::cli
