// SPDX-License-Identifier: BSD-3-Clause
// Intrinsics of both cameras, from options or from EXIF.
#pragma once

#include <bifocal/io.hpp>

#include <array>
#include <optional>
#include <string>

#include "cli.hpp"

namespace bifocal::cli {

struct CameraOptions {
  std::string intrinsics, intrinsics2, calib;
};
void add_camera_options(const Command& command, CameraOptions& options);

struct ImageSize {
  int width = 0, height = 0;  // px; 0: any
};
struct Cameras {
  std::optional<Intrinsics> camera1, camera2;
  std::string source;                   // origin in words, for the report
  std::array<ImageSize, 2> sizes = {};  // of their images
  bool is_exif = false;
  std::string lens_doubt = {};  // set if the file has lens distortion, which is not used

  [[nodiscard]] bool known() const { return camera1 && camera2; }
};
// Returns the cameras given by the options; empty if no option was given.
[[nodiscard]] Cameras given_cameras(const CameraOptions& options);

// Reads a photograph and its camera from EXIF, opening the file once. Throws Error(input) with the
// name of the file, also if a side is too long for feature detection.
struct Photograph {
  std::string file;
  ImageU8 image;
  ImageU16 deep;  // the same image if the file has 16 bits, otherwise empty
  std::optional<Intrinsics> exif;
  std::string exif_doubt;  // empty without a doubt

  // Returns the image with the depth of the file.
  [[nodiscard]] AnyImageView view() const {
    return deep.empty() ? AnyImageView(image) : AnyImageView(deep);
  }
};
[[nodiscard]] Photograph read_photograph(const std::string& file);

// Returns the cameras of two photographs that both have an EXIF focal length.
[[nodiscard]] Cameras exif_cameras(const Intrinsics& first, const Intrinsics& second);

// Returns the cameras given by the options, otherwise those from EXIF if both photographs have one.
// Throws Error(input) if the options belong to images of another size.
[[nodiscard]] Cameras cameras_of(const CameraOptions& options, const Photograph& first,
                                 const Photograph& second);

}  // namespace bifocal::cli
