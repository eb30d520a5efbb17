// SPDX-License-Identifier: BSD-3-Clause
// Dense depth of photographs with known cameras, and a cloud of their points.
//
//   Queue queue(Device("auto"));
//   dense_model(queue, {.model = "sparse/0", .photographs = "photographs", .out = "dense"});
//
//   const DenseResult result = dense_depth(queue, views, {});  // images in memory, cameras alone
//   use(result.maps[0].depth);
//
// Every image is matched with several others by PatchMatch: each pixel has a plane of the scene,
// which is taken from neighbours, changed at random, and kept if the patches of all views
// correlate better. Depths are then compared between images; a depth is kept if those of enough
// other images agree, and becomes their weighted mean.
//   C. Barnes, E. Shechtman, A. Finkelstein, D. Goldman, PatchMatch, SIGGRAPH 2009;
//   S. Galliani, K. Lasinger, K. Schindler, Massively parallel multiview stereopsis by surface
//   normal diffusion, ICCV 2015;  J. L. Schoenberger, E. Zheng, M. Pollefeys, J.-M. Frahm,
//   Pixelwise view selection for unstructured multi-view stereo, ECCV 2016.
//
// Results have the same bytes in every run and for any number of threads on one kind of device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <bifocal/device.hpp>
#include <bifocal/fields.hpp>
#include <bifocal/geometry.hpp>
#include <bifocal/image.hpp>

namespace bifocal {

// An undistorted image with its camera.
struct DenseView {
  std::string name = {};  // for messages
  ImageU8 image = {};     // 1 channel, or 3: RGB
  Intrinsics camera = {};
  Pose cam_from_world = {};
};

// A point of the scene and the views that see it. Points determine which views are matched with
// each other and the range of depths; without points the cameras alone determine them.
struct DensePoint {
  Vec3 xyz = {};
  std::vector<int> views = {};
  double error = -1;  // mean reprojection error, px; -1: unknown
};

enum class DenseStage {
  match,   // patches of the images
  refine,  // patches, and planes of the first stage
  agree,   // comparison of depths, and the cloud
};
struct DenseProgress {
  DenseStage stage = DenseStage::match;
  std::int64_t done = 0, total = 0;  // images
};

struct DenseOptions {
  int views = 8;
  int min_agreeing = 2;
  int max_size = 2000;
  double min_depth = 0;
  double max_depth = 0;
  std::size_t max_memory = std::size_t{4} << 30;
  // Called after each image, on the thread of the call. Cancellation: CancelScope.
  std::function<void(const DenseProgress&)> progress = {};
};
constexpr const char* name_of(const DenseOptions&) { return "DenseOptions"; }
template <MaybeConst<DenseOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [views, min_agreeing, max_size, min_depth, max_depth, max_memory, progress] = options;
  BIFOCAL_FIELD(views, "images with which each image is matched", Range::within(1, 16));
  BIFOCAL_FIELD(min_agreeing, "other images whose depths must agree with a depth",
                Range::within(1, 8));
  BIFOCAL_FIELD(max_size, "longest side of the depth maps; larger images are reduced",
                Range::within(64, 4000), "px");
  BIFOCAL_FIELD(min_depth, "smallest depth; 0: from the points or the cameras",
                Range::at_least(0).finite());
  BIFOCAL_FIELD(max_depth, "largest depth; 0: from the points or the cameras",
                Range::at_least(0).finite());
  BIFOCAL_FIELD(max_memory, "memory for images and maps on the device", {}, "bytes");
  BIFOCAL_FIELD(progress, "called after each image");
}

// Depth of an image. Maps have the size of the image; unknown values are NaN, or 0 for integers.
struct DenseMap {
  ImageF depth;               // along the optical axis, in the unit of the poses
  ImageF deviation;           // standard deviation of the depth
  Image<std::int8_t> normal;  // 3 channels, 127 = 1, in the axes of the camera, towards it
  ImageU8 views;              // images that agree, this one included
  std::string reason = {};    // why no depth is known; empty if there are depths
};

// A point of the cloud.
struct FusedPoint {
  float x = 0, y = 0, z = 0;
  float nx = 0, ny = 0, nz = 0;
  float deviation = 0;
  std::uint8_t r = 0, g = 0, b = 0;
  std::uint8_t views = 0;
};

struct DenseResult {
  std::vector<DenseMap> maps;     // of the views, in their order
  std::vector<FusedPoint> cloud;  // each surface once: points that no earlier view has
};

// Estimates the depth of every view. Images keep their size: max_size concerns dense_model().
//
// Throws Error(usage) for a camera without a focal length, an image that is empty, has a side above
// 4000 px, or has neither 1 nor 3 channels, a pose that is not finite, a point with a view that is
// not there, and a min_depth that is not below max_depth.
[[nodiscard]] DenseResult dense_depth(Queue& queue, std::span<const DenseView> views,
                                      std::span<const DensePoint> points,
                                      const DenseOptions& options = {});
[[nodiscard]] DenseResult dense_depth(std::span<const DenseView> views,
                                      std::span<const DensePoint> points,
                                      const DenseOptions& options = {});

// Files of depth maps.
enum class DenseMaps {
  none,    // the cloud alone
  npz,     // depth/NAME.npz and cameras
  colmap,  // a dense workspace of COLMAP: stereo/depth_maps, stereo/normal_maps, images, sparse
};

// Depth maps of the images of a sparse model, and a cloud.
struct DenseFiles {
  std::filesystem::path model;        // folder of the model
  std::filesystem::path photographs;  // folder of its images
  std::filesystem::path out;
  bool overwrite = false;
  DenseMaps maps = DenseMaps::npz;
  DenseOptions dense = {};
};
struct DenseImage {
  std::string name;
  double known = 0;    // share of the pixels with a depth, from 0 to 1
  std::string reason;  // why no depth is known; empty otherwise
};
struct WrittenDense {
  std::vector<DenseImage> images;  // in the order of the model
  std::int64_t points = 0;         // of the cloud
  std::int64_t resumed = 0;        // images that an interrupted run had matched
};
// Writes OUT/depth/NAME.npz for every image, OUT/cameras, the undistorted cameras as a COLMAP
// model, and OUT/fused.ply. docs/formats.md describes the files.
//
// Files take their places when all are complete. Until then OUT/.dense keeps the work, and a call
// with the same model, photographs and options resumes it.
//
// Throws Error(usage) if a file of the output exists and `overwrite` is false, if OUT/cameras is
// the model itself, for names that leave the folder, and as dense_depth(); Error(input) if the
// model cannot be read, if no photograph of it can be read, or a photograph has another size than
// its camera; Cancelled.
[[nodiscard]] WrittenDense dense_model(Queue& queue, const DenseFiles& files);
// Reads depth/NAME.npz. Throws Error(input) that names the file if it is missing or damaged, or has
// other arrays.
[[nodiscard]] DenseMap read_dense_map(const std::filesystem::path& file);
// Throws as dense_model() for output files that exist, before any work is done. names: of the
// images.
void check_dense_folder(const DenseFiles& files, std::span<const std::string> names);

}  // namespace bifocal
