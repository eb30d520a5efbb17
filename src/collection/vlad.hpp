// SPDX-License-Identifier: BSD-3-Clause
// Vocabulary and VLAD vectors for ImageIndex (pair_selection.hpp).
#pragma once

#include <bifocal/features.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace bifocal::collection {

// Cluster centres of descriptors (visual words). They are stored by dimension with the words
// contiguous, so that a descriptor is compared with many words at a time.
struct Vocabulary {
  std::size_t words = 0;         // padded to a multiple of kWordStep in memory
  std::vector<float> centres;    // [128, stride]
  std::vector<float> half_norm;  // [stride]: |centre|^2 / 2; in padding the largest float

  [[nodiscard]] std::size_t stride() const { return half_norm.size(); }
};

// Trains a vocabulary by k-means on 8-bit descriptors [count, 128]. The seed draws the initial
// centres from the descriptors: `words` centres, or `count` for fewer descriptors. Sums
// are integers, so the result does not depend on the order of the work.
Vocabulary train_vocabulary(std::span<const std::uint8_t> descriptors, int words, int iterations,
                            std::uint64_t seed);

// Writes the index of the nearest word of each descriptor [count, 128] to `words`.
void assign_words(const Vocabulary& vocabulary, std::span<const std::uint8_t> descriptors,
                  std::span<int> words);

// Returns the VLAD vector [words, 128] of descriptors [count, 128], with unit norm;
// zeros without descriptors.
std::vector<float> vlad(const Vocabulary& vocabulary, std::span<const std::uint8_t> descriptors);

// Returns the descriptors of the `most` features of largest scale, in the order of the features.
// Ties go to the earlier feature.
std::vector<std::uint8_t> largest_features(const Features& features, int most);

}  // namespace bifocal::collection
