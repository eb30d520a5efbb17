// SPDX-License-Identifier: BSD-3-Clause
// The Oxford pairs with known homographies (Mikolajczyk and Schmid), as far as they lie in the data
// folder.
#pragma once

#include <bifocal/geometry.hpp>
#include <bifocal/image.hpp>

#include <array>
#include <string>
#include <vector>

namespace bifocal::bench {

struct OxfordPair {
  std::string name;             // graf1-3
  std::string image1, image2;   // files
  std::string homography_file;  // nine numbers, x2 ~ H x1
};
[[nodiscard]] std::vector<OxfordPair> oxford_pairs(const std::string& data_folder);

[[nodiscard]] ImageU8 read_grey(const std::string& file);
[[nodiscard]] Mat3 read_homography(const std::string& file);

// Where the homography leads (x, y).
[[nodiscard]] std::array<double, 2> mapped(const Mat3& H, double x, double y);

// How many pairs lie within `threshold` px of the homography, in the second image.
[[nodiscard]] int count_correct(const std::vector<PointPair>& points, const Mat3& H,
                                double threshold);

// Share of the points of the first image that the homography leads into the second one (of width x
// height) and that have one of its points within `threshold` px: repeatability by place alone.
[[nodiscard]] double repeatability(const std::vector<std::array<float, 2>>& points1,
                                   const std::vector<std::array<float, 2>>& points2, const Mat3& H,
                                   int width, int height, double threshold);

}  // namespace bifocal::bench
