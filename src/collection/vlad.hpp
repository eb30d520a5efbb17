// SPDX-License-Identifier: BSD-3-Clause
// The vocabulary and the vectors behind ImageIndex (pair_selection.hpp).
#pragma once

#include <bifocal/features.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace bifocal::collection {

// Centres of descriptors. Stored by dimension, words side by side, so that a descriptor is held
// against many at a time.
struct Vocabulary {
  std::size_t words = 0;         // a multiple of kWordStep in memory
  std::vector<float> centres;    // [128, stride]
  std::vector<float> half_norm;  // [stride]: |centre|^2 / 2, of places without a word the largest

  [[nodiscard]] std::size_t stride() const { return half_norm.size(); }
};

// k-means of 8-bit descriptors [count, 128] from `words` of them (fewer if there are fewer),
// chosen by the seed. Sums are of whole numbers: the order of work changes nothing.
Vocabulary train_vocabulary(std::span<const std::uint8_t> descriptors, int words, int iterations,
                            std::uint64_t seed);

// The word nearest to each of the descriptors [count, 128].
void assign_words(const Vocabulary& vocabulary, std::span<const std::uint8_t> descriptors,
                  std::span<int> words);

// The VLAD vector [words, 128] of descriptors [count, 128], |.| = 1, or zeros without descriptors.
std::vector<float> vlad(const Vocabulary& vocabulary, std::span<const std::uint8_t> descriptors);

// The descriptors of the `most` features of the largest scale (ties by their order), in the order
// of the features.
std::vector<std::uint8_t> largest_features(const Features& features, int most);

}  // namespace bifocal::collection
