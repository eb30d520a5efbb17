// SPDX-License-Identifier: BSD-3-Clause
#include "robust/repetition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bifocal/error.hpp>
#include <map>
#include <numbers>
#include <optional>
#include <vector>

#include "robust/arguments.hpp"
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

double ratio_of(ModelKind kind, int rival_inliers, int inliers) {
  return beyond_sample(kind, rival_inliers) / std::max(1.0, beyond_sample(kind, inliers));
}

// How find_repetition_batch() samples for the rival of a pair.
struct RivalSearch {
  double min_inlier_ratio = 0;
  int max_iterations = 0;
  auto operator<=>(const RivalSearch&) const = default;
};

// Returns the search for the smallest rival that raises a doubt, or nullopt if the outliers are too
// few for one. If structured outliers, even with this rival, support a model as well with a
// probability of at most 1e-3 (1e-6 without two cameras), about a tenth of the model's samples are
// drawn, which find a rival that most outliers support. The limits are rounded, so that a batch has
// few different searches.
std::optional<RivalSearch> rival_search(ModelKind kind, const Estimate& found, int matches,
                                        const RobustOptions& options) {
  constexpr double kLeastRatio = 0.05, kMostRatio = 0.4;
  constexpr int kFewSamples = 64, kSampleFraction = 8;
  const RansacSteps& steps = ransac_steps(kind);
  // On facades, wrong F have more inliers than wrong E, because F has more degrees of freedom.
  const double clear_evidence = steps.cameras == 2 ? 3 : 6;
  const int outliers = matches - found.num_inliers,
            least = steps.free_matches + 1 +
                    static_cast<int>(kMostRivalRatio * beyond_sample(kind, found.num_inliers));
  if (outliers <= steps.sample_size || outliers < least) return std::nullopt;
  if (evidence_against_structure(kind, found.num_inliers, found.num_inliers, least, matches) >
      clear_evidence) {
    int most = kFewSamples;
    while (4 * most <= found.iterations / kSampleFraction) most *= 4;
    return RivalSearch{0, std::min(most, options.max_iterations)};
  }
  double ratio = kLeastRatio;
  while (ratio < kMostRatio && 2 * ratio * outliers <= least) ratio *= 2;
  return RivalSearch{ratio, options.max_iterations};
}

// Outliers of the pairs of a batch, as input of a second batch.
struct RivalBatch {
  std::vector<std::size_t> pairs;  // in the first batch
  std::vector<std::int64_t> offsets = {0};
  std::vector<PointPair> points;
  std::vector<double> weights, qualities;
  std::vector<Intrinsics> cameras1, cameras2;

  void add(std::size_t pair, const PointPair* from, const BatchInput& input,
           const BatchEstimate& found) {
    pairs.push_back(pair);
    for (std::int64_t i = input.offsets[pair]; i < input.offsets[pair + 1]; ++i) {
      if (found.inliers[static_cast<std::size_t>(i - input.offsets.front())]) continue;
      points.push_back(from[i]);
      if (!input.weights.is_null()) weights.push_back(input.weights.pointer()[i]);
      if (!input.qualities.is_null()) qualities.push_back(input.qualities.pointer()[i]);
    }
    offsets.push_back(static_cast<std::int64_t>(points.size()));
    const auto add_camera = [&](std::span<const Intrinsics> given, std::vector<Intrinsics>& to) {
      if (!given.empty()) to.push_back(given[given.size() == 1 ? 0 : pair]);
    };
    add_camera(input.cameras1, cameras1);
    add_camera(input.cameras2, cameras2);
  }

  [[nodiscard]] BatchEstimate estimate(Queue& queue, ModelKind kind, RobustOptions options,
                                       const RivalSearch& search) const {
    options.dominant_plane = false;
    options.belief = 0;  // the test gives the same result at every level
    options.min_inlier_ratio = search.min_inlier_ratio;
    options.max_iterations = search.max_iterations;
    options.min_iterations = std::min(options.min_iterations, search.max_iterations);
    return estimate_batch(queue, kind, points.data(),
                          {.offsets = offsets,
                           .cameras1 = cameras1,
                           .cameras2 = cameras2,
                           .weights = weights.empty() ? nullptr : weights.data(),
                           .qualities = qualities.empty() ? nullptr : qualities.data(),
                           .options = options});
  }
};

void set_rival(ModelKind kind, const Estimate& rival, const Estimate& found, Repetition& result) {
  result.rival_inliers = rival.num_inliers;
  result.rival_ratio = ratio_of(kind, rival.num_inliers, found.num_inliers);
  result.is_doubted = result.rival_ratio > kMostRivalRatio;
  if (result.is_doubted)
    result.reason = fmt::format(
        "repeated structure: {} matches are inliers of the model, and {} of the outliers are "
        "inliers of another model",
        found.num_inliers, result.rival_inliers);
}

