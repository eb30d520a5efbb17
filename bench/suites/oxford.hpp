// SPDX-License-Identifier: BSD-3-Clause
// The Oxford pairs with known homographies (Mikolajczyk and Schmid), as far as they lie in the data
// folder.
#pragma once

#include <bifocal/geometry.hpp>
#include <bifocal/image.hpp>

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

// How many pairs lie within `threshold` px of the homography, in the second image.
[[nodiscard]] int count_correct(const std::vector<PointPair>& points, const Mat3& H,
                                double threshold);

}  // namespace bifocal::bench
