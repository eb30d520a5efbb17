// SPDX-License-Identifier: BSD-3-Clause
// The Oxford pairs with known homographies (Mikolajczyk and Schmid), as far as they lie in the data
// folder.
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

// Repeatability of regions as the SURF paper measures it (K. Mikolajczyk et al., A comparison of
// affine region detectors, IJCV 65, 2005): pairs whose circles, the first one's led by the
// homography and both enlarged so that it has a radius of 30 px, overlap with an error below 40 %,
// each point in one pair; over the lesser number of points in the part that both images show.
[[nodiscard]] double region_repeatability(const std::vector<Keypoint>& points1,
                                          const std::vector<Keypoint>& points2, const Mat3& H,
                                          const Mat3& H_inverse, const ImageU8& image1,
                                          const ImageU8& image2);

}  // namespace bifocal::bench
