// SPDX-License-Identifier: BSD-3-Clause
// Pairs of a collection whose rotation contradicts other pairs.
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

// Returns the probability of each rotation to be correct. The rotations of three pairs of three
// images are the identity one after another; the angle that remains is small if all three are
// correct and arbitrary otherwise. The probabilities are a mean-field approximation over all
// triplets. A pair without a triplet keeps the prior of 0.7. No pair of images is given twice.
// Takes time proportional to the number of triplets.
//   C. Zach, M. Klopschitz, M. Pollefeys, Disambiguating visual relations using loop constraints,
//   CVPR 2010.
[[nodiscard]] std::vector<double> rotation_probabilities(std::span<const PairRotation> pairs);

// A pair whose rotation is more probably wrong than correct.
struct ContradictingPair {
  Id image1 = 0, image2 = 0;
  std::string name1, name2;  // of the images
  std::int64_t inliers = 0;
  double probability = 0;  // of being correct
};

// Judges the pairs of a database that have a pose, by rotation_probabilities; in the order of
// pair_id. Damaged rows are passed over.
[[nodiscard]] std::vector<ContradictingPair> contradicting_pairs(const Database& database);
// The same of a file, next to which no log is created. Throws Error(input) if it is no database.
[[nodiscard]] std::vector<ContradictingPair> contradicting_pairs(const std::filesystem::path& file);

// Erases the geometries of the pairs and keeps their matches.
void erase_geometries(Database& database, std::span<const ContradictingPair> pairs);

}  // namespace bifocal::colmap
