// SPDX-License-Identifier: BSD-3-Clause
// Checks the photographs of a model or a database by their headers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <bifocal/geometry.hpp>

namespace bifocal::colmap::model {

// An image and the size of its camera, px.
struct PhotographOfImage {
  std::string name;
  std::int64_t width = 0, height = 0;
};

// Matches of two images, in the px of their keypoints.
struct PhotographPair {
  std::size_t image1 = 0, image2 = 0;
  std::vector<PointPair> points;
};
// Returns pairs that contain one of the marked images.
using PairsOfImages = std::function<std::vector<PhotographPair>(const std::vector<bool>& marked)>;

// Returns why a photograph of this size and EXIF orientation does not fit a camera; empty if it
// does.
[[nodiscard]] std::string size_fault(std::int64_t width, std::int64_t height, int orientation,
                                     const PhotographOfImage& image);

// Throws Error(input) if no photograph below the folder can be used, or if keypoints are in upright
// pixels, although photographs are read as stored: EXIF's orientation exchanges the sides of the
// camera, or the pixels at matched keypoints are alike only after rotation by EXIF.
void check_photographs(const std::filesystem::path& folder,
                       std::span<const PhotographOfImage> images, const PairsOfImages& pairs_of);

}  // namespace bifocal::colmap::model
