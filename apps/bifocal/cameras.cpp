// SPDX-License-Identifier: BSD-3-Clause
#include "cameras.hpp"

namespace bifocal::cli {

void add_camera_options(CLI::App& command, CameraOptions& options) {
  CLI::Option* one =
      command.add_option("--intrinsics", options.intrinsics,
                         "fx,fy,cx,cy in px, of both cameras unless --intrinsics2 is given");
  CLI::Option* two =
      command.add_option("--intrinsics2", options.intrinsics2, "fx,fy,cx,cy of the second camera");
  CLI::Option* file = command.add_option(
      "--calib", options.calib,
      "file with a 3x3 matrix, fx fy cx cy, or a Middlebury calib.txt with both cameras");
  two->needs(one);
  file->excludes(one)->excludes(two);
}

Cameras given_cameras(const CameraOptions& options) {
  Cameras cameras;
  if (!options.calib.empty()) {
    const Calibration calibration = read_calibration(options.calib);
    return {calibration.camera1, calibration.camera2, "file " + options.calib};
  }
  if (options.intrinsics.empty()) return {};
  cameras.camera1 = cameras.camera2 = parse_intrinsics(options.intrinsics);
  if (!options.intrinsics2.empty()) cameras.camera2 = parse_intrinsics(options.intrinsics2);
  cameras.source = options.intrinsics2.empty() ? "--intrinsics" : "--intrinsics and --intrinsics2";
  return cameras;
}

Cameras cameras_of(const CameraOptions& options, const std::string& file1,
                   const std::string& file2) {
  Cameras cameras = given_cameras(options);
  if (cameras.known()) return cameras;
  cameras.camera1 = intrinsics_from_exif(file1);
  cameras.camera2 = intrinsics_from_exif(file2);
  if (!cameras.known()) return {};
  cameras.source = "EXIF focal lengths of both files; principal point taken at the centre";
  return cameras;
}

}  // namespace bifocal::cli
