// SPDX-License-Identifier: BSD-3-Clause
// Photographs and sparse models without lens distortion, for programs that take pinhole cameras:
// Gaussian splatting, neural radiance fields, multi-view stereo.
//
//   undistort_model(colmap::read_model("sparse/0"), "photographs", "scene");
//   // scene/images/NAME, scene/sparse/0/cameras.bin, images.bin, points3D.bin
#pragma once

#include <bifocal/colmap/model.hpp>
#include <bifocal/fields.hpp>
#include <bifocal/io.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace bifocal::colmap {

// Returns the PINHOLE camera of the undistorted images of a camera; cameras without a lens keep
// their parameters. The focal lengths are the camera's. Its image is the largest rectangle around
// the principal point in which the undistorted image has no blank pixel, at most twice as far from
// the principal point as the sides of the distorted image. Throws Error(usage) that names the
// camera for an unknown model, parameters that are invalid, and a lens that leaves no such pixel.
[[nodiscard]] ModelCamera undistorted_camera(const ModelCamera& camera);

// Folder inside of OUT for files that are not complete; undistort_model() removes it.
inline constexpr const char* kUndistortedPart = ".undistorted.part";

struct UndistortOptions {
  int jpeg_quality = 95;
  bool overwrite = false;
  // Called now and then with the numbers of finished and of all images, on the thread of the call.
  std::function<void(std::int64_t done, std::int64_t total)> progress = {};
};
constexpr const char* name_of(const UndistortOptions&) { return "UndistortOptions"; }
template <MaybeConst<UndistortOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [jpeg_quality, overwrite, progress] = options;
  BIFOCAL_FIELD(jpeg_quality, "quality of JPEG files", Range::within(1, 100));
  BIFOCAL_FIELD(overwrite, "replace existing files");
  BIFOCAL_FIELD(progress, "called now and then with the numbers of finished and of all images");
}

struct UndistortResult {
  Model model;                    // as written to sparse/0
  std::vector<LeftOut> left_out;  // images whose photograph can't be read, with the reason
  std::int64_t outside = 0;       // observations of points outside of the undistorted images
};

// Writes undistorted photographs to OUT/images/NAME and their model to OUT/sparse/0, in COLMAP's
// binary format.
//
// Photographs are read as stored, without rotation by EXIF. Photographs of a pinhole camera are
// copied. The others are sampled bilinearly and written as JPEG if their name ends in .jpg or
// .jpeg, as PNG if it ends in .png, and otherwise as NAME.png; their metadata are not kept. Images
// with more than 8 bits a channel have 16, except as JPEG.
// Observations move to the undistorted pixels; observations that no pinhole sees lose their point.
// Images left out are removed with their observations, and points with fewer than two remaining
// observations as well.
//
// The model is written last. A call that fails or is cancelled leaves OUT without a new model, and
// the files of an earlier call complete.
//
// Throws Error(usage) for a model that check_model() refuses, for names that leave the folder
// (an absolute path, or ".."), if OUT/images contains the photographs, and if a file of the output
// exists already and `overwrite` is false; Error(input) if OUT can't be written to, no photograph
// can be read, or the keypoints are in pixels of photographs that were rotated by EXIF; Cancelled.
// Other files of OUT stay.
UndistortResult undistort_model(const Model& model, const std::filesystem::path& photographs,
                                const std::filesystem::path& out,
                                const UndistortOptions& options = {});
// Throws as undistort_model() for folders that it would refuse, before any work is done. names: of
// the images, as in the model.
void check_undistorted_folder(const std::filesystem::path& photographs,
                              std::span<const std::string> names, const std::filesystem::path& out,
                              bool overwrite);

}  // namespace bifocal::colmap