void check_batch(ModelKind kind, const Memory<const PointPair>& points, const BatchInput& input,
                 const BatchEstimate& found) {
  const auto refuse = [](const std::string& what) {
    throw Error(ErrorCode::usage, "find_repetition_batch: " + what);
  };
  if (const auto expected = points_name(kind); expected != kPointsName<PointPair>)
    refuse(fmt::format("{} is estimated from {}, must be a model of point pairs", to_string(kind),
                       expected));
  if (points.is_on_device() || input.weights.is_on_device() || input.qualities.is_on_device())
    refuse("points, weights and qualities must be in host memory");
  const auto& o = input.offsets;
  if (o.empty() || o.size() != found.pairs.size() + 1)
    refuse(fmt::format("{} offsets for {} pairs, must be one more", o.size(), found.pairs.size()));
  if (!std::is_sorted(o.begin(), o.end()) || o.front() < 0)
    refuse("offsets must be at least 0 and must not decrease");
  if (const auto flags = std::ssize(found.inliers); o.back() - o.front() != flags)
    refuse(fmt::format("{} inlier flags for {} points", flags, o.back() - o.front()));
  for (const auto* cameras : {&input.cameras1, &input.cameras2})
    if (cameras->size() > 1 && cameras->size() != found.pairs.size())
      refuse(fmt::format("{} cameras for {} pairs, must be one or one per pair", cameras->size(),
                         found.pairs.size()));
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

Repetition find_rival(Queue& queue, ModelKind kind, std::span<const PointPair> points,
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
      std::clamp(0.5 * found.num_inliers / static_cast<double>(others.size()), 0.05, 0.2);
  const EstimateResult rival = estimate(queue, kind, others, own);
  result.rival_inliers = rival.num_inliers;
  result.rival_ratio = ratio_of(kind, rival.num_inliers, found.num_inliers);
  return result;
}

double evidence_against_structure(ModelKind kind, int support, int inliers, int rival_inliers,
                                  int matches) {
  constexpr double kRate = 0.25, kWeight = 160;
  const int free = ransac_steps(kind).free_matches;
  const double outliers = std::max(0, matches - inliers - free),
               rate = (0.5 * beyond_sample(kind, rival_inliers) + kRate * kWeight) /
                      (outliers + kWeight);
  return -log_binomial_tail(matches - free, support - free, rate) / std::numbers::ln10;
}

}  // namespace robust

std::vector<Repetition> find_repetition_batch(Queue& queue, ModelKind kind,
                                              const Memory<const PointPair>& points,
                                              const BatchInput& input, const BatchEstimate& found) {
  robust::check_batch(kind, points, input, found);
  std::vector<Repetition> results(found.pairs.size());
  std::map<robust::RivalSearch, robust::RivalBatch> searches;
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (!robust::has_rivals(kind, found.pairs[k])) continue;
    const auto matches = static_cast<int>(input.offsets[k + 1] - input.offsets[k]);
    const auto search = robust::rival_search(kind, found.pairs[k], matches, input.options);
    if (search) searches[*search].add(k, points.pointer(), input, found);
  }
  for (const auto& [search, batch] : searches) {
    const BatchEstimate rivals = batch.estimate(queue, kind, input.options, search);
    for (std::size_t i = 0; i < batch.pairs.size(); ++i)
      robust::set_rival(kind, rivals.pairs[i], found.pairs[batch.pairs[i]],
                        results[batch.pairs[i]]);
  }
  return results;
}

Repetition find_repetition(ModelKind kind, std::span<const PointPair> points,
                           const EstimateResult& found, const EstimateInput& input) {
  Queue cpu;
  return find_repetition(cpu, kind, points, found, input);
}

Repetition find_repetition(Queue& queue, ModelKind kind, std::span<const PointPair> points,
                           const EstimateResult& found, const EstimateInput& input) {
  if (!robust::has_rivals(kind, found)) return {};
  if (found.inliers.size() != points.size())
    throw Error(ErrorCode::usage, fmt::format("find_repetition: {} inlier flags for {} points",
                                              found.inliers.size(), points.size()));
  (void)robust::checked_cameras("find_repetition", kind, input.cameras);
  robust::check_priors(input.priors, points.size());
  const std::int64_t offsets[] = {0, std::ssize(points)};
  return find_repetition_batch(queue, kind, points.data(),
                               {.offsets = offsets,
                                .cameras1 = input.cameras.first(input.cameras.empty() ? 0 : 1),
                                .cameras2 = input.cameras.subspan(input.cameras.empty() ? 0 : 1),
                                .weights = input.priors.weights.data(),
                                .qualities = input.priors.qualities.data(),
                                .options = input.options},
                               {.pairs = {found}, .inliers = found.inliers})
      .front();
}

}  // namespace bifocal
