// SPDX-License-Identifier: BSD-3-Clause
// The Oxford pairs with known homographies (Mikolajczyk and Schmid) that are in the data folder.
#pragma once

#include <bifocal/features.hpp>
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

// The point to which the homography maps (x, y).
[[nodiscard]] std::array<double, 2> mapped(const Mat3& H, double x, double y);

// Number of pairs within `threshold` px of the homography, in the second image.
[[nodiscard]] int count_correct(const std::vector<PointPair>& points, const Mat3& H,
                                double threshold);

// Repeatability by place alone: of the points of the first image that the homography maps into the
// second (of width x height), the fraction with a point of the second image within `threshold` px.
[[nodiscard]] double repeatability(const std::vector<std::array<float, 2>>& points1,
                                   const std::vector<std::array<float, 2>>& points2, const Mat3& H,
                                   int width, int height, double threshold);

// Repeatability of regions as in the SURF paper (K. Mikolajczyk et al., A comparison of affine
// region detectors, IJCV 65, 2005): the number of pairs whose circles overlap with an error below
// 40 %, each point in one pair, over the smaller number of points in the common part of both
// images. The circle of the first image is mapped by the homography, and both are enlarged so that
// its radius is 30 px.
[[nodiscard]] double region_repeatability(const std::vector<Keypoint>& points1,
                                          const std::vector<Keypoint>& points2, const Mat3& H,
                                          const Mat3& H_inverse, const ImageU8& image1,
                                          const ImageU8& image2);

}  // namespace bifocal::bench
