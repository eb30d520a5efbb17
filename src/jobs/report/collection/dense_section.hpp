// SPDX-License-Identifier: BSD-3-Clause
// The output of `bifocal dense` on the page of a collection: its cloud, and depth of each image.
#pragma once

#include <bifocal/colmap/model.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "jobs/report/collection/cloud_pictures.hpp"
#include "jobs/report/collection/view_graph.hpp"
#include "jobs/report/page.hpp"

namespace bifocal::jobs {

// The output folder of `bifocal dense`.
struct DenseFolder {
  std::filesystem::path folder;
  std::int64_t points = 0;  // of fused.ply
  std::optional<colmap::Model> cameras = {};
  bool has_maps = false;  // depth/NAME.npz

  [[nodiscard]] std::filesystem::path cloud() const { return folder / "fused.ply"; }
};
// Throws Error(input) that names the file or folder which is missing or damaged.
[[nodiscard]] DenseFolder read_dense_folder(const std::filesystem::path& folder);
// Throws Error(input) if the cameras are known and the database has none of their images.
void check_dense_folder(const DenseFolder& dense, const ViewGraph& graph,
                        const std::filesystem::path& database);

// Depth of an image on the page.
struct ImageDepth {
  std::string html;  // depth and deviation with their scales; empty without a depth
  std::string text;  // the known share and the agreeing views, or why no depth is known
};
// Depth maps on the page, by image.
struct DepthPictures {
  std::map<int, ImageDepth> images;
  std::size_t known = 0;   // images with a depth
  std::int64_t bytes = 0;  // on the page
  std::size_t over = 0;    // images with a map that was not read because of a limit
};
// Returns depth maps of the images in their order, up to a total of `most` bytes. Throws
// Error(input) that names a damaged file, or one with another size than its camera.
[[nodiscard]] DepthPictures depth_pictures(const DenseFolder& dense, const ViewGraph& graph,
                                           const std::vector<int>& images, std::int64_t most,
                                           unsigned threads);

// What the page shows of a folder.
struct DenseSection {
  const DenseFolder& dense;
  CloudPictures cloud;
  DepthPictures depth = {};
};
void add_dense(Page& page, const DenseSection& section, const ViewGraph& graph);

}  // namespace bifocal::jobs
