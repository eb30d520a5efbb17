// SPDX-License-Identifier: BSD-3-Clause
// Detection of image pairs whose rotation contradicts the rotations of other pairs.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <bifocal/colmap/database.hpp>

namespace bifocal::colmap {

// The rotation image2_from_image1 of a pair of images.
struct PairRotation {
  Id image1 = 0, image2 = 0;
  Mat3 R{};
};

// Returns for each rotation the probability that it is correct.
//
// For three pairs among three images, the product of the rotations around the cycle is the identity
// if all are correct; otherwise the remaining angle is arbitrary. The probabilities are a
// mean-field approximation over all triplets. A pair without a triplet keeps the prior of 0.7. A
// pair of images must not be given twice. The time is proportional to the number of triplets.
//   C. Zach, M. Klopschitz, M. Pollefeys, Disambiguating visual relations using loop constraints,
//   CVPR 2010.
[[nodiscard]] std::vector<double> rotation_probabilities(std::span<const PairRotation> pairs);

// A pair whose rotation is more probably wrong than correct.
struct ContradictingPair {
  Id image1 = 0, image2 = 0;
  std::string name1, name2;  // names of the images
  std::int64_t inliers = 0;
  double probability = 0;  // probability that the rotation is correct
};

// Returns the pairs of a database that are more probably wrong than correct, in the order of
// pair_id. Applies rotation_probabilities to all pairs with a pose; skips damaged rows.
[[nodiscard]] std::vector<ContradictingPair> contradicting_pairs(const Database& database);
// Returns the contradicting pairs of a database file without creating a log next to it. Throws
// Error(input) if the file is not a database.
[[nodiscard]] std::vector<ContradictingPair> contradicting_pairs(const std::filesystem::path& file);

// Erases the geometries of the pairs and keeps their matches.
void erase_geometries(Database& database, std::span<const ContradictingPair> pairs);

}  // namespace bifocal::colmap
