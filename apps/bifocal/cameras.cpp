// SPDX-License-Identifier: BSD-3-Clause
#include "cameras.hpp"

#include <fmt/format.h>
#include <bifocal/error.hpp>
#include <bifocal/features.hpp>

#include <algorithm>

#include "arguments.hpp"
#include "picture.hpp"

namespace bifocal::cli {

void add_camera_options(const Command& command, CameraOptions& options) {
  const Option one =
      command.option("--intrinsics", options.intrinsics,
                     "fx,fy,cx,cy in px, of both cameras unless --intrinsics2 is given");
  const Option two =
      command.option("--intrinsics2", options.intrinsics2, "fx,fy,cx,cy of the second camera");
  const Option file = command.option(
      "--calib", options.calib,
      "file with a 3x3 matrix, fx fy cx cy, or a Middlebury calib.txt with both cameras");
  two.needs(one);
  file.excludes(one).excludes(two);
}

Cameras given_cameras(const CameraOptions& options) {
  Cameras cameras;
  if (!options.calib.empty()) {
    const Calibration calibration = read_calibration(options.calib);
    return {calibration.camera1, calibration.camera2, "file " + options.calib, calibration.width,
            calibration.height};
  }
  if (options.intrinsics.empty()) return {};
  cameras.camera1 = cameras.camera2 = parse_intrinsics(options.intrinsics);
  if (!options.intrinsics2.empty()) cameras.camera2 = parse_intrinsics(options.intrinsics2);
  cameras.source = options.intrinsics2.empty() ? "--intrinsics" : "--intrinsics and --intrinsics2";
  return cameras;
}

Photograph read_photograph(const std::string& file) {
  const std::string bytes = read_file(file, kMaxImageBytes);
  Photograph photograph{file, decode_image(bytes, file), exif_intrinsics(bytes),
                        bifocal::exif_doubt(bytes)};
  const ImageU8& image = photograph.image;
  if (std::max(image.width, image.height) > kMaxSiftSide) {
    throw Error(ErrorCode::input, fmt::format("{}: {} x {} px, sides must be at most {}", file,
                                              image.width, image.height, kMaxSiftSide));
  }
  return photograph;
}

Cameras exif_cameras(const Intrinsics& first, const Intrinsics& second) {
  return {first, second, "EXIF focal lengths of both files; principal point assumed at the centre",
          0,     0,      true};
}

Cameras cameras_of(const CameraOptions& options, const Photograph& first,
                   const Photograph& second) {
  Cameras cameras = given_cameras(options);
  if (cameras.width > 0) {
    check_size(options.calib + ": is for", cameras, first.file, first.image);
    check_size(options.calib + ": is for", cameras, second.file, second.image);
  }
  if (cameras.known() || !first.exif || !second.exif) return cameras;
  return exif_cameras(*first.exif, *second.exif);
}

}  // namespace bifocal::cli
