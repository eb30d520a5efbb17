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
// Matches of these features that were found without the model, and the model with its inliers among
// them.
struct ModelMatches {
  ModelKind kind;
  std::span<const Match> matches;
  std::span<const PointPair> points;  // px
  const EstimateResult& model;
};

// Judges an epipolar model; others are not doubted. tries: the number of models of which one is
// taken, which divides the level.
[[nodiscard]] Repetition repetition(const PairFeatures& pair, const ModelMatches& found, int tries);

// The cameras that residuals() takes for a kind.
[[nodiscard]] std::vector<Intrinsics> cameras_for(ModelKind kind, const PairOptions& options);

}  // namespace bifocal::pair
