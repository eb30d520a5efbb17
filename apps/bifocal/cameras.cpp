// SPDX-License-Identifier: BSD-3-Clause
#include "cameras.hpp"

#include <fmt/format.h>
#include <bifocal/error.hpp>

#include <utility>

#include "arguments.hpp"
#include "picture.hpp"

namespace bifocal::cli {

void add_camera_options(const Command& command, CameraOptions& options) {
  const HelpGroup group(command, kCamerasGroup);
  const Option one =
      command.option("--intrinsics", options.intrinsics,
                     "fx,fy,cx,cy in px, of both cameras unless --intrinsics2 is given");
  const Option two =
      command.option("--intrinsics2", options.intrinsics2, "fx,fy,cx,cy of the second camera");
  const Option file = command.option(
      "--calib", options.calib,
      "file with a 3x3 matrix, fx fy cx cy, a Middlebury calib.txt with both cameras, or a "
      "calibrated pair as for rectify (docs/formats.md)");
  two.needs(one);
  file.excludes(one).excludes(two);
}

namespace {

Cameras cameras_of_file(const std::string& file) {
  const Calibration pair = read_any_calibration(file);
  Cameras cameras{pair.camera1.intrinsics, pair.camera2.intrinsics, "file " + file};
  cameras.sizes = {ImageSize{pair.camera1.width, pair.camera1.height},
                   {pair.camera2.width, pair.camera2.height}};
  if (!pair.camera1.distortion.none() || !pair.camera2.distortion.none())
    cameras.lens_doubt = file +
                         ": its lens distortion is not used: undistort the images, or rectify them "
                         "with bifocal rectify --calib";
  return cameras;
}

}  // namespace

Cameras given_cameras(const CameraOptions& options) {
  Cameras cameras;
  if (!options.calib.empty()) return cameras_of_file(options.calib);
  if (options.intrinsics.empty()) return {};
  cameras.camera1 = cameras.camera2 = parse_intrinsics(options.intrinsics);
  if (!options.intrinsics2.empty()) cameras.camera2 = parse_intrinsics(options.intrinsics2);
  cameras.source = options.intrinsics2.empty() ? "--intrinsics" : "--intrinsics and --intrinsics2";
  return cameras;
}

Cameras cameras_of(const CameraOptions& options, const PairPhotograph& first,
                   const PairPhotograph& second) {
  Cameras cameras = given_cameras(options);
  for (auto [size, photograph] : {std::pair{cameras.sizes[0], &first}, {cameras.sizes[1], &second}})
    if (size.width > 0)
      check_size(options.calib + ": is for", size, photograph->file, photograph->image);
  warn(cameras.lens_doubt);
  if (cameras.known() || !first.exif || !second.exif) return cameras;
  return exif_cameras(*first.exif, *second.exif);
}

}  // namespace bifocal::cli
