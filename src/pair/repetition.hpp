// SPDX-License-Identifier: BSD-3-Clause
// The doubt about the model of two photographs, from their matches and features.
#pragma once

#include <bifocal/matching.hpp>
#include <bifocal/two_photographs.hpp>

#include <span>
#include <vector>

namespace bifocal::pair {

// The features of both photographs: images 0 and 1 of a set.
struct PairFeatures {
  Queue& queue;
  const FeatureSet& features;
  const PairOptions& options;
  double diagonals[2];  // px, of the photographs
};
// Matches of such features found without the model, and the model with its inliers
// among those matches.
struct ModelMatches {
  ModelKind kind;
  std::span<const Match> matches;
  std::span<const PointPair> points;  // px
  const EstimateResult& model;
};

// Tests E, F or H for repeated structure; other models are not doubted. tries: number of models to
// choose from, which divides the level.
[[nodiscard]] Repetition repetition(const PairFeatures& pair, const ModelMatches& found, int tries);

// Returns the cameras that residuals() takes for a kind of model.
[[nodiscard]] std::vector<Intrinsics> cameras_for(ModelKind kind, const PairOptions& options);

}  // namespace bifocal::pair
