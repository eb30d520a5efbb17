// SPDX-License-Identifier: BSD-3-Clause
#include "robust/repetition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bifocal/error.hpp>
#include <numbers>
#include <vector>

#include "robust/significance.hpp"

namespace bifocal {
namespace robust {
namespace {

// Limit of rival_ratio, chosen on scenes of tests/synthetic: facades with repeated matches have at
// least 0.4 in 95 of 100 scenes, scenes without repetition at most 0.3.
constexpr double kMostRivalRatio = 0.3;

double beyond_sample(ModelKind kind, int inliers) {
  return std::max(0, inliers - ransac_steps(kind).free_matches);
}

MatchPriors priors_of(const MatchPriors& priors, const std::vector<std::size_t>& kept,
                      std::vector<double>& weights, std::vector<double>& qualities) {
  const auto take = [&](std::span<const double> from, std::vector<double>& to) {
    for (const std::size_t i : kept)
      if (!from.empty()) to.push_back(from[i]);
    return std::span<const double>(to);
  };
  return {take(priors.weights, weights), take(priors.qualities, qualities)};
}

}  // namespace

bool has_rivals(ModelKind kind, const Estimate& found) {
  const RansacSteps& steps = ransac_steps(kind);
  return steps.two_views && steps.residuals == 1 && steps.depths == 0 && found.ok();
}

Repetition find_rival(ModelKind kind, std::span<const PointPair> points,
                      const EstimateResult& found, const EstimateInput& input) {
  Repetition result;
  if (found.inliers.size() != points.size())
    throw Error(ErrorCode::usage, fmt::format("find_repetition: {} inlier flags for {} points",
                                              found.inliers.size(), points.size()));
  std::vector<std::size_t> kept;
  std::vector<PointPair> others;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (found.inliers[i]) continue;
    kept.push_back(i);
    others.push_back(points[i]);
  }
  if (std::ssize(others) <= ransac_steps(kind).sample_size) return result;
  EstimateInput own = input;
  std::vector<double> weights, qualities;
  own.priors = priors_of(input.priors, kept, weights, qualities);
  // The options make sure that a rival with half of the inliers is found for any
  // number of outliers.
  own.options.dominant_plane = false;
  own.options.belief = 0;  // the test gives the same result at every level
  own.options.min_inlier_ratio =
      std::clamp(0.5 * found.inlier_count / static_cast<double>(others.size()), 0.05, 0.2);
  const EstimateResult rival = estimate(kind, others, own);
  result.rival_inliers = rival.inlier_count;
  result.rival_ratio = beyond_sample(kind, rival.inlier_count) /
                       std::max(1.0, beyond_sample(kind, found.inlier_count));
  return result;
}

double evidence_against_structure(ModelKind kind, int inliers, int rival_inliers, int matches) {
  constexpr double kRate = 0.25, kWeight = 160;
  const int free = ransac_steps(kind).free_matches;
  const double outliers = std::max(0, matches - inliers - free),
               rate = (0.5 * beyond_sample(kind, rival_inliers) + kRate * kWeight) /
                      (outliers + kWeight);
  return -log_binomial_tail(matches - free, inliers - free, rate) / std::numbers::ln10;
}

}  // namespace robust

Repetition find_repetition(ModelKind kind, std::span<const PointPair> points,
                           const EstimateResult& found, const EstimateInput& input) {
  if (!robust::has_rivals(kind, found)) return {};
  Repetition result = robust::find_rival(kind, points, found, input);
  result.is_doubted = result.rival_ratio > robust::kMostRivalRatio;
  if (result.is_doubted)
    result.reason = fmt::format(
        "repeated structure: {} matches are inliers of the model, and {} of the outliers are "
        "inliers of another model",
        found.inlier_count, result.rival_inliers);
  return result;
}

}  // namespace bifocal
