// SPDX-License-Identifier: BSD-3-Clause
// The similarity from a model to the positions of its images, some of which may be wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "mapping/place/similarity.hpp"

namespace bifocal::mapping {

// A point of the model, and its position with standard deviations along the axes.
struct Placed {
  Vec3 from, to, deviations;
};

// Squared error in standard deviations.
[[nodiscard]] double error_of(const Similarity& similarity, const Placed& placed);

// Standard deviations of a similarity about the mean of its points.
struct SimilarityDeviations {
  Vec3 position = {0, 0, 0};  // of the mean point, in the unit of the positions
  Vec3 rotation = {0, 0, 0};  // rad about the axes
  double scale = 0;           // relative
};

// The robust similarity of at least three points that are on no line: the least median of triplets,
//   P. Rousseeuw, Least median of squares regression, Journal of the American Statistical
//   Association 79, 1984,
// then iterations with Cauchy's weights of the errors in standard deviations. Empty if no triplet
// determines one.
struct RobustSimilarity {
  Similarity similarity;
  SimilarityDeviations deviations;
};
[[nodiscard]] std::optional<RobustSimilarity> robust_similarity(std::span<const Placed> placed,
                                                                std::uint64_t seed);

}  // namespace bifocal::mapping
